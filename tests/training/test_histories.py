"""Opponents that use event histories are given them in training as in matches, also after a run is resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training import train as policy_iteration
from german_whist.training.run import read_snapshot
from tests.evaluation.test_games_asked_for import ReadsHistory
from tests.training.policy_iteration_runs import collector_of, play_rollout, small_config, some_policy, train_small
from tests.training.whole_runs import at, interrupt, resume_run

AGAINST_READER = {"self": 0.5, "random": 0.5}  # a reader of histories in the place of random


@pytest.mark.parametrize("game", ["tiny", "small", "draft", "open_stock"])
def test_histories_in_rollouts(game: str) -> None:
    config = small_config(rules=game, opponents=AGAINST_READER, num_steps=80)  # more than a deal of draft has
    agent = ReadsHistory()
    collector = collector_of(config, {"random": lambda _: agent}, history=True)
    made = play_rollout(collector, some_policy(config, collector).policy)
    assert agent.decisions == int((~made.learner_mask).sum()) > 0
    assert bool(made.ends.any())


SHORT = {
    "opponents": {"random": 1.0},
    "decisions": 512,
    "evaluate_deals": 2,
    "final_deals": 2,
    "checkpoint_every": 10**6,
}


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> ReadsHistory:
    """A reader of histories that runs get when they name random."""
    agent = ReadsHistory()
    monkeypatch.setattr(policy_iteration, "make_agent", lambda name, rules: agent)
    return agent


@pytest.mark.usefixtures("reader")
def test_resume_with_histories(tmp_path: Path) -> None:
    whole = train_small(tmp_path / "whole", **SHORT, num_steps=5)
    stopped = train_small(tmp_path / "stopped", callback=at(200, interrupt), **SHORT, num_steps=5)
    assert stopped.interrupted
    _, saved = read_snapshot(stopped.run.snapshot)
    assert bool(saved["deals.0.0.log_counts"].any())  # the middle of deals
    done = resume_run(tmp_path / "stopped")
    assert done.run.read_evaluations()[-1]["win_rate"] == whole.run.read_evaluations()[-1]["win_rate"]
    one, other = (load_checkpoint(run.run.final).layers for run in (whole, done))
    assert [weight.tolist() for layer in one for weight in layer] == [
        weight.tolist() for layer in other for weight in layer
    ]
