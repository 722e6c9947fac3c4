"""Targets of every action: from rollouts of the heuristic bot, then bootstrapped from the learner's own networks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from german_whist.agents.bots.base import Agent
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.canonical import canonical_views
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.network.layers import Layer
from german_whist.agents.policy.network.mlp_forward import MLPForward
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import rules as game_of
from german_whist.envs.observation.vector import observation_high, observe
from german_whist.envs.simulator.batch import DealBatch
from german_whist.training.policy_iteration.collector import ActionValueCollector
from german_whist.training.policy_iteration.stock_rotation_kernels import count_rotations, write_rotation
from tests.training.policy_iteration.known_targets import (
    by_playing_on,
    collector_of,
    config,
    play_at_random,
    targets_now,
)

HEURISTIC = make_agent("heuristic")
OPPONENTS = {"heuristic": lambda _: HEURISTIC}


def random_layers(rules: str, outputs: int, seed: int) -> tuple[Layer, ...]:
    features = observation_high(rules).size
    rng = np.random.default_rng(seed)
    weight, bias, last_weight, last_bias = (
        rng.normal(0, 0.3, shape).astype(np.float32) for shape in [(24, features), (24,), (outputs, 24), (outputs,)]
    )
    return (weight, bias), (last_weight, last_bias)


def some_policy(rules: str, ranks: str = "live") -> PolicyAgent:
    layers = random_layers(rules, DealBatch(rules, 1).num_actions, 1)
    return PolicyAgent(Checkpoint(layers, game_of(rules), ranks=ranks))


def outputs_of(network: MLPForward, features: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(network.logits(features.numpy()))


def lowest_of_its_run(collector: ActionValueCollector, row: int) -> dict[int, int]:
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


@pytest.mark.parametrize("rules", ["classic", "all", "no_trump", "small", "high_low", "open_stock", "draft", "tiny"])
def test_the_first_targets_are_rollouts_of_the_heuristic_bot(rules):
    collector = collector_of(config(rules=rules, num_envs=6, num_steps=3), {})
    play_at_random(collector)
    targets = targets_now(collector)
    for row in range(6):
        for action, q_target in by_playing_on(collector, row).items():
            assert int(collector.batch.legal()[row]).bit_count() == 1 or targets[row, action] == q_target


@pytest.mark.parametrize("rules", ["classic", "classic:race=7", "race:race=13"])
def test_no_network_evaluates_an_endgame(rules):
    collector = collector_of(config(rules=rules, num_envs=8, num_steps=8), {})
    play_at_random(collector)
    seen = []

    def network(features):
        seen.append(features[:, collector._stock].min())
        return torch.zeros((len(features), collector.batch.num_actions))

    collector.bootstrap_from(network, network, 2)
    for _ in range(3):
        play_at_random(collector)
    assert len(seen) > 8
    assert min(seen) > 0


def test_margins_are_squashed_by_tanh():
    plain, squashed = (
        targets_now(collector_of(config(rules="classic", num_envs=40, margin_tanh_scale=scale), {})) for scale in (0, 3)
    )
    assert np.abs(plain).max() > 5
    np.testing.assert_allclose(squashed, 3 * np.tanh(plain / 3), rtol=1e-5)


def by_looking_ahead(
    collector: ActionValueCollector, row: int, bots: Sequence[Agent], value: MLPForward, column: int, left: int
) -> dict[int, float]:
    """The target of each action of a row: the mean of ``value`` at the seat's next ``left`` choices."""
    deals, seat = collector.batch, int(collector.batch.turn[row])
    q_target = {}
    for action in cards_of(int(deals.legal()[row])):
        batch = DealBatch(deals.rules, 1)
        batch.states[:] = deals.states[row : row + 1]
        batch.step([action])
        values: list[float] = []
        while len(values) < left and batch.views()["stock"][0] and not batch.done.all():
            if batch.turn[0] == seat and int(batch.legal()[0]).bit_count() > 1:
                views, _ = canonical_views(batch.views(), ("live" if collector._live else "named"))
                values.append(float(value.logits(observe(views, deals.rules))[0, column]))
            batch.step(bots[int(batch.turn[0])].act(batch.views(), None))
        if len(values) < left:  # the endgame
            players = [ExactEndgame(bot) for bot in bots]
            while not batch.done.all():
                batch.step(players[int(batch.turn[0])].act(batch.views(), None))
            values += [float(batch.returns("margin")[0, seat])] * (left - len(values))
        q_target[action] = sum(values) / left
    return q_target


