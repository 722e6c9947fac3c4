"""A run's folder: its files, its lock, and what is refused."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from german_whist.training.config import TrainConfig
from german_whist.training.load_config import load_config
from german_whist.training.run.directory import EVALUATION_COLUMNS, RunDirectory, run_lock
from german_whist.training.run.provenance import code_version
from german_whist.training.train import train
from tests.disk import NO_LOCKS, without_locks
from tests.training.policy_iteration_runs import small_config, train_small
from tests.training.sb3_runs import tiny_config
from tests.training.whole_runs import call_at, interrupt, resume_run


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


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


def test_a_run_that_begins_holds_its_settings_and_what_code_runs(here: Path) -> None:
    run = begun("mine", seed=5)
    assert everything(here / "runs") == {"mine"} | {
        f"mine/{name}" for name in ("checkpoints", "tensorboard", "config.yaml", "version.json")
    }
    assert load_config(run.config) == tiny_config(seed=5)
    assert json.loads(run.version.read_text()) == code_version()


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
    with pytest.raises(ValueError, match=r"^run directory 'mine' is not empty: choose another, or --resume it$"):
        RunDirectory.create("a", "mine")
    assert everything(here) == {"mine", "mine/thesis.txt"}


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("file", "File exists"),
        ("file/below", "Not a directory"),
        ("file/far/below", "Not a directory"),
        ("new/" + "long" * 100, "File name too long"),
    ],
)
def test_a_folder_that_cannot_be_made_is_refused_and_leaves_nothing(here: Path, out: str, reason: str) -> None:
    (here / "file").touch()
    with pytest.raises(ValueError, match=rf"^run directory '{out}' cannot be made: {reason}$"):
        RunDirectory.create("a", out)
    assert everything(here) == {"file"}


@pytest.mark.parametrize("name", ["config.yaml", "version.json"])
@pytest.mark.parametrize("out", [None, "there", "some/way/down"])
@pytest.mark.parametrize("config", [tiny_config(), small_config()], ids=["sb3", "policy_iteration"])
def test_a_full_disk_leaves_nothing_of_a_run_that_cannot_begin(
    here: Path, monkeypatch: pytest.MonkeyPatch, config: TrainConfig, name: str, out: str | None
) -> None:
    (here / "there").mkdir()
    disk_full_at(monkeypatch, name)
    with pytest.raises(ValueError, match="cannot be written: No space left on device"):
        train(config, RunDirectory.create("a", out), quiet=True)
    assert everything(here) == {"there"}


def test_a_run_that_fails_takes_no_other_files_with_it(here: Path) -> None:
    first, second = RunDirectory.create("a"), RunDirectory.create("a")
    assert second.path == Path("runs/a-2")
    (first.path / "notes.txt").touch()
    with pytest.raises(ValueError, match="cannot be made"):
        train(tiny_config(hidden=[10**12]), first, quiet=True)
    assert everything(here) == {"runs", "runs/a", "runs/a/notes.txt", "runs/a-2"}


def test_of_two_runs_that_begin_at_once_the_second_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mkdir = Path.mkdir

    def beaten_to_it(self: Path, *args: Any, **settings: Any) -> None:
        if self == Path("shared"):
            mkdir(self)
            (self / "checkpoints").mkdir()
        mkdir(self, *args, **settings)

    monkeypatch.setattr(Path, "mkdir", beaten_to_it)
    with pytest.raises(ValueError, match="'shared' cannot be made: File exists"):
        RunDirectory.create("a", "shared")
    assert everything(here) == {"shared", "shared/checkpoints"}


def test_a_run_to_resume_is_opened_with_its_own_settings(here: Path) -> None:
    config = tiny_config(seed=11)
    made = begun("a", seed=11)
    made.resume.touch()
    run, read = RunDirectory.open("runs/a")
    assert run.path == made.path
    assert read == config


def test_a_folder_without_a_run_is_refused(here: Path) -> None:
    (here / "empty").mkdir()
    for wrong in ("empty", "absent", "file"):
        (here / "file").touch()
        with pytest.raises(ValueError, match=rf"^'{wrong}' is not a run directory: it has no config.yaml$"):
            RunDirectory.open(wrong)


def test_a_run_without_its_first_checkpoint_has_no_snapshot(here: Path) -> None:
    made = begun("a")
    made.checkpoint_path(0).touch()
    assert not RunDirectory.open("runs/a")[0].has_snapshot
    made.resume.touch()
    assert RunDirectory.open("runs/a")[0].has_snapshot


def test_a_run_that_lost_its_snapshot_is_refused(here: Path) -> None:
    begun("a").checkpoint_path(256).touch()
    with pytest.raises(ValueError, match=r"^run directory 'runs/a' has checkpoints, but no resume.safetensors"):
        RunDirectory.open("runs/a")


def test_a_run_with_damaged_settings_names_file_and_key(here: Path) -> None:
    run = begun("a")
    run.resume.touch()
    run.config.write_text(run.config.read_text().replace("ent_coef: 0.01", "ent_coef: -3"))
    with pytest.raises(ValueError, match=r"^runs/a/config.yaml: ent_coef must be a number >= 0, got -3.0"):
        RunDirectory.open("runs/a")


def test_checkpoints_are_sorted_by_decisions_and_other_files_ignored(here: Path) -> None:
    run = begun("a")
    numbers = [1_000_000_000_000, 0, 50, 999_999_999_999]
    for number in numbers:
        run.checkpoint_path(number).touch()
    for other in ("best.safetensors", ".000000000007.safetensors.99.tmp", "000000000003.txt", "7.safetensors"):
        (run.checkpoints / other).touch()
    assert run.checkpoint_paths() == [run.checkpoint_path(number) for number in sorted(numbers)]
    run.drop_records_after(50)
    assert run.checkpoint_paths() == [run.checkpoint_path(0), run.checkpoint_path(50)]
    assert (run.checkpoints / "best.safetensors").exists()


def evaluation(decisions: int, opponent: str = "random", win_rate: float = 0.5) -> dict[str, Any]:
    numbers = {
        "deals": 10,
        "win_rate": win_rate,
        "low": win_rate - 0.1,
        "high": win_rate + 0.1,
        "margin": -0.25,
        "seconds": 1.5,
    }
    return {"decisions": decisions, "opponent": opponent, **numbers}


def test_evaluations_are_read_back_as_they_were_added(here: Path) -> None:
    run = begun("a")
    assert run.read_evaluations() == []
    first = [evaluation(0), evaluation(0, "checkpoint:a,temperature=1", 0.25)]
    run.add_evaluations(first)
    run.add_evaluations([evaluation(128)])
    assert run.read_evaluations() == [*first, evaluation(128)]
    assert run.evaluations.read_text().splitlines()[0] == ",".join(EVALUATION_COLUMNS)


def test_an_evaluation_replaces_an_earlier_one_of_the_same_decisions(here: Path) -> None:
    run = begun("a")
    run.add_evaluations([evaluation(0), evaluation(0, "greedy")])
    run.add_evaluations([evaluation(128), evaluation(128, "greedy")])
    again = [evaluation(128, win_rate=0.75), evaluation(128, "greedy", 0.5)]
    run.add_evaluations(again)
    assert run.read_evaluations() == [evaluation(0), evaluation(0, "greedy"), *again]


def test_records_after_the_snapshot_are_dropped(here: Path) -> None:
    run = begun("a")
    run.add_evaluations([evaluation(0), evaluation(256), evaluation(512)])
    run.metrics.write_text("decisions,time/fps\n128,9\n256,9\n384,9\n")
    run.drop_records_after(256)
    assert run.read_evaluations() == [evaluation(0), evaluation(256)]
    assert run.metrics.read_text().splitlines() == ["decisions,time/fps", "128,9", "256,9"]


def test_truncated_rows_are_dropped(here: Path) -> None:
    run = begun("a")
    run.add_evaluations([evaluation(0)])
    with run.evaluations.open("a") as file:
        file.write("128,rand")
    run.metrics.write_text("decisions,time/fps\n128,9\n12")
    run.drop_records_after(256)
    assert run.read_evaluations() == [evaluation(0)]
    assert run.metrics.read_text().splitlines() == ["decisions,time/fps", "128,9"]


def test_dropping_records_of_an_empty_run_does_nothing(here: Path) -> None:
    run = begun("a")
    run.drop_records_after(0)
    run.metrics.touch()
    run.drop_records_after(0)
    assert run.metrics.read_text() == ""


def test_a_full_disk_leaves_evaluations_as_they_were(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun("a")
    run.add_evaluations([evaluation(0)])
    before = everything(here)
    disk_full_at(monkeypatch, "evaluations.csv")
    with pytest.raises(OSError, match="No space left"):
        run.add_evaluations([evaluation(128)])
    assert run.read_evaluations() == [evaluation(0)]
    assert everything(here) == before


HEADER = ",".join(EVALUATION_COLUMNS)
ROW = "100,random,10,0.5,0.4,0.6,1.5,2.0"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{HEADER.replace('win_rate,', '')}\n100,random,10,0.4,0.6,1.5,2.0", "line 2 has no win_rate"),
        (f"{HEADER}\n{ROW}\n100,random", "line 3 has no deals"),
        (f"{HEADER}\n{ROW},7", "line 2 is not one of decisions, opponent"),
        (f"{HEADER}\n{ROW.replace('0.5', 'half')}", "could not convert"),
        (f"{HEADER}\n{ROW.replace('0.5', 'nan')}", "line 2 is not one of"),
        (f"{HEADER}\n{ROW.replace('0.5', '1e999')}", "line 2 is not one of"),
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


HOLDING = """
import sys, time
from pathlib import Path
from german_whist.training.run.directory import run_lock
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
    before = {path: path.read_bytes() for path in stopped.path.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match="is in use: another process trains this run"):
        resume_run(stopped.path)
    assert {path: path.read_bytes() for path in stopped.path.rglob("*") if path.is_file()} == before
    os.kill(holder.pid, signal.SIGKILL)  # the lock of a killed process does not stay
    holder.wait()
    holder.stdout.close()
    assert resume_run(stopped.path).decisions == 1024
    assert not list(stopped.path.glob(".*"))


def test_a_run_is_resumed_without_its_tensorboard_folder(stopped: RunDirectory) -> None:
    shutil.rmtree(stopped.tensorboard)
    assert resume_run(stopped.path).decisions == 1024
    assert list(stopped.tensorboard.iterdir())


def test_a_run_in_training_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def resume() -> None:
        with pytest.raises(ValueError, match="is in use"):
            resume_run(tmp_path / "run")
        seen.append(True)

    call_at(monkeypatch, 300, resume)
    assert train_small(tmp_path / "run").decisions == 1024
    assert seen


def test_a_lock_that_is_released_can_be_held_again(tmp_path: Path) -> None:
    for _ in range(2):
        with run_lock(tmp_path):
            assert list(tmp_path.iterdir())
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", NO_LOCKS)
def test_a_file_system_without_locks_is_noted_and_no_more(
    stopped: RunDirectory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: str
) -> None:
    (stopped.path / ".lock").write_text("12345\nanother-node\n")  # of a run that was killed on another machine
    without_locks(monkeypatch, error)
    assert resume_run(stopped.path).decisions == 1024
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"german-whist: {stopped.path}: this file system has no locks")
