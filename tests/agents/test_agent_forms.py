"""An agent may be ``act(views, rng)`` or ``act(observations, action_masks)``; its parameters' names tell which."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import german_whist as gw
from german_whist.agents.base import as_agent
from tests.players import LowestByMask


@pytest.mark.parametrize("rules", ["classic", "draft", "humbug"])
def test_observations_form(rules: str) -> None:
    batch, bot = gw.DealBatch(rules, size=20, seed=3), LowestByMask()
    actions = as_agent(bot, gw.rules(rules)).act(batch.views(), None)
    ((observations, masks),) = bot.seen
    assert np.array_equal(observations, batch.observe())
    assert observations.dtype == np.int8
    assert np.array_equal(masks, batch.action_mask() == 1)
    assert masks.dtype == np.bool_
    assert np.array_equal(masks, gw.action_mask(batch.views(), rules))
    assert np.array_equal(actions, batch.action_mask().argmax(axis=1))


def test_observations_form_everywhere() -> None:
    game = gymnasium.make("german_whist:GermanWhist-v0", opponent=LowestByMask(), rules="draft")
    _, info = game.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = game.step(int(info["action_mask"].argmax()))
    assert gw.play_match(gw.with_exact_endgame(LowestByMask()), "random", deals=5).deals == 5


def test_agent_names_its_rules() -> None:
    class Small(LowestByMask):
        rules = "small"

    assert as_agent(Small()).rules == gw.rules("small")
    assert gw.play_match(Small(), "random", deals=2, rules="small").deals == 2
    with pytest.raises(ValueError, match=r"small.*classic"):
        gw.play_match(Small(), "random", deals=2)


def test_policy_of_observations() -> None:
    class Uniform:
        def act(self, observations: Any, action_masks: Any) -> Any:
            return action_masks.argmax(axis=1)

        def policy(self, observations: Any, action_masks: Any) -> Any:
            return action_masks / action_masks.sum(axis=1, keepdims=True)

    rules = "tiny:ranks=3,stock=2"
    ours, random = (gw.exploitability(agent, rules) for agent in (Uniform(), "random"))
    assert ours.nash_conv == pytest.approx(random.nash_conv)


def test_canonical_agent() -> None:
    class Canonical(LowestByMask):
        canonical = True

        def policy(self, observations: Any, action_masks: Any) -> Any:
            return np.eye(action_masks.shape[1])[action_masks.argmax(axis=1)]

    views, bot = gw.DealBatch("classic", size=200, seed=4).views(), Canonical()
    agent = as_agent(bot)
    actions, chances = agent.act(views, None), agent.policy(views)
    canonical, relabeling = gw.canonical_views(views)
    (seen,) = bot.seen
    assert np.array_equal(seen[0], gw.observe(canonical))
    assert np.array_equal(seen[1], gw.action_mask(canonical))
    assert np.array_equal(actions, gw.decode_actions(seen[1].argmax(axis=1), relabeling))
    assert gw.action_mask(views)[np.arange(200), actions].all()
    assert chances is not None
    assert np.array_equal(chances.argmax(axis=1), actions)


def test_network_attribute_is_no_policy() -> None:
    class Net:
        def __call__(self, inputs: Any) -> Any:
            return inputs

    class Module(LowestByMask):
        def __init__(self) -> None:
            super().__init__()
            self.policy = Net()  # as in a torch module

    assert as_agent(Module()).policy(gw.DealBatch(size=2).views()) is None


def test_other_parameters() -> None:
    class Other:
        def act(self, obs: Any, mask: Any) -> Any:
            return mask.argmax(axis=1)

    class Swapped:
        def act(self, action_masks: Any, observations: Any) -> Any:
            return action_masks.argmax(axis=1)

    for agent in (Other(), Swapped()):
        with pytest.raises(ValueError, match="name the parameters observations, action_masks"):
            gw.play_match(agent, "random", deals=1)
