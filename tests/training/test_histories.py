"""Opponents that use event histories are given them in training as in matches, also after a run is resumed."""

from __future__ import annotations

import pytest

from tests.players import ReadsHistory
from tests.training.policy_iteration_runs import collector_of, play_rollout, small_config, some_policy

AGAINST_READER = {"self": 0.5, "random": 0.5}  # a reader of histories in the place of random


@pytest.mark.parametrize("game", ["tiny", "small", "draft", "open_stock"])
def test_rollouts_keep_histories(game: str) -> None:
    config = small_config(rules=game, opponents=AGAINST_READER, num_steps=80)  # more than a deal of draft has
    agent = ReadsHistory()
    collector = collector_of(config, {"random": lambda _: agent}, history=True)
    made = play_rollout(collector, some_policy(config, collector).policy)
    assert agent.decisions == int((~made.learner_mask).sum()) > 0
    assert bool(made.ends.any())
