"""A run's folder: its files, its lock, and the snapshot that it resumes from."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training.config import TrainConfig
from german_whist.training.recipes import load_run_config
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.outcome import TrainingOutcome
from german_whist.training.run.records import metric_name
from german_whist.training.run.snapshot import read_snapshot, write_snapshot
from german_whist.training.run.version import code_version
from german_whist.training.train import run_training
from tests.training.policy_iteration_runs import small_config, train_small
from tests.training.sb3_runs import tiny_config
from tests.training.whole_runs import at, files, interrupt, resume_run

CONFIGS = {"policy_iteration": small_config(), "sb3": tiny_config()}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_code_version_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert code_version.__wrapped__()["commit"] is None  # past the cache, which other tests need as it is


def begun(name: str, **settings: Any) -> RunDirectory:
    """A run that has written its settings, and no more."""
    run = RunDirectory.create(name)
    run.begin(tiny_config(**settings))
    return run


# Folders


def test_runs_are_numbered(here: Path) -> None:
    paths = [RunDirectory.create(name).given for name in ("a", "a", "b", "a")]
    assert paths == [Path("runs/a"), Path("runs/a-2"), Path("runs/b"), Path("runs/a-3")]


def test_used_folder_is_refused(here: Path) -> None:
    (here / "mine").mkdir()
    assert RunDirectory.create("a", "mine").path == Path("mine").absolute()
    (here / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match="'mine'"):
        RunDirectory.create("a", "mine")
    assert files(here) == {"mine/thesis.txt": b"years of work"}


def test_open_run_reads_its_config(here: Path) -> None:
    made = begun("a", seed=11)
    run = RunDirectory.open("runs/a")
    assert (run.path, load_run_config(run.config)) == (made.path, tiny_config(seed=11))
    for wrong in (".", "absent"):
        with pytest.raises(ValueError, match=f"'{wrong}'"):
            RunDirectory.open(wrong)


def test_run_with_own_agent_is_opened_by_its_name(here: Path) -> None:
    (here / "mine.py").write_text("class Bot:\n    def act(self, decisions): ...\n")
    own = {"evaluate_against": ["python:mine.py:Bot"]}
    run = begun("a", **own)
    assert load_run_config(run.config, own).evaluate_against == ["python:mine.py:Bot"]
    with pytest.raises(ValueError, match="runs code"):
        load_run_config(run.config)


# Metrics and evaluations


def evaluation(decisions: int, opponent: str = "random", win_rate: float = 0.5) -> dict[str, Any]:
    numbers = {"deals": 10, "win_rate": win_rate, "low": win_rate - 0.1, "high": win_rate + 0.1, "margin": -0.25}
    return {"decisions": decisions, "opponent": opponent, **numbers, "seconds": 1.5}


def test_evaluations_are_replaced(here: Path) -> None:
    run = begun("a")
    assert run.read_evaluations() == []
    first = [evaluation(0), evaluation(0, "checkpoint:a,temperature=1", 0.25)]
    run.add_evaluations(first)
    run.add_evaluations([evaluation(24_000_128)])
    again = [evaluation(24_000_128, win_rate=0.75), evaluation(24_000_128, "greedy", 0.5)]
    run.add_evaluations(again)
    assert run.read_evaluations() == [*first, *again]
    run.add_evaluations([evaluation(24_000_128, "greedy", 0.25)])  # those of another opponent stay
    assert run.read_evaluations() == [*first, again[0], evaluation(24_000_128, "greedy", 0.25)]


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
def test_callback_gets_all_numbers(config: TrainConfig, tmp_path: Path) -> None:
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


# The lock


def test_run_is_locked(tmp_path: Path) -> None:
    stopped = train_small(tmp_path / "run", callback=at(300, interrupt)).run
    with stopped.locked():
        before = files(stopped.path)
        with pytest.raises(ValueError, match=str(stopped.path)):
            resume_run(stopped.path)
        assert files(stopped.path) == before
    assert resume_run(stopped.path).decisions == 1024
    assert not list(stopped.path.glob(".*"))


# Snapshots


@pytest.fixture
def own(tmp_path: Path, finished: TrainingOutcome) -> RunDirectory:
    """A copy of the run, as it is before its final evaluation."""
    shutil.copytree(finished.run.path, tmp_path / "run", ignore=shutil.ignore_patterns("final.safetensors"))
    return RunDirectory(tmp_path / "run")


def refused(run: RunDirectory, named: str, **settings: Any) -> None:
    """Resuming fails in one line and changes no file."""
    before = files(run.path)
    with pytest.raises(ValueError, match=named) as caught:
        resume_run(run.path, **settings)
    assert "\n" not in str(caught.value)
    assert files(run.path) == before


def test_damaged_snapshot_is_refused(own: RunDirectory) -> None:
    content = own.snapshot.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    for damaged in (bytes(flipped), content[:-1], content.replace(b"snapshot-5", b"snapshot-4")):
        own.snapshot.write_bytes(damaged)
        refused(own, "snapshot")


def test_snapshot_without_a_part(own: RunDirectory) -> None:
    about, tensors = read_snapshot(own.snapshot)
    for part in ("networks.updates", "deals.0.0.counts"):
        write_snapshot(own.snapshot, about, {name: tensor for name, tensor in tensors.items() if name != part})
        refused(own, "snapshot.*counts|snapshot.*updates")
    write_snapshot(own.snapshot, {key: value for key, value in about.items() if key != "pool"}, tensors)
    refused(own, "snapshot.*pool")


def test_damaged_model_is_refused(tmp_path: Path) -> None:
    run = RunDirectory.create("mine", tmp_path / "run")
    run_training(tiny_config(), run, quiet=True, callback=at(500, interrupt))
    content = run.model.read_bytes()
    for damaged in (b"", content[: len(content) // 2]):
        run.model.write_bytes(damaged)
        refused(run, r"model\.zip")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", bytes(100)], ids=["empty", "no text", "zeros"])
def test_damaged_settings_are_refused(content: bytes, own: RunDirectory) -> None:
    own.config.write_bytes(content)
    refused(own, r"config\.yaml")


LOGS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "zeros": lambda whole: bytes(200_000),
    "no text": lambda whole: b"\xff\xfe\n\xff\n",
    "no header": lambda whole: whole.partition(b"\n")[2],
    "zeros at the end": lambda whole: whole + bytes(50),
    "words at the end": lambda whole: whole + b",".join([b"many"] * whole.partition(b"\n")[0].count(b",")) + b",few\n",
}


@pytest.mark.parametrize("damage", LOGS)
def test_damaged_logs_do_not_stop_a_run(damage: str, own: RunDirectory) -> None:
    """A run whose snapshot is whole goes on, and its new rows can be read."""
    for path in (own.metrics, own.evaluations):
        path.write_bytes(LOGS[damage](path.read_bytes()))
    done = resume_run(own.path, decisions=1500)
    assert done.decisions >= 1500
    assert own.read_evaluations()[-1]["decisions"] == done.decisions
    assert int(own.read_metrics()[-1]["decisions"]) == done.decisions
    assert b"\0" not in own.metrics.read_bytes() + own.evaluations.read_bytes()


def test_change_is_recorded(own: RunDirectory) -> None:
    done = resume_run(own.path, decisions="1500", learning_rate="1e-4")
    assert done.decisions >= 1500
    settings = yaml.safe_load(own.config.read_text())
    assert (settings["decisions"], settings["learning_rate"]) == (1500, 1e-4)
    training = load_checkpoint(own.final).training
    assert training["config"] == settings


@pytest.mark.parametrize(
    "settings",
    [
        {"rules": "six_cards"},
        {"hidden": [8]},
        {"opponents": {"self": 0.5, "pool": 0.5}},
    ],
)
def test_impossible_change_is_refused(own: RunDirectory, settings: dict[str, Any]) -> None:
    refused(own, next(iter(settings)), **settings)
