"""A run's folder: its files, its lock, and the snapshot that it resumes from."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training.config import TrainConfig
from german_whist.training.run import (
    RunDirectory,
    TrainingOutcome,
    code_version,
    metric_name,
    read_snapshot,
    write_snapshot,
)
from german_whist.training.train import run_training
from tests.training.policy_iteration_runs import ROLLOUT, small_config, train_small
from tests.training.sb3_runs import tiny_config
from tests.training.whole_runs import at, column, files, interrupt, kill, resume_run

CONFIGS = {"policy_iteration": small_config(), "sb3": tiny_config()}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begun(name: str, **settings: Any) -> RunDirectory:
    """A run that has written its settings, and no more."""
    run = RunDirectory.create(name)
    run.begin(tiny_config(**settings))
    return run


# Folders


def test_runs_of_one_name_are_numbered(here: Path) -> None:
    paths = [RunDirectory.create(name).given for name in ("a", "a", "b", "a")]
    assert paths == [Path("runs/a"), Path("runs/a-2"), Path("runs/b"), Path("runs/a-3")]


def test_a_folder_that_holds_something_is_refused_and_left_alone(here: Path) -> None:
    (here / "mine").mkdir()
    assert RunDirectory.create("a", "mine").path == Path("mine").absolute()
    (here / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match="'mine'"):
        RunDirectory.create("a", "mine")
    assert files(here) == {"mine/thesis.txt": b"years of work"}


def test_a_run_to_resume_is_opened_with_its_own_settings(here: Path) -> None:
    made = begun("a", seed=11)
    run, read = RunDirectory.open("runs/a")
    assert (run.path, read) == (made.path, tiny_config(seed=11))
    for wrong in (".", "absent"):
        with pytest.raises(ValueError, match=f"'{wrong}'"):
            RunDirectory.open(wrong)


def test_a_run_of_another_version_is_refused(here: Path) -> None:
    made = begun("a")
    made.checkpoint_path(0).touch()
    assert not RunDirectory.open("runs/a")[0].has_snapshot  # killed before its first snapshot, it starts from scratch
    made.checkpoint_path(256).touch()
    with pytest.raises(ValueError, match="'runs/a'"):
        RunDirectory.open("runs/a")


@pytest.mark.parametrize("change", [{"rules": "six_cards"}, {"hidden": "8"}])
def test_a_run_keeps_its_game_and_its_sizes(here: Path, change: dict[str, str]) -> None:
    begun("a")
    with pytest.raises(ValueError, match=next(iter(change))):
        RunDirectory.open("runs/a", change)


# StructTensor


def evaluation(decisions: int, opponent: str = "random", win_rate: float = 0.5) -> dict[str, Any]:
    numbers = {"deals": 10, "win_rate": win_rate, "low": win_rate - 0.1, "high": win_rate + 0.1, "margin": -0.25}
    return {"decisions": decisions, "opponent": opponent, **numbers, "seconds": 1.5}


def test_evaluations_are_read_back_and_replace_earlier_ones_of_the_same_decisions(here: Path) -> None:
    run = begun("a")
    assert run.read_evaluations() == []
    first = [evaluation(0), evaluation(0, "checkpoint:a,temperature=1", 0.25)]
    run.add_evaluations(first)
    run.add_evaluations([evaluation(24_000_128)])
    again = [evaluation(24_000_128, win_rate=0.75), evaluation(24_000_128, "greedy", 0.5)]
    run.add_evaluations(again)
    assert run.read_evaluations() == [*first, *again]


def order(row: tuple[int, dict[str, float]]) -> tuple[int, list[str]]:
    return row[0], sorted(row[1])


def recorded(run: RunDirectory) -> list[tuple[int, dict[str, float]]]:
    """What the files of a run say: rows of metrics, and win rates."""
    rows: list[tuple[int, dict[str, float]]] = []
    with run.metrics.open(newline="") as file:
        for cells in csv.DictReader(file):
            numbers = {name: float(cell) for name, cell in cells.items() if cell}
            step = numbers.pop("decisions")
            rows.append((int(step), numbers))
    for row in run.read_evaluations():
        rows.append((int(row["decisions"]), {f"evaluation/win_rate_{metric_name(row['opponent'])}": row["win_rate"]}))
    return sorted(rows, key=order)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_a_callback_gets_every_row_of_metrics_and_every_evaluation(config: TrainConfig, tmp_path: Path) -> None:
    calls: list[tuple[int, dict[str, float]]] = []
    run = RunDirectory.create("mine", tmp_path / "run")
    run_training(config, run, quiet=True, callback=lambda decisions, numbers: calls.append((decisions, numbers)))
    steps = [decisions for decisions, _ in calls]
    assert steps == sorted(steps)
    expected = recorded(run)
    assert len(expected) > 5
    for (step, numbers), (row_step, row) in zip(sorted(calls, key=order), expected, strict=True):
        assert step == row_step
        assert numbers == pytest.approx(row, rel=1e-4, nan_ok=True)


def test_names_of_metrics_are_such_that_trackers_take_them() -> None:
    assert metric_name("mc:worlds=5,temperature=0.5+exact") == "mc_worlds_5_temperature_0.5_exact"
    assert metric_name("greedy+exact, no_trump") == "greedy_exact/no_trump"
    assert re.fullmatch(r"[\w./-]+", metric_name("checkpoint:a b/é.safetensors"), re.ASCII)


def shown(folder: Path, name: str) -> list[int]:
    events = EventAccumulator(str(folder))
    events.Reload()
    return [event.step for event in events.Scalars(name)]


def test_tensorboard_shows_metrics_and_hides_those_after_the_snapshot_of_a_killed_run(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        train_small(tmp_path / "run", callback=at(512, kill))
    run = resume_run(tmp_path / "run").run
    assert shown(run.tensorboard, "losses/loss") == list(range(ROLLOUT, 1025, ROLLOUT))
    assert shown(run.tensorboard, "evaluation/win_rate_random") == [0, 512, 1024]


def test_a_run_does_without_tensorboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    run = train_small(tmp_path / "run", decisions=256).run
    assert column(run.metrics, "decisions") == [128, 256]
    assert not run.tensorboard.exists()


# The lock

HOLDING = """
import sys, time
from german_whist.training.run import RunDirectory
with RunDirectory(sys.argv[1]).locked():
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_process_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    stopped = train_small(tmp_path / "run", callback=at(300, interrupt)).run
    holder = subprocess.Popen([sys.executable, "-c", HOLDING, str(stopped.path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    before = files(stopped.path)
    with pytest.raises(ValueError, match=str(stopped.path)):
        resume_run(stopped.path)
    assert files(stopped.path) == before
    os.kill(holder.pid, signal.SIGKILL)  # the lock of a killed process does not stay
    holder.wait()
    holder.stdout.close()
    assert resume_run(stopped.path).decisions == 1024
    assert not list(stopped.path.glob(".*"))


# Snapshots


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    """A run that nobody may change."""
    return train_small(tmp_path_factory.mktemp("original") / "run", opponents={"self": 0.5, "pool": 0.5})


@pytest.fixture
def own(tmp_path: Path, original: TrainingOutcome) -> RunDirectory:
    """A copy of the run, as it is before its final evaluation."""
    shutil.copytree(original.run.path, tmp_path / "run", ignore=shutil.ignore_patterns("final.safetensors"))
    return RunDirectory(tmp_path / "run")


def refused(run: RunDirectory, named: str, **settings: Any) -> None:
    """Resuming fails in one line and changes no file."""
    before = files(run.path)
    with pytest.raises(ValueError, match=named) as caught:
        resume_run(run.path, **settings)
    assert "\n" not in str(caught.value)
    assert files(run.path) == before


def test_a_snapshot_is_read_back(tmp_path: Path) -> None:
    path, tensors = tmp_path / "it", {"weights": torch.randn(7, 99), "counts": torch.arange(12), "none": torch.zeros(0)}
    for decisions in (128, 256):
        write_snapshot(path, {"decisions": decisions, "settings": {"a": [1, "é"]}}, tensors)
    about, read = read_snapshot(path)
    assert about == {"decisions": 256, "settings": {"a": [1, "é"]}}
    assert read.keys() == tensors.keys()
    assert all(torch.equal(read[name], tensor) for name, tensor in tensors.items())
    assert os.listdir(tmp_path) == ["it"]


def test_a_damaged_snapshot_and_one_of_another_version_are_refused(own: RunDirectory) -> None:
    content = own.snapshot.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    for damaged in (bytes(flipped), content[:-1], content.replace(b"snapshot-4", b"snapshot-3")):
        own.snapshot.write_bytes(damaged)
        refused(own, "snapshot")


def test_a_snapshot_of_other_processes_is_refused(own: RunDirectory) -> None:
    about, tensors = read_snapshot(own.snapshot)
    write_snapshot(own.snapshot, about | {"processes": 2}, tensors)
    refused(own, "2 processes")


@pytest.mark.parametrize(("key", "value"), [("seed", 3), ("opponents", {"pool": 0.5, "self": 0.5})])
def test_an_edited_setting_is_refused_by_name(own: RunDirectory, key: str, value: object) -> None:
    settings = {**yaml.safe_load(own.config.read_text()), key: value}
    own.config.write_text(yaml.safe_dump(settings, sort_keys=False))
    refused(own, key)


def test_an_intended_change_is_made_by_name_and_recorded(own: RunDirectory) -> None:
    done = resume_run(own.path, decisions="1500", learning_rate="1e-4")
    assert done.decisions >= 1500
    settings = yaml.safe_load(own.config.read_text())
    assert (settings["decisions"], settings["learning_rate"]) == (1500, 1e-4)
    training = load_checkpoint(own.final).training
    changes = {change["key"]: change["after"] for change in training["changes"]}
    assert changes == {"decisions": 1500, "learning_rate": 1e-4}
    assert training["config"]["decisions"] == 1500
    own.final.unlink()
    assert resume_run(own.path).decisions == done.decisions  # nothing differs any more


@pytest.mark.parametrize(
    "settings",
    [
        {"rules": "six_cards"},
        {"decisions": 100},
        {"hidden": [8]},
        {"opponents": {"self": 1}},
    ],
)
def test_a_change_that_cannot_be_is_refused_and_changes_nothing(own: RunDirectory, settings: dict[str, Any]) -> None:
    refused(own, next(iter(settings)), **settings)


def test_a_change_by_a_run_that_was_killed_then_can_be_made_again(
    own: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        kill()

    with monkeypatch.context() as patch:
        patch.setattr(RunDirectory, "write_config", killed)
        with pytest.raises(SystemExit):
            resume_run(own.path, decisions=1500)
    resume_run(own.path, decisions=1500)
    assert yaml.safe_load(own.config.read_text())["decisions"] == 1500


def test_a_run_names_the_code_that_trained_it(original: TrainingOutcome) -> None:
    code = load_checkpoint(original.run.final).training["code"]
    assert code == json.loads(json.dumps(code_version()))
    assert code["libraries"]["torch"]
