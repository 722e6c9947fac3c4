"""A run's folder: how it begins, what is refused, its lock, its records, and the snapshot that it resumes from."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training import run as run_module
from german_whist.training.config import TrainConfig
from german_whist.training.records import TrainingOutcome
from german_whist.training.run import (
    EVALUATION_COLUMNS,
    RunDirectory,
    code_version,
    read_snapshot,
    write_snapshot,
)
from german_whist.training.train import train
from tests.disk import NO_LOCKS, without_locks
from tests.training.policy_iteration_runs import small_config, train_small
from tests.training.sb3_runs import tiny_config
from tests.training.whole_runs import call_at, interrupt, resume_run


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def files(run: RunDirectory) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in run.path.rglob("*") if path.is_file()}


def begun(name: str, out: str | None = None, **settings: Any) -> RunDirectory:
    """A run that has written its settings, and no more."""
    run = RunDirectory.create(name, out)
    run.begin(tiny_config(**settings))
    return run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def disk_full_at(monkeypatch: pytest.MonkeyPatch, part_of_name: str) -> None:
    """Let files whose name holds a text be cut after three bytes by a full disk."""
    write = Path.write_bytes

    def cut(self: Path, content: bytes) -> int:
        if part_of_name not in self.name:
            return write(self, content)
        write(self, content[:3])
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", cut)


# Folders


def test_runs_of_one_name_are_numbered(here: Path) -> None:
    paths = [RunDirectory.create(name).path for name in ("a", "a", "b", "a")]
    assert paths == [Path("runs/a"), Path("runs/a-2"), Path("runs/b"), Path("runs/a-3")]


@pytest.mark.parametrize("out", ["new", "some/way/down", "there"])
def test_a_folder_may_be_given_if_nothing_is_in_it(here: Path, out: str) -> None:
    (here / "there").mkdir()
    assert RunDirectory.create("a", out).path == Path(out)
    assert (here / out).is_dir()
    assert not (here / "runs").exists()


def test_a_folder_that_holds_something_is_refused_and_left_alone(here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match=r"^run directory 'mine' is not empty: choose another, or resume it$"):
        RunDirectory.create("a", "mine")
    assert everything(here) == {"mine", "mine/thesis.txt"}


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("file", "File exists"),
        ("file/far/below", "Not a directory"),
        ("new/" + "long" * 100, "File name too long"),
    ],
)
def test_a_folder_that_cannot_be_made_is_refused_and_leaves_nothing(here: Path, out: str, reason: str) -> None:
    (here / "file").touch()
    with pytest.raises(ValueError, match=rf"^run directory '{out}' cannot be created: {reason}$"):
        RunDirectory.create("a", out)
    assert everything(here) == {"file"}


@pytest.mark.parametrize("out", [None, "there", "some/way/down"])
@pytest.mark.parametrize("config", [tiny_config(), small_config()], ids=["sb3", "policy_iteration"])
def test_a_full_disk_leaves_nothing_of_a_run_that_cannot_begin(
    here: Path, monkeypatch: pytest.MonkeyPatch, config: TrainConfig, out: str | None
) -> None:
    (here / "there").mkdir()
    disk_full_at(monkeypatch, "config.yaml")
    with pytest.raises(ValueError, match="cannot be written: No space left on device"):
        train(config, RunDirectory.create("a", out), quiet=True)
    assert everything(here) == {"there"}


def test_a_run_that_fails_takes_no_other_files_with_it(here: Path) -> None:
    first, second = RunDirectory.create("a"), RunDirectory.create("a")
    (first.path / "notes.txt").touch()
    with pytest.raises(ValueError, match="cannot be made"):
        train(tiny_config(hidden=[10**12]), first, quiet=True)
    assert everything(here) == {"runs", "runs/a", "runs/a/notes.txt", str(second.path)}


# Opening


def test_a_run_to_resume_is_opened_with_its_own_settings(here: Path) -> None:
    made = begun("a", seed=11)
    made.model.touch()
    run, read = RunDirectory.open("runs/a")
    assert (run.path, read) == (made.path, tiny_config(seed=11))


def test_a_folder_without_a_run_is_refused(here: Path) -> None:
    (here / "file").touch()
    for wrong in (".", "absent", "file"):
        with pytest.raises(ValueError, match=rf"^'{wrong}' is not a run directory: it has no config.yaml$"):
            RunDirectory.open(wrong)


def test_a_run_without_its_first_checkpoint_starts_afresh_and_one_that_lost_its_snapshot_is_refused(here: Path) -> None:
    made = begun("a")
    made.checkpoint_path(0).touch()
    assert not RunDirectory.open("runs/a")[0].has_snapshot
    made.checkpoint_path(256).touch()
    with pytest.raises(ValueError, match=r"^run directory 'runs/a' has checkpoints, but no snapshot of this version"):
        RunDirectory.open("runs/a")


def test_a_run_with_damaged_settings_names_file_and_key(here: Path) -> None:
    run = begun("a")
    run.config.write_text(run.config.read_text().replace("ent_coef: 0.01", "ent_coef: -3"))
    with pytest.raises(ValueError, match=r"^runs/a/config.yaml: ent_coef must be a number >= 0, got -3.0"):
        RunDirectory.open("runs/a")


@pytest.mark.parametrize("change", [{"rules": "six_cards"}, {"trainer": "policy_iteration"}])
def test_a_run_keeps_its_game_and_its_trainer(here: Path, change: dict[str, str]) -> None:
    begun("a")
    with pytest.raises(ValueError, match=r"rules cannot change within a run|only trainer: sb3 has this setting"):
        RunDirectory.open("runs/a", change)


def test_checkpoints_are_sorted_by_decisions_and_other_files_ignored(here: Path) -> None:
    run = begun("a")
    numbers = [999_999_999_999, 0, 50]
    for number in numbers:
        run.checkpoint_path(number).touch()
    for other in ("best.safetensors", "000000000003.txt", "7.safetensors"):
        (run.checkpoints / other).touch()
    assert run.checkpoint_paths() == [run.checkpoint_path(number) for number in sorted(numbers)]
    run.drop_records_after(50)
    assert run.checkpoint_paths() == [run.checkpoint_path(0), run.checkpoint_path(50)]
    assert (run.checkpoints / "best.safetensors").exists()


# Records


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


def test_records_after_the_snapshot_and_truncated_rows_are_dropped(here: Path) -> None:
    run = begun("a")
    run.drop_records_after(0)  # there are none
    run.add_evaluations([evaluation(0), evaluation(256), evaluation(512)])
    with run.evaluations.open("a") as file:
        file.write("128,rand")
    run.metrics.write_text("decisions,time/fps\n128,9\n256,9\n384,9\n12")
    run.drop_records_after(256)
    assert run.read_evaluations() == [evaluation(0), evaluation(256)]
    assert run.metrics.read_text().splitlines() == ["decisions,time/fps", "128,9", "256,9"]


HEADER = ",".join(EVALUATION_COLUMNS)
ROW = "100,random,10,0.5,0.4,0.6,1.5,2.0"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            f"{HEADER.replace('win_rate,', '')}\n100,random,10,0.4,0.6,1.5,2.0",
            "its columns are not decisions, opponent",
        ),
        (f"{HEADER}\n{ROW}\n100,random", "line 3 is '100,random'"),
        (f"{HEADER}\n{ROW},7", "line 2 is"),
        (f"{HEADER}\n{ROW.replace('0.5', 'half')}", "line 2 is"),
        (f"{HEADER}\n{ROW.replace('0.5', '1e999')}", "line 2 is"),
        (f"{HEADER}\n{'x' * 200_000}", "field larger than field limit"),
        ("\xff", "codec can't decode"),
    ],
)
def test_evaluations_that_are_not_what_they_should_be_are_refused_in_one_line(
    tmp_path: Path, text: str, reason: str
) -> None:
    run = RunDirectory(tmp_path)
    run.evaluations.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=rf"evaluations.csv' cannot be read: .*{reason}") as caught:
        run.read_evaluations()
    assert "\n" not in str(caught.value)


# The lock

HOLDING = """
import sys, time
from pathlib import Path
from german_whist.training.run import run_lock
with run_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDirectory:
    call_at(monkeypatch, 300, interrupt)
    return train_small(tmp_path / "run").run