@pytest.mark.parametrize("lookahead", [1, 2, 5])
@pytest.mark.parametrize(
    ("rules", "ranks"),
    [("classic", "live"), ("small", "named"), ("draft", "live"), ("open_stock", "live"), ("high_low", "named")],
)
def test_later_targets_bootstrap_from_the_value_at_the_next_decisions(rules, ranks, lookahead):
    policy, value = some_policy(rules, ranks), MLPForward(random_layers(rules, 2, 2))
    chooses = MLPForward(policy.checkpoint.layers)
    shares = {"self": 0.5, "heuristic": 0.5}
    settings = config(rules=rules, ranks=ranks, num_envs=24, num_steps=7, opponents=shares)
    collector = collector_of(settings, OPPONENTS)
    play_at_random(collector)
    collector.bootstrap_from(
        lambda features: outputs_of(chooses, features), lambda features: outputs_of(value, features), lookahead
    )
    targets = targets_now(collector)
    tried = 0
    for row in range(24):
        seat = int(collector.batch.turn[row])
        bots: list[Agent] = [policy, policy]
        if row >= 12:
            bots[1 - seat] = HEURISTIC
        expected = by_looking_ahead(collector, row, bots, value, int(row >= 12), lookahead)
        if len(expected) == 1:
            continue
        stand_for = lowest_of_its_run(collector, row)
        for action in expected:
            assert targets[row, action] == pytest.approx(expected[stand_for[action]], abs=1e-4)
            tried += 1
    assert tried > 40


@pytest.mark.parametrize(("rules", "steps", "fewest"), [("classic", 9, 4), ("classic", 23, 3), ("draft", 34, 3)])
def test_a_target_is_the_mean_over_its_stock_rotations(rules, steps, fewest):
    settings = config(rules=rules, num_envs=24, num_steps=steps)
    many, one = (collector_of(settings.replace(stock_rotations=rotations), {}) for rotations in (4, 1))
    play_at_random(many)
    game, states = many.batch.rules.game, many.batch.states
    counts = [count_rotations(game[0], state, 4) for state in states]
    expected = np.zeros((24, many.batch.num_actions))
    for rotation in range(4):
        for row in range(24):
            write_rotation(
                game[0], states[row], min(rotation, counts[row] - 1), counts[row], one.batch.states[row : row + 1]
            )
        targets = targets_now(one)
        for row in range(24):
            expected[row] += targets[row] / counts[row] if rotation < counts[row] else 0
    assert min(counts) == fewest
    np.testing.assert_allclose(targets_now(many), expected, atol=1e-5)
    assert np.abs(expected - targets_now(one)).max() > 0.1


def test_there_are_targets_where_the_learner_has_a_choice():
    settings = config(rules="classic", num_envs=16, num_steps=26, opponents={"self": 0.5, "heuristic": 0.5})
    collector = collector_of(settings, OPPONENTS)
    made = collector.collect(lambda features: torch.zeros((len(features), 52)))
    choice = made.masks[:-1].sum(2) > 1
    assert torch.equal(collector.target_mask, choice & made.learner_mask)
    assert collector.target_mask[:, :8].equal(choice[:, :8])
    assert (collector.target_mask[:, 8:].sum(0) <= 13).all()
    assert collector.q_targets.any(2).equal(collector.q_targets.any(2) & collector.target_mask)
    assert not collector.q_targets[~made.masks[:-1]].any()
    assert collector.q_targets.abs().amax() > 1


def test_without_phases_the_whole_foreplay_is_the_last_phase():
    collector = collector_of(config(rules="classic", num_envs=8, num_steps=26, late_phase_fraction=0.5), {})
    made = collector.collect(lambda features: torch.zeros((len(features), 52)))
    assert collector.target_mask.equal((made.masks[:-1].sum(2) > 1) & made.learner_mask)


def test_targets_are_by_role_as_the_mask_is():
    collector = collector_of(config(rules="classic", num_envs=8, num_steps=1), {})
    roles = collector._roles.copy()
    by_action = targets_now(collector)
    collector._observe(0)
    roles[:] = collector._roles
    made = collector.collect(lambda features: torch.zeros((len(features), 52)))
    for row in range(8):
        actions = np.flatnonzero(made.masks[0, row].numpy())
        assert (collector.q_targets[0, row].numpy()[actions] == by_action[row, roles[row, actions].astype(int)]).all()


def test_returns_bootstrap_where_another_than_the_greedy_action_was_played():
    settings = config(rules="classic", num_envs=64, num_steps=26, value_lambda=1.0)
    collector = collector_of(settings, {})
    likes = torch.linspace(0, 1e-3, 52)
    made = collector.collect(lambda features: likes.expand(len(features), 52))
    best = (made.masks[:-1] * (1 + likes)).argmax(2)
    q_target = collector.q_targets.gather(2, best[:, :, None])[:, :, 0]
    assert made.ends[25].all()
    seats = made.seats[:-1]
    for row in range(64):
        for seat in (0, 1):
            steps = [int(step) for step in torch.nonzero(collector.target_mask[:, row] & (seats[:, row] == seat))[:, 0]]
            for step, after in zip(steps, [*steps[1:], None], strict=True):
                played = made.actions[step, row] == best[step, row]
                expected = collector.returns[after, row] if played and after is not None else q_target[step, row]
                assert collector.returns[step, row] == expected


def test_games_without_open_endgames_are_refused():
    with pytest.raises(ValueError, match="humbug"):
        collector_of(config(rules="humbug"), {})
