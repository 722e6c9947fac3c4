"""Whole runs of our own trainer: what they leave behind, stopped, killed and gone on with."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.agents.registry import make_agent
from german_whist.arena.match import play_match
from german_whist.training.config.load import load_config
from german_whist.training.ppo.learner import PPOLearner
from german_whist.training.ppo.ppo import PPO
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.evaluation import EVALUATION_SEED
from german_whist.training.run.progress import FINAL_EVALUATION, FIRST_EVALUATION, FIRST_ROLLOUT
from german_whist.training.run.session import TrainingOutcome
from tests.training.ppo_runs import ROLLOUT, begin_own, own_config
from tests.training.whole_runs import call_at, column, evaluated, interrupt, interrupt_in, resume_run

WITH_POOL = {"opponents": {"self": 0.5, "pool": 0.25, "greedy": 0.25}, "magnet": 0.1, "num_steps": 13, "pool_size": 2}


@pytest.fixture(scope="module")
def finished_own(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    """A run that nobody may change."""
    return begin_own(tmp_path_factory.mktemp("own") / "run")


@pytest.fixture(scope="module")
def never_stopped(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    """A run with everything that a run can depend on."""
    return begin_own(tmp_path_factory.mktemp("never") / "run", **WITH_POOL)


def contents(path: Path) -> dict[str, np.ndarray]:
    with safe_open(str(path), framework="numpy") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping


def assert_same_end(outcome: TrainingOutcome, expected: TrainingOutcome) -> None:
    """Bit for bit the same networks, moments, deals, past selves and evaluations."""
    assert outcome.decisions == expected.decisions
    for name in ("final", "resume"):
        ours, theirs = contents(getattr(outcome.run, name)), contents(getattr(expected.run, name))
        assert ours.keys() == theirs.keys()
        for key, tensor in theirs.items():
            np.testing.assert_array_equal(ours[key], tensor, err_msg=f"{name} {key}")
    assert [path.name for path in outcome.run.checkpoint_paths()] == [
        path.name for path in expected.run.checkpoint_paths()
    ]
    assert outcome.results == expected.results
    for made, wanted in zip(outcome.run.read_evaluations(), expected.run.read_evaluations(), strict=True):
        assert {**made, "seconds": 0} == {**wanted, "seconds": 0}
    assert column(outcome.run.metrics, "losses/loss") == column(expected.run.metrics, "losses/loss")


def test_both_trainers_write_the_same_files(finished_own: TrainingOutcome) -> None:
    run = finished_own.run
    assert {path.name for path in run.path.iterdir()} == {
        *("config.yaml", "version.json", "metrics.csv", "evaluations.csv", "curve.png"),
        *("checkpoints", "tensorboard", "final.safetensors", "resume.safetensors"),
    }
    assert load_config(run.config) == own_config()
    assert evaluated(run) == [0, 512, 1024]
    assert [int(path.stem) for path in run.checkpoint_paths()] == [0, 256, 512, 768, 1024]
    assert finished_own.decisions == load_checkpoint(run.final).training["decisions"] == 1024
    assert load_checkpoint(run.final).endgame == "played"


def test_metrics_have_their_usual_names_and_a_row_for_every_update(finished_own: TrainingOutcome) -> None:
    with finished_own.run.metrics.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["global_step", *PPOLearner.METRICS]
    assert [int(row["global_step"]) for row in rows] == list(range(ROLLOUT, 1025, ROLLOUT))
    assert all(np.isfinite(float(cell)) for row in rows for cell in row.values())
    assert all(float(row["charts/SPS"]) > 0 for row in rows)
    board = EventAccumulator(str(finished_own.run.tensorboard))
    board.Reload()
    assert {"charts/SPS", "losses/approx_kl", "evaluation/win_rate_random"} <= set(board.Tags()["scalars"])
    assert [event.step for event in board.Scalars("losses/approx_kl")] == list(range(ROLLOUT, 1025, ROLLOUT))


def test_seconds_of_training_rise_and_leave_evaluations_out(finished_own: TrainingOutcome) -> None:
    seconds = [row["seconds"] for row in finished_own.run.read_evaluations()]
    assert seconds[0] == 0
    assert seconds == sorted(seconds)
    assert seconds[-1] == pytest.approx(column(finished_own.run.metrics, "charts/seconds")[-1], abs=0.01)


def test_a_checkpoint_holds_the_actor_alone_and_plays_what_was_evaluated(finished_own: TrainingOutcome) -> None:
    names = set(contents(finished_own.run.final))
    assert names == {"layer.0.weight", "layer.0.bias", "layer.1.weight", "layer.1.bias"}
    agent = make_agent(f"checkpoint:{finished_own.run.final}")
    again = play_match(agent, make_agent("random"), deals=20, seed=EVALUATION_SEED, rules="tiny")
    assert again.win_rate == finished_own.results[0].win_rate


def test_past_selves_bots_and_every_reward_can_be_trained_with(never_stopped: TrainingOutcome) -> None:
    assert never_stopped.decisions >= 1024
    assert len(never_stopped.run.checkpoint_paths()) >= 4


DYING_AT_A_SNAPSHOT = """
write = Path.write_bytes
def dying(self, content):
    if "resume" in self.name and len(list(Path("run/checkpoints").glob("*.safetensors"))) == {checkpoints}:
        write(self, content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    return write(self, content)
Path.write_bytes = dying
"""
KILLED_WHILE = {
    # at the fifth minibatch of the fourth update
    "learning": """
from german_whist.training.ppo.ppo import PPO
step, steps = PPO._step, []
def dying(self, loss, decisions, rate):
    steps.append(1)
    if self.updates == 5 and len(steps) > 2:
        os.kill(os.getpid(), signal.SIGKILL)
    step(self, loss, decisions, rate)
PPO._step = dying
""",
    # with half of the snapshot written that belongs to a checkpoint which is there already, the first or a later one
    "beginning": DYING_AT_A_SNAPSHOT.format(checkpoints=1),
    "saving": DYING_AT_A_SNAPSHOT.format(checkpoints=5),
}


def kill(folder: Path, moment: str, words: list[str]) -> None:
    """Run the command in a process of its own, which is killed at a moment."""
    code = (
        f"import os, signal, sys\nfrom pathlib import Path\n{KILLED_WHILE[moment]}\nfrom german_whist.cli import main\n"
    )
    command = [sys.executable, "-c", f"{code}sys.exit(main({words!r}))"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_a_run_killed_repeatedly_ends_with_the_weights_of_an_uninterrupted_one(
    never_stopped: TrainingOutcome, tmp_path: Path
) -> None:
    (tmp_path / "mine.yaml").write_text(never_stopped.run.config.read_text())
    kill(tmp_path, "beginning", ["train", "mine.yaml", "--out", "run", "--quiet"])
    kill(tmp_path, "learning", ["train", "--resume", "run", "--quiet"])
    assert not (tmp_path / "run" / "final.safetensors").exists()
    kill(tmp_path, "saving", ["train", "--resume", "run", "--quiet"])
    half_written = list((tmp_path / "run").glob(".resume*"))
    done = resume_run(tmp_path / "run")
    assert_same_end(done, never_stopped)
    assert half_written
    assert not list((tmp_path / "run").rglob(".*"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_stopped_by_a_signal_resumes_exactly(
    never_stopped: TrainingOutcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    call_at(monkeypatch, 300, lambda: interrupt(number))
    stopped = begin_own(tmp_path / "run", **WITH_POOL)
    assert stopped.interrupted
    assert 300 <= stopped.decisions < 512
    assert_same_end(resume_run(tmp_path / "run"), never_stopped)


@pytest.mark.parametrize(
    ("phase", "decisions"), [(FIRST_EVALUATION, 0), (FIRST_ROLLOUT, 0), ("evaluation", 512), (FINAL_EVALUATION, 1024)]
)
def test_a_run_stopped_in_an_evaluation_or_a_rollout_gives_it_up_and_resumes_exactly(
    never_stopped: TrainingOutcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str, decisions: int
) -> None:
    interrupt_in(monkeypatch, phase)
    stopped = begin_own(tmp_path / "run", **WITH_POOL)
    assert stopped.interrupted
    assert decisions <= stopped.decisions < decisions + ROLLOUT
    assert max(evaluated(stopped.run), default=-1) < decisions or phase == FIRST_ROLLOUT
    monkeypatch.undo()
    assert_same_end(resume_run(tmp_path / "run"), never_stopped)


def test_a_run_stopped_in_the_middle_of_a_rollout_drops_it_and_resumes_exactly(
    never_stopped: TrainingOutcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, steps = PPO.policy, WITH_POOL["num_steps"]
    calls: list[int] = []

    def watched(self: PPO, features: torch.Tensor) -> torch.Tensor:
        calls.append(self.updates)
        if calls.count(3) == steps // 2 and self.updates == 3:
            interrupt()
        return policy(self, features)

    monkeypatch.setattr(PPO, "policy", watched)
    stopped = begin_own(tmp_path / "run", **WITH_POOL)
    assert calls.count(3) == steps // 2
    assert column(stopped.run.metrics, "global_step")[-1] == stopped.decisions
    assert len(column(stopped.run.metrics, "global_step")) == 3
    monkeypatch.undo()
    assert_same_end(resume_run(tmp_path / "run"), never_stopped)


def test_resuming_a_finished_run_changes_nothing(finished_own: TrainingOutcome, tmp_path: Path) -> None:
    shutil.copytree(finished_own.run.path, tmp_path / "run")
    assert_same_end(resume_run(tmp_path / "run"), finished_own)


def test_a_longer_run_may_follow_a_finished_one(finished_own: TrainingOutcome, tmp_path: Path) -> None:
    shutil.copytree(finished_own.run.path, tmp_path / "run")
    assert resume_run(tmp_path / "run", decisions="1500").decisions == 1536


def test_a_run_may_start_from_a_network(finished_own: TrainingOutcome, tmp_path: Path) -> None:
    start = load_checkpoint(finished_own.run.final).layers
    done = begin_own(tmp_path / "run", init=str(finished_own.run.final), decisions=256, critic_warmup=200)
    for (weight, bias), (wanted, wanted_bias) in zip(
        load_checkpoint(done.run.checkpoint_paths()[0]).layers, start, strict=True
    ):
        np.testing.assert_allclose(weight, wanted, rtol=1e-6, atol=1e-8)
        np.testing.assert_array_equal(bias, wanted_bias)
    # Two updates of 128 decisions begin below 200: the critic alone has learnt.
    np.testing.assert_allclose(load_checkpoint(done.run.final).layers[0][0], start[0][0], rtol=1e-6, atol=1e-8)


def test_a_run_resumes_without_its_init_network(
    finished_own: TrainingOutcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = tmp_path / "start.safetensors"
    shutil.copy(finished_own.run.final, start)
    whole = begin_own(tmp_path / "whole", init=str(start))
    call_at(monkeypatch, 300, lambda: interrupt(signal.SIGINT))
    assert begin_own(tmp_path / "run", init=str(start)).interrupted
    monkeypatch.undo()
    start.unlink()
    assert_same_end(resume_run(tmp_path / "run"), whole)


def test_a_network_that_is_not_there_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^init: checkpoint 'gone': there is no such file$"):
        begin_own(tmp_path / "run", init="gone")
    assert list(tmp_path.iterdir()) == []


def test_a_network_of_other_sizes_is_refused_and_nothing_is_left(finished_own: TrainingOutcome, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"has hidden layers \[16\] of 443 features, not \[8\]: set hidden$"):
        begin_own(tmp_path / "run", init=str(finished_own.run.final), hidden=[8])
    assert list(tmp_path.iterdir()) == []


def test_the_same_seed_makes_the_same_agent_and_another_another(finished_own: TrainingOutcome, tmp_path: Path) -> None:
    assert_same_end(begin_own(tmp_path / "same"), finished_own)
    other = begin_own(tmp_path / "other", seed=1)
    assert (contents(other.run.final)["layer.0.weight"] != contents(finished_own.run.final)["layer.0.weight"]).any()


@pytest.mark.parametrize(("part", "reason"), [("cut", "."), ("foreign", "it is not a german-whist-snapshot")])
def test_a_damaged_snapshot_is_refused_in_one_line(
    finished_own: TrainingOutcome, tmp_path: Path, part: str, reason: str
) -> None:
    shutil.copytree(finished_own.run.path, tmp_path / "run")
    path = tmp_path / "run" / "resume.safetensors"
    path.write_bytes(path.read_bytes()[:500] if part == "cut" else finished_own.run.final.read_bytes())
    with pytest.raises(ValueError, match=rf"^'{path}' cannot be resumed: {reason}") as caught:
        resume_run(tmp_path / "run")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change", ["hidden:\n- 16/hidden:\n- 8", "num_envs: 8/num_envs: 16"])
def test_a_snapshot_of_other_settings_is_refused(finished_own: TrainingOutcome, tmp_path: Path, change: str) -> None:
    shutil.copytree(finished_own.run.path, tmp_path / "run")
    config = tmp_path / "run" / "config.yaml"
    old, new = change.split("/")
    assert old in config.read_text()
    config.write_text(config.read_text().replace(old, new))
    with pytest.raises(ValueError, match="cannot be resumed: "):
        resume_run(tmp_path / "run")


def test_a_pool_whose_files_are_gone_is_missed(never_stopped: TrainingOutcome, tmp_path: Path) -> None:
    shutil.copytree(never_stopped.run.path, tmp_path / "run")
    for path in RunDirectory(tmp_path / "run").checkpoint_paths():
        os.unlink(path)
    with pytest.raises(ValueError, match=r"checkpoint \d{12}\.safetensors is missing"):
        resume_run(tmp_path / "run")


def test_deals_with_solved_endgames_are_trained_on_and_evaluated_with_exact_ones(tmp_path: Path) -> None:
    outcome = begin_own(tmp_path / "run", endgame="exact")
    assert outcome.decisions >= 1024
    assert {result.endgame for result in outcome.results} == {"exact"}
    for path in (outcome.run.final, *outcome.run.checkpoint_paths()):
        assert load_checkpoint(path).endgame == "exact"  # so that it solves endgames by itself when it is played