def test_a_second_process_is_refused_until_the_first_has_ended(stopped: RunDirectory) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDING, str(stopped.path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    before = files(stopped)
    with pytest.raises(ValueError, match="is in use: another process trains this run"):
        resume_run(stopped.path)
    assert files(stopped) == before
    os.kill(holder.pid, signal.SIGKILL)  # the lock of a killed process does not stay
    holder.wait()
    holder.stdout.close()
    assert resume_run(stopped.path).decisions == 1024
    assert not list(stopped.path.glob(".*"))


def test_a_run_in_training_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def resume() -> None:
        with pytest.raises(ValueError, match="is in use"):
            resume_run(tmp_path / "run")
        seen.append(True)

    call_at(monkeypatch, 300, resume)
    assert train_small(tmp_path / "run").decisions == 1024
    assert seen


@pytest.mark.parametrize("error", NO_LOCKS)
def test_a_file_system_without_locks_is_noted_and_no_more(
    stopped: RunDirectory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: str
) -> None:
    (stopped.path / ".lock").write_text("12345\nanother-node\n")  # of a run that was killed on another machine
    without_locks(monkeypatch, error)
    assert resume_run(stopped.path).decisions == 1024
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"german-whist: {stopped.path}: this file system has no locks")


# Snapshots


@pytest.mark.parametrize("part", [1 << 20, 1000])
def test_a_snapshot_is_read_back_in_whatever_parts_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    monkeypatch.setattr(run_module, "PART_SIZE", part)
    tensors = {"weights": torch.randn(7, 99), "counts": torch.arange(12), "none": torch.zeros(0, 3)}
    for decisions in (128, 256):
        write_snapshot(tmp_path / "snapshot", {"decisions": decisions, "settings": {"a": [1, "é"]}}, tensors)
    about, read = read_snapshot(tmp_path / "snapshot")
    assert about == {"decisions": 256, "settings": {"a": [1, "é"]}}
    assert read.keys() == tensors.keys()
    assert all(torch.equal(read[name], tensor) for name, tensor in tensors.items())
    names = everything(tmp_path / "snapshot")
    assert all(name.startswith("000000000256") for name in names)  # the one before it is gone
    assert (len(names) > 3) == (part == 1000)
    assert all(path.stat().st_size <= part for path in (tmp_path / "snapshot").glob("*.part"))


