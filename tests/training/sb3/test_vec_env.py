"""Self-play deals as a vector environment: what is shown, who plays, what is paid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.policy.canonical import canonical_views, decode_actions
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Views
from german_whist.envs.engine.rules import Rules, rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.observation.vector import observation_layout
from german_whist.envs.simulator.batch import DealBatch
from german_whist.training.rollouts import first_training_deal
from german_whist.training.sb3.vec_env import SelfPlayVecEnv
from tests.envs.players import Lowest, Random
from tests.strategies import GAMES
from tests.training.sb3.single_row import Table, random_actions

MIXED = [(0.5, None), (0.5, Lowest)]


class Asked:
    """Plays the lowest card and remembers the views it was asked about."""

    def __init__(self) -> None:
        self.views: list[Views] = []

    def act(self, views: Views, rng: Any) -> np.ndarray:
        self.views.append(views.copy())
        return Lowest().act(views, rng)


def dealt_indices(env: SelfPlayVecEnv, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that the environment's deals are written to."""
    dealt: list[int] = []
    deal_rows = env.batch.deal_rows

    def remember(rows: np.ndarray, indices: np.ndarray) -> None:
        dealt.extend(int(index) for index in indices)
        deal_rows(rows, indices)

    monkeypatch.setattr(env.batch, "deal_rows", remember)
    return dealt


@pytest.mark.parametrize("name", ["classic", "tiny", "one_suit", "pairs", "one_card", "long_stock", "short"])
def test_every_row_is_the_play_of_a_single_deal_after_another(name: str, rng: np.random.Generator) -> None:
    game, rows = GAMES[name], 6
    env = SelfPlayVecEnv(game, rows, seed=17, opponents=MIXED)
    tables = [Table(row, game, 17, Lowest() if row >= 3 else None) for row in range(rows)]
    observations = env.reset()
    for row, table in enumerate(tables):
        table.deal(row)
    next_deal, ends = rows, set()
    limit = reward_limit(game.game, "margin")
    for step in range(4 * game.tricks + 3):
        masks = env.action_masks()
        for row, table in enumerate(tables):
            shown, mask = table.shown()
            np.testing.assert_array_equal(observations[row], shown)
            np.testing.assert_array_equal(masks[row], mask)
        actions = random_actions(env, rng)
        observations, rewards, dones, infos = env.step(actions)
        for row, table in enumerate(tables):
            before = table.counted()
            seat = table.play(int(actions[row]))
            done = bool(table.batch.done[0])
            paid = table.counted() - before
            assert dones[row] == done
            assert env.acted[row] == seat
            assert env.seat_rewards[row].tolist() == pytest.approx([paid / limit, -paid / limit])
            assert rewards[row] == env.seat_rewards[row, seat]
            assert ("terminal_observation" in infos[row]) == done
            if done:
                np.testing.assert_array_equal(infos[row]["terminal_observation"], table.last_seen(seat))
                table.deal(next_deal)
                next_deal += 1
                ends.add((step, row < 3))
    assert len(ends) >= 6
    assert {step for step, alone in ends if alone} < {step for step, alone in ends if not alone}


@pytest.mark.parametrize("reward", ["margin", "win", "points"])
def test_deals_pay_their_returns_as_shares_of_the_largest(reward: str, rng: np.random.Generator) -> None:
    game = Rules(counts="all", points="over_book")
    env = SelfPlayVecEnv(game, 32, reward=reward, seed=3)
    alone = DealBatch(game, 32, 3, first_training_deal(0))
    env.reset()
    paid = np.zeros((32, 2))
    for _ in range(2 * game.tricks):
        actions = random_actions(env, rng)
        env.step(actions)
        paid += env.seat_rewards
        alone.step(decode_actions(actions, canonical_views(alone.views())[1]))
        if reward != "margin" and not env.ended.any():
            assert not env.seat_rewards.any()
    assert env.ended.all()
    np.testing.assert_allclose(paid, alone.returns(reward) / reward_limit(game.game, reward), atol=1e-6)
    assert np.abs(paid).max() <= 1


def test_an_unknown_reward_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown reward 'margn': did you mean 'margin'"):
        SelfPlayVecEnv(rules("tiny"), 2, reward="margn")


