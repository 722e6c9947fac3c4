"""Targets of every action, bootstrapped from the value at the next decisions of the same seat."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from german_whist.agents.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.network.forward import PackedNetwork, forward
from german_whist.agents.policy.network.layers import Layer
from german_whist.agents.registry import make_agent
from german_whist.game.cards import cards_of
from german_whist.game.rules import rules as game_of
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.vector import observation_high
from german_whist.training.policy_iteration.collector import Collector, Network
from german_whist.training.policy_iteration.lookahead_kernels import count_rotations, write_rotation
from tests.training.known_targets import Targets, by_looking_ahead
from tests.training.policy_iteration_runs import small_config

HEURISTIC = make_agent("heuristic")
OPPONENTS = {"heuristic": lambda _: HEURISTIC}


def random_layers(rules: str, outputs: int, seed: int) -> tuple[Layer, ...]:
    features = observation_high(rules).size
    rng = np.random.default_rng(seed)
    weight, bias, last_weight, last_bias = (
        rng.normal(0, 0.3, shape).astype(np.float32) for shape in [(24, features), (24,), (outputs, 24), (outputs,)]
    )
    return (weight, bias), (last_weight, last_bias)


def some_policy(rules: str) -> PolicyAgent:
    layers = random_layers(rules, DealBatch(rules, 1).num_actions, 1)
    return PolicyAgent(Checkpoint(layers, game_of(rules), ranks="live"))


def network_of(layers: tuple[Layer, ...]) -> Network:
    network = PackedNetwork.create(layers)
    return lambda features: torch.from_numpy(forward(network, features.numpy()))


def some_networks(rules: str) -> dict[str, Network]:
    return {
        "reply": network_of(some_policy(rules).checkpoint.layers),
        "value": network_of(random_layers(rules, 1, 2)),
    }


def lowest_of_its_run(collector: Collector, row: int) -> dict[int, int]:
    """For each action of a row the lowest with no card in play between them, which is tried in its place."""
    view = collector.batch.views([row])[0]
    led = 1 << int(view["led"]) if view["led"] >= 0 else 0
    in_play = led | int(view["hand"] | view["unseen"] | view["opponent_known"] | view["face_up"])
    actions = list(cards_of(int(collector.batch.legal()[row])))
    lowest = {}
    for action, below in zip(actions, [-1, *actions], strict=False):
        between = [card for card in cards_of(in_play) if below < card < action]
        alone = below // 13 != action // 13 or action >= 52 or view["choice"] or between
        lowest[action] = action if alone else lowest[below]
    return lowest


@pytest.mark.parametrize("lookahead", [1, 2, 5])
@pytest.mark.parametrize("rules", ["classic", "small", "draft", "open_stock", "high_low"])
def test_targets_bootstrap_from_the_value_network(rules, lookahead):
    policy, value = some_policy(rules), PackedNetwork.create(random_layers(rules, 1, 2))
    settings = small_config(rules=rules, num_envs=24, num_steps=7, opponents={"self": 0.5, "heuristic": 0.5})
    computed = Targets(settings, OPPONENTS, **some_networks(rules), lookahead=lookahead)
    computed.collect()
    targets, collector = computed.now(), computed.collector
    tried = 0
    for row in range(24):
        seat = int(collector.batch.turn[row])
        bots: list[Agent] = [policy, policy]
        if row >= 12:
            bots[1 - seat] = HEURISTIC
        expected = by_looking_ahead(collector, row, bots, value, lookahead)
        if len(expected) == 1:
            continue
        stand_for = lowest_of_its_run(collector, row)
        for action in expected:
            assert targets[row, action] == pytest.approx(expected[stand_for[action]], abs=1e-4)
            tried += 1
    assert tried > 40


@pytest.mark.parametrize(("rules", "steps", "fewest"), [("classic", 9, 4), ("classic", 23, 3), ("draft", 34, 3)])
def test_targets_are_means_over_rotations(rules, steps, fewest):
    settings = small_config(rules=rules, num_envs=24, num_steps=steps)
    many, one = (Targets(settings.replace(stock_rotations=rotations), **some_networks(rules)) for rotations in (4, 1))
    many.collect()
    batch = many.collector.batch
    game, states = batch.rules.record, batch.states
    counts = [count_rotations(game[0], state, 4) for state in states]
    expected = np.zeros((24, batch.num_actions))
    for rotation in range(4):
        for row in range(24):
            one.collector.batch.states[row] = states[row]
            rotated = one.collector.batch.states[row]
            write_rotation(game[0], states[row], min(rotation, counts[row] - 1), counts[row], rotated)
        targets = one.now()
        for row in range(24):
            expected[row] += targets[row] / counts[row] if rotation < counts[row] else 0
    assert min(counts) == fewest
    np.testing.assert_allclose(many.now(), expected, atol=1e-4)
    assert np.abs(expected - targets).max() > 0.1


def test_returns_bootstrap():
    settings = small_config(rules="classic", num_envs=64, num_steps=26, value_lambda=1.0)
    targets = Targets(settings, **some_networks("classic"))
    likes = torch.linspace(0, 1e-3, 52)
    targets.collect(lambda features: likes.expand(len(features), 52))
    made, found = targets.collector.rollout, targets.made
    best = (made.masks * (1 + likes)).argmax(2)
    q_target = found.q_targets.gather(2, best[:, :, None])[:, :, 0]
    assert made.ends[25].all()
    for row in range(64):
        for seat in (0, 1):
            steps = [int(step) for step in torch.nonzero(found.mask[:, row] & (made.seats[:, row] == seat))[:, 0]]
            for step, after in zip(steps, [*steps[1:], None], strict=True):
                played = made.actions[step, row] == best[step, row]
                expected = found.returns[after, row] if played and after is not None else q_target[step, row]
                assert found.returns[step, row] == expected