@pytest.mark.parametrize("decisions", [128, 256])  # a run with init writes two before its first decision
def test_a_snapshot_that_cannot_be_written_leaves_the_one_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decisions: int
) -> None:
    folder, tensors = tmp_path / "snapshot", {"weights": torch.ones(500)}
    write_snapshot(folder, {"decisions": 128}, tensors)
    for name in (".part", ".json"):
        with monkeypatch.context() as patch:
            disk_full_at(patch, name)
            with pytest.raises(OSError, match="No space left"):
                write_snapshot(folder, {"decisions": decisions}, {"weights": torch.zeros(500)})
        about, read = read_snapshot(folder)
        assert (about["decisions"], bool(read["weights"].all())) == (128, True)


WITH_POOL = {"opponents": {"self": 0.5, "pool": 0.5}}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    """A run that nobody may change."""
    return train_small(tmp_path_factory.mktemp("original") / "run", **WITH_POOL)


@pytest.fixture
def own(tmp_path: Path, original: TrainingOutcome) -> RunDirectory:
    """A copy of the run, as it is before its final evaluation."""
    shutil.copytree(original.run.path, tmp_path / "run", ignore=shutil.ignore_patterns("final.safetensors"))
    return RunDirectory(tmp_path / "run")


def refused(run: RunDirectory, reason: str, **overrides: str) -> None:
    """Resuming fails in one line and changes no file."""
    before = files(run)
    with pytest.raises(ValueError, match=reason) as caught:
        resume_run(run.path, **overrides)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 500
    assert files(run) == before


@pytest.mark.parametrize("kind", ["json", "part"])
def test_no_flipped_bit_of_a_snapshot_passes_in_silence(own: RunDirectory, kind: str) -> None:
    (path,) = own.snapshot.glob(f"*.{kind}")
    content = path.read_bytes()
    rng = np.random.default_rng(5)
    for place in rng.integers(0, len(content), 60):
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(flipped)
        with pytest.raises(ValueError, match="cannot be resumed: "):
            read_snapshot(own.snapshot)
    path.write_bytes(content[:-1])
    refused(own, "cannot be resumed: ")


def rewrite(run: RunDirectory, change: Callable[[dict[str, Any], dict[str, torch.Tensor]], None]) -> None:
    """Change a snapshot, under a checksum that is right."""
    about, tensors = read_snapshot(run.snapshot)
    change(about, tensors)
    shutil.rmtree(run.snapshot)
    write_snapshot(run.snapshot, about, tensors)