def test_opponents_act_only_at_their_seat_and_see_true_suits(rng: np.random.Generator) -> None:
    opponent = Asked()
    env = SelfPlayVecEnv(rules("classic"), 8, seed=2, opponents=[(1, lambda: opponent)])
    env.reset()
    dealer_cell = observation_layout("classic")["dealer"].start
    for _ in range(60):
        first = len(opponent.views)
        learner_deals = env.batch.states["dealer"] == env.batch.turn
        np.testing.assert_array_equal(env.observe()[:, dealer_cell], learner_deals)
        env.step(random_actions(env, rng))
        for views in opponent.views[first:]:
            assert (views["turn"] == 1).all()
            assert (views["legal"] > 0).all()
    trumps = np.concatenate([views["trump"] for views in opponent.views])
    assert set(trumps.tolist()) == {0, 1, 2, 3}
    decisions = sum(len(views) for views in opponent.views)
    assert 8 * 60 - 8 <= decisions <= 8 * 60 + 8  # in whole deals, both seats decide as often


@pytest.mark.parametrize(("rows", "own"), [(3, 2), (6, 3), (7, 6), (16, 12), (1, 0)])
def test_against_an_opponent_the_learner_is_dealer_and_non_dealer_in_turn(
    rows: int, own: int, rng: np.random.Generator
) -> None:
    game = rules("tiny")
    opponents = [(own, None), (rows - own, Lowest)] if own else [(1, Lowest)]
    env = SelfPlayVecEnv(game, rows, seed=1, opponents=opponents)
    env.reset()
    roles: list[list[bool]] = [[] for _ in range(rows)]
    for step in range(40 * game.tricks):
        if step % game.tricks == 0:
            for row in range(own, rows):
                roles[row].append(bool(env.batch.states["dealer"][row] == env.batch.turn[row]))
        env.step(random_actions(env, rng))
    for row in range(own, rows):
        assert len(roles[row]) == 40
        assert all(now != before for before, now in zip(roles[row], roles[row][1:], strict=False))
    for together in zip(*roles[own:], strict=True):
        assert abs(2 * sum(together) - len(together)) <= 1


def test_both_seats_are_the_learners_own_in_self_play(rng: np.random.Generator) -> None:
    env = SelfPlayVecEnv(rules("tiny"), 4)
    env.reset()
    acted = []
    for _ in range(8):
        env.step(random_actions(env, rng))
        acted.append(env.acted)
    assert env.ended.all()
    assert (np.array(acted).sum(axis=0) == 4).all()  # eight decisions a deal, four by each seat


def test_rows_are_shared_out_among_the_opponents(rng: np.random.Generator) -> None:
    game = rules("tiny")
    some, other = Asked(), Asked()
    opponents = [(2.0, None), (1.0, lambda: some), (0.5, lambda: other), (0.5, Lowest)]
    env = SelfPlayVecEnv(game, 32, seed=4, opponents=opponents)
    env.reset()
    for _ in range(10 * 2 * game.tricks):
        env.step(random_actions(env, rng))
    asked = [sum(len(views) for views in agent.views) for agent in (some, other)]
    # Ten pairs of deals of four tricks in 8 and in 4 rows; half of the rows' opponents have led the next deal already.
    assert asked == [8 * 20 * 4 + 4, 4 * 20 * 4 + 2]


def test_a_share_of_less_than_a_row_is_refused() -> None:
    with pytest.raises(ValueError, match=r"opponents: a share of 0.02 of 1 is less than one environment of 8"):
        SelfPlayVecEnv(rules("tiny"), 8, opponents=[(0.98, None), (0.02, Lowest)])


def test_opponents_are_chosen_at_the_start_and_when_asked_for(rng: np.random.Generator) -> None:
    game, made = rules("tiny"), []

    def make() -> Asked:
        made.append(Asked())
        return made[-1]

    env = SelfPlayVecEnv(game, 4, opponents=[(1, make)])
    env.reset()
    for _ in range(5 * game.tricks):
        env.step(random_actions(env, rng))
    assert len(made) == 1
    asked = len(made[0].views)
    env.choose_opponents()
    env.step(random_actions(env, rng))
    assert (len(made), len(made[0].views)) == (2, asked)
    assert made[1].views


