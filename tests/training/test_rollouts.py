"""What the collector records is what every seat saw and did, and how its deals ended."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from german_whist.agents.base import Agent
from german_whist.agents.registry import make_agent
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.observation.canonical import canonical_views, decode_actions
from german_whist.simulator.observation.vector import observe
from german_whist.training.policy_iteration.collector import Collector, Rollout, first_training_deal
from tests.training.policy_iteration_runs import collector_of, play_rollout, small_config, some_policy

FIRST = first_training_deal(0)
GAMES = ["tiny", "small", "draft", "open_stock", "high_low"]


def collected(makers: Any = None, **changes: Any) -> tuple[Collector, Rollout]:
    config = small_config(**changes)
    collector = collector_of(config, makers)
    return collector, play_rollout(collector, some_policy(config, collector).policy)


@pytest.mark.parametrize("game", GAMES)
def test_rollout_matches_deals(game: str) -> None:
    collector, made = collected(rules=game, num_envs=6, num_steps=70, seed=4)
    batch = DealBatch(game, 6, 4, FIRST, endgame="exact")
    next_deal = FIRST + 6
    for step in range(70):
        views, relabeling = canonical_views(batch.views(), "live")
        observations = collector.features(made.views_at(step)).numpy()
        np.testing.assert_array_equal(observations, observe(views, game))
        bits = views["legal"][:, None] >> np.arange(batch.num_actions, dtype=np.uint64) & np.uint64(1)
        np.testing.assert_array_equal(made.masks[step].numpy(), bits == 1)
        np.testing.assert_array_equal(made.seats[step].numpy(), batch.turn)
        batch.step(decode_actions(made.actions[step].numpy(), relabeling))
        np.testing.assert_array_equal(made.ends[step].numpy(), batch.done)
        finished = np.flatnonzero(batch.done)
        batch.deal_rows(finished, np.arange(next_deal, next_deal + len(finished), dtype=np.uint64))
        next_deal += len(finished)
    assert bool(made.ends.any())


@pytest.mark.parametrize("game", ["small", "high_low", "all", "race"])
def test_rollout_margins_are_those_of_the_deals(game: str) -> None:
    config = small_config(rules=game, num_envs=3, num_steps=60)
    collector = collector_of(config, solves=True)
    made = play_rollout(collector, some_policy(config, collector).policy)
    batch = DealBatch(game, 3, 0, FIRST, endgame="exact")
    for step in range(60):
        _, relabeling = canonical_views(batch.views(), "live")
        batch.step(decode_actions(made.actions[step].numpy(), relabeling))
        finished = np.flatnonzero(batch.done)
        if len(finished):
            np.testing.assert_array_equal(made.margins[step].numpy()[finished], batch.returns("margin")[finished, 0])
            break
        assert not made.margins[step].any()
    assert batch.done.any()


def test_actions_follow_policy() -> None:
    config = small_config(num_envs=4000, num_steps=4, rules="small")
    collector = collector_of(config)
    ppo = some_policy(config, collector)
    made = play_rollout(collector, ppo.policy)
    for step in range(4):
        logits = ppo.policy(collector.features(made.views_at(step)))
        logits = logits.masked_fill(~made.masks[step], -torch.inf)
        chances = torch.softmax(logits, 1)
        chosen = torch.nn.functional.one_hot(made.actions[step], chances.shape[1])
        deviation = (chances * (1 - chances)).sum(0).sqrt()
        assert bool(((chosen - chances).sum(0).abs() <= 5 * deviation + 1e-3).all())


class Watched:
    """Plays like another agent and remembers what it did."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._agent: Agent = make_agent(name)
        self.calls: list[np.ndarray] = []

    def act(self, decisions: Decisions) -> Any:
        actions = np.asarray(self._agent.act(decisions))
        self.calls.append(actions)
        return actions


def test_opponents_are_masked() -> None:
    opponent = Watched("random")
    shares = {"self": 0.5, "random": 0.5}
    _, made = collected({"random": lambda rollout: opponent}, num_envs=8, num_steps=64, opponents=shares, rules="small")
    assert bool(made.learner_mask[:, :4].all())
    others = made.learner_mask[:, 4:].numpy()
    assert sum(map(len, opponent.calls)) == (~others).sum()
    seats, ends = made.seats[:, 4:].numpy(), made.ends[:, 4:].numpy()
    for row in range(4):
        stops = [0, *(np.flatnonzero(ends[:, row]) + 1), 64]
        held = [set(seats[a:b, row][others[a:b, row]]) for a, b in itertools.pairwise(stops) if b - a > 6]
        assert all(len(seat) == 1 for seat in held)
        # The deal's first leader is the non-dealer: dealer and non-dealer in turn.
        leads = [bool(others[a, row]) for a, b in itertools.pairwise(stops) if b - a > 6]
        assert all(one != next_ for one, next_ in itertools.pairwise(leads))