@pytest.mark.parametrize(
    ("name", "value"),
    [("deals", -1), ("moves", 10**6), ("learner_seat", 5), ("counts", -1), ("counts", 2**40)],
)
def test_impossible_deals_are_refused(own: RunDirectory, name: str, value: int) -> None:
    rewrite(own, lambda about, tensors: tensors[f"deals.0.0.{name}"].fill_(value))
    refused(own, "cannot be resumed: its deals, moves or seats are impossible")


@pytest.mark.parametrize("processes", [0, 2, 10**9, "many"])
def test_a_snapshot_of_other_processes_is_refused(own: RunDirectory, processes: object) -> None:
    rewrite(own, lambda about, tensors: about.update(processes=processes))
    refused(own, f"cannot be resumed: it was written by {processes} processes, and now there are 1")


def test_a_missing_past_self_is_refused(own: RunDirectory) -> None:
    path = own.checkpoint_paths()[0]
    path.unlink()
    refused(own, rf"cannot be resumed: {path.name} is missing, and the run's pool needs it$")


@pytest.mark.parametrize(
    ("key", "value"), [("seed", 3), ("num_steps", 8), ("opponents", {"pool": 0.5, "self": 0.5}), ("rules", "six_cards")]
)
def test_an_edited_setting_is_refused_by_name(own: RunDirectory, key: str, value: object) -> None:
    settings = {**yaml.safe_load(own.config.read_text()), key: value}
    own.config.write_text(yaml.safe_dump(settings, sort_keys=False))
    refused(own, rf"cannot be resumed: {key} is .*, and the run was trained with ")


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
    ("overrides", "reason"),
    [
        ({"rules": "six_cards"}, "rules is six_cards, and .*; rules cannot change within a run"),
        ({"init": "small", "hidden": "[16]"}, "init is small, and .*; init cannot change within a run"),
        ({"decisions": "100"}, "decisions is 100, .*: it has already trained on 10.. decisions"),
        ({"hidden": "[8]"}, ""),
        ({"num_envs": "16"}, ""),
    ],
)
def test_a_change_that_cannot_be_is_refused_and_changes_nothing(
    own: RunDirectory, overrides: dict[str, str], reason: str
) -> None:
    refused(own, f"cannot be resumed: {reason}", **overrides)


@pytest.mark.parametrize("name", ["metrics.csv", "evaluations.csv"])
@pytest.mark.parametrize("content", [b"\xff\xfe", b'"' + b"x" * 200_000])
def test_records_that_cannot_be_read_are_refused_before_anything_is_deleted(
    own: RunDirectory, name: str, content: bytes
) -> None:
    own.checkpoint_path(10**6).write_bytes(b"later")
    (own.path / name).write_bytes(content)
    refused(own, rf"{name}' cannot be read: ")


def test_a_change_recorded_by_a_run_that_was_killed_then_can_be_repaired(
    own: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as killed:
        killed.setattr(RunDirectory, "write_config", kill)
        with pytest.raises(SystemExit):
            resume_run(own.path, decisions="1500")
    refused(own, "cannot be resumed: decisions is 1024, and the run was trained with 1500")
    resume_run(own.path, decisions="1500")
    assert yaml.safe_load(own.config.read_text())["decisions"] == 1500


# The code


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


def test_its_own_checkout_is_named_and_a_repository_around_site_packages_is_not(tmp_path: Path) -> None:
    own, installed = (tmp_path / place / "training" / "run.py" for place in ("own", "site-packages/german_whist"))
    for path in (own, installed):
        path.parent.mkdir(parents=True)
        shutil.copy(run_module.__file__, path)
    for folder in (tmp_path / "own", tmp_path / "site-packages"):
        git(folder, "init", "--quiet")
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", "begin")
    commit, modified = run_module._checkout(own)
    assert commit is not None
    assert (len(commit), modified) == (12, False)
    own.write_text("changed")
    assert run_module._checkout(own) == (commit, True)
    assert run_module._checkout(installed) == (None, None)


def test_a_run_names_the_code_that_trained_it(original: TrainingOutcome) -> None:
    code = load_checkpoint(original.run.final).training["code"]
    assert code == json.loads(json.dumps(code_version()))
    assert code["libraries"]["torch"]