def test_no_deal_is_played_twice(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    env = SelfPlayVecEnv(rules("tiny"), 5, opponents=MIXED)
    dealt = dealt_indices(env, monkeypatch)
    env.reset()
    for _ in range(100):
        env.step(random_actions(env, rng))
    first = first_training_deal(0)
    assert dealt == list(range(first, first + len(dealt)))
    assert len(dealt) > 80


@pytest.mark.parametrize("name", ["classic", "tiny", "draft"])
def test_an_environment_goes_on_from_its_state_as_if_nothing_had_happened(name: str, rng: np.random.Generator) -> None:
    opponents: Any = [(2, None), (1, Random)]
    env, other = (SelfPlayVecEnv(rules(name), 6, seed=3, opponents=opponents) for _ in range(2))
    env.reset()
    for _ in range(17):
        env.step(random_actions(env, rng))
    other.load_state(env.state())
    other.choose_opponents()
    np.testing.assert_array_equal(other.observe(), env.observe())
    for _ in range(60):
        actions = random_actions(env, rng)
        for ours, theirs in zip(other.step(actions)[:3], env.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("counts", [[-1, 0]], "its deals, moves or seats are impossible"),
        ("counts", [[0, 2**40]], "its deals, moves or seats are impossible"),
        ("counts", [[0, 0, 0]], "its counts are not those of 4 environments of this version"),
        ("learner_seat", [-1, -1, 0, 2], "its deals, moves or seats are impossible"),
        ("learner_seat", [0, -1, 0, 1], "its deals, moves or seats are impossible"),
        ("deals", [0, 1, 2, -3], "its deals, moves or seats are impossible"),
        ("deals", [0, 1, 2], "its deals are not those of 4 environments of this version"),
        ("states", None, "its states are not those of 4 environments of this version"),
    ],
)
def test_an_impossible_state_is_refused_and_changes_nothing(name: str, value: Any, reason: str) -> None:
    env = SelfPlayVecEnv(rules("tiny"), 4, opponents=[(1, None), (1, Lowest)])
    env.reset()
    before = env.state()
    damaged = {key: array for key, array in before.items() if key != name}
    if value is not None:
        damaged[name] = np.array(value, before[name].dtype)
    with pytest.raises(ValueError, match=reason):
        env.load_state(damaged)
    for key, array in env.state().items():
        np.testing.assert_array_equal(array, before[key])


def play_on(seed: int, steps: int = 30, opponent: Any = Random) -> np.ndarray:
    rng = np.random.default_rng(0)
    env = SelfPlayVecEnv(rules("classic"), 4, seed=seed, opponents=[(1, opponent)])
    observations = [env.reset()]
    observations += [env.step(random_actions(env, rng))[0] for _ in range(steps)]
    return np.array(observations)


@pytest.mark.parametrize("opponent", [Random, lambda: make_agent("random")])
def test_the_same_seed_gives_the_same_deals_and_opponent_randomness(opponent: Any) -> None:
    np.testing.assert_array_equal(play_on(1, opponent=opponent), play_on(1, opponent=opponent))
    assert (play_on(1) != play_on(2)).any()


def test_opponent_randomness_differs_by_row_and_step(rng: np.random.Generator) -> None:
    class Dice:
        def __init__(self) -> None:
            self.thrown: list[float] = []

        def act(self, views: Views, rng: Any) -> np.ndarray:
            self.thrown += rng.random(len(views)).tolist()
            return Lowest().act(views, rng)

    dice = Dice()
    env = SelfPlayVecEnv(rules("classic"), 4, opponents=[(1, lambda: dice)])
    env.reset()
    for _ in range(60):
        env.step(random_actions(env, rng))
    assert len(set(dice.thrown)) == len(dice.thrown) > 200


def test_an_illegal_action_is_refused_by_name() -> None:
    env = SelfPlayVecEnv(rules("tiny"), 2)
    env.reset()
    with pytest.raises(ValueError, match="is illegal in row 0"):
        env.step(env.action_masks().argmin(axis=1))
