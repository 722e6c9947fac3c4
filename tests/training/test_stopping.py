"""Runs that are stopped or killed, and go on."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training.progress import FINAL_EVALUATION, FIRST_EVALUATION, FIRST_ROLLOUT
from german_whist.training.records import TrainingOutcome
from german_whist.training.run import RunDirectory
from german_whist.training.train import train
from tests.training.policy_iteration_runs import ROLLOUT
from tests.training.policy_iteration_runs import train_small as begin
from tests.training.whole_runs import call_at, column, evaluated, interrupt, interrupt_in, resume_run


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_stopped_by_a_signal_resumes_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    call_at(monkeypatch, 600, lambda: interrupt(number))
    stopped = begin(tmp_path / "run")
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert stopped.interrupted
    assert stopped.decisions == 640  # the rollout was finished when it came
    assert not stopped.run.final.exists()
    done = resume_run(tmp_path / "run")
    assert not done.interrupted
    assert done.decisions == 1024
    assert evaluated(done.run) == [0, 512, 1024]
    assert column(done.run.metrics, "decisions") == list(range(ROLLOUT, 1025, ROLLOUT))
    assert [int(path.stem) for path in done.run.checkpoint_paths()] == [0, 256, 512, 768, 1024]
    assert load_checkpoint(done.run.final).training["decisions"] == 1024


def test_a_run_stopped_in_its_first_rollout_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        interrupt_in(patch, FIRST_ROLLOUT)
        stopped = begin(tmp_path / "run")
    assert stopped.interrupted
    assert stopped.decisions == 0
    done = resume_run(tmp_path / "run")
    assert evaluated(done.run) == [0, 512, 1024]


def test_a_second_interrupt_does_not_wait_and_the_last_checkpoint_is_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice() -> None:
        interrupt()
        interrupt()

    call_at(monkeypatch, 700, twice)
    with pytest.raises(KeyboardInterrupt):
        begin(tmp_path / "run")
    assert resume_run(tmp_path / "run").decisions == 1024


@pytest.mark.parametrize(
    ("phase", "decisions", "recorded"),
    [(FIRST_EVALUATION, 0, []), (FINAL_EVALUATION, 1024, [0, 512])],
)
def test_a_run_stopped_in_an_evaluation_gives_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str, decisions: int, recorded: list[int]
) -> None:
    with monkeypatch.context() as patch:
        interrupt_in(patch, phase)
        stopped = begin(tmp_path / "run")
    assert (stopped.interrupted, stopped.decisions, evaluated(stopped.run)) == (True, decisions, recorded)
    assert evaluated(resume_run(tmp_path / "run").run) == [0, 512, 1024]


def test_a_killed_run_resumes_from_its_last_checkpoint(
    finished: TrainingOutcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A run killed after 896 decisions has saved at 512; later records are replaced.
    def kill() -> None:
        raise RuntimeError("killed")

    call_at(monkeypatch, 896, kill)
    with pytest.raises(RuntimeError, match="killed"):
        begin(tmp_path / "run", evaluate_every=256)
    run = RunDirectory(tmp_path / "run")
    assert evaluated(run) == [0, 256, 512, 768]
    with run.metrics.open("a") as file:
        file.write("89")
    done = resume_run(tmp_path / "run")
    assert evaluated(done.run) == [0, 256, 512, 768, 1024]
    assert column(done.run.metrics, "decisions") == list(range(ROLLOUT, 1025, ROLLOUT))


def test_resuming_a_finished_run_says_so_and_changes_nothing(
    finished: TrainingOutcome, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything(finished.run.path)
    run, config = RunDirectory.open(finished.run.path)
    again = train(config, run, resume=True)
    assert (again.decisions, again.results) == (finished.decisions, finished.results)
    assert capsys.readouterr().err == f"finished, after 1,024 decisions: {run.path}\n"
    assert everything(finished.run.path) == before


def test_a_longer_run_may_follow_a_finished_one(finished: TrainingOutcome, tmp_path: Path) -> None:
    shutil.copytree(finished.run.path, tmp_path / "run")
    done = resume_run(tmp_path / "run", decisions="1500")
    assert done.decisions == 1024 + 4 * ROLLOUT
    assert max(evaluated(done.run)) == done.decisions
