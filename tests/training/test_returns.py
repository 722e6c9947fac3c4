"""Credit seat by seat, against sums written out in plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import pytest

from german_whist.training.rollout_kernels import watkins_q_lambda
from german_whist.training.sb3.advantage_kernels import seat_advantages

STEPS, ROWS = 14, 5


@dataclass
class Rollout:
    """What a rollout holds, some of it made up."""

    values: np.ndarray
    seats: np.ndarray
    ends: np.ndarray
    rewards: np.ndarray
    last_values: np.ndarray
    last_seats: np.ndarray

    def advantages(self, gamma: float = 1.0, gae_lambda: float = 1.0) -> np.ndarray:
        out = np.full(self.values.shape, np.nan, np.float32)
        seat_advantages(
            self.values,
            self.seats,
            self.ends,
            self.rewards,
            self.last_values,
            self.last_seats,
            gamma,
            gae_lambda,
            out,
        )
        return out


def random_rollout(seed: int, end_chance: float = 0.2) -> Rollout:
    """Seats decide in any order, deals end anywhere, and both seats are paid at any step."""
    rng = np.random.default_rng(seed)
    return Rollout(
        values=rng.normal(size=(STEPS, ROWS)).astype(np.float32),
        seats=rng.integers(0, 2, (STEPS, ROWS)).astype(np.int8),
        ends=rng.random((STEPS, ROWS)) < end_chance,
        rewards=rng.normal(size=(STEPS, ROWS, 2)).astype(np.float32),
        last_values=rng.normal(size=ROWS).astype(np.float32),
        last_seats=rng.integers(0, 2, ROWS).astype(np.int8),
    )


def deals_of(ends: list[bool]) -> list[tuple[list[int], bool]]:
    """The steps of each deal in a row of a rollout, and whether the deal ended there."""
    deals: list[tuple[list[int], bool]] = []
    steps: list[int] = []
    for step, end in enumerate(ends):
        steps.append(step)
        if end:
            deals.append((steps, True))
            steps = []
    return [*deals, (steps, False)] if steps else deals


def plain_advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> np.ndarray:
    """The same from the definition: a sum over the later decisions of the same seat in the same deal."""
    out = np.zeros((STEPS, ROWS))
    for row in range(ROWS):
        for steps, ended in deals_of(rollout.ends[:, row].tolist()):
            for seat in (0, 1):
                own = [step for step in steps if rollout.seats[step, row] == seat]
                deltas = []
                for step, following in zip_longest(own, own[1:]):
                    until = steps[-1] + 1 if following is None else following
                    paid = sum(float(rollout.rewards[s, row, seat]) for s in range(step, until))
                    if following is not None:
                        next_value = float(rollout.values[following, row])
                    elif ended:
                        next_value = 0.0
                    else:
                        sign = 1 if rollout.last_seats[row] == seat else -1
                        next_value = sign * float(rollout.last_values[row])
                    deltas.append(paid + gamma * next_value - float(rollout.values[step, row]))
                for i, step in enumerate(own):
                    out[step, row] = sum((gamma * gae_lambda) ** k * delta for k, delta in enumerate(deltas[i:]))
    return out


@pytest.mark.parametrize("end_chance", [0.0, 0.2, 1.0])
@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 0.95), (0.9, 0.7), (0.9, 0.0), (0.0, 0.5), (1.0, 1.0)])
def test_advantages_are_the_sums_of_their_definition(gamma: float, gae_lambda: float, end_chance: float) -> None:
    for seed in range(12):
        rollout = random_rollout(seed, end_chance)
        np.testing.assert_allclose(
            rollout.advantages(gamma, gae_lambda), plain_advantages(rollout, gamma, gae_lambda), atol=2e-5
        )


def test_with_gamma_and_lambda_1_the_advantage_is_return_minus_value() -> None:
    for seed in range(12):
        rollout = random_rollout(seed)
        advantages = rollout.advantages(gamma=1, gae_lambda=1)
        for row in range(ROWS):
            for steps, ended in deals_of(rollout.ends[:, row].tolist()):
                for step in steps:
                    seat = rollout.seats[step, row]
                    to_come = rollout.rewards[step : steps[-1] + 1, row, seat].sum()
                    if not ended:
                        to_come += rollout.last_values[row] * (1 if rollout.last_seats[row] == seat else -1)
                    assert advantages[step, row] == pytest.approx(to_come - rollout.values[step, row], abs=2e-5)


def deal_won_by_the_last_to_play(seats: list[int]) -> Rollout:
    """One deal after which the seat that decided last gets 1 and the other -1; nothing is expected of any decision."""
    steps = len(seats)
    rewards = np.zeros((steps, 1, 2), np.float32)
    rewards[-1, 0] = -1
    rewards[-1, 0, seats[-1]] = 1
    ends = np.zeros((steps, 1), np.bool_)
    ends[-1] = True
    zeros = np.zeros((steps, 1), np.float32)
    return Rollout(
        zeros, np.array(seats, np.int8)[:, None], ends, rewards, np.full(1, 9, np.float32), np.zeros(1, np.int8)
    )


@pytest.mark.parametrize("seats", [[0, 1], [1, 0], [0, 1, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1, 1, 1], [0, 0, 0, 1]])
def test_the_learner_gets_negative_rewards_for_losses(seats: list[int]) -> None:
    advantages = deal_won_by_the_last_to_play(seats).advantages(gamma=1, gae_lambda=1)
    assert advantages[:, 0].tolist() == [1.0 if seat == seats[-1] else -1.0 for seat in seats]


@pytest.mark.parametrize("seats", [[0, 1], [0, 1, 1, 0], [1, 0, 0, 1, 1, 1]])
def test_the_final_reward_is_credited_to_the_losers_last_decision(seats: list[int]) -> None:
    advantages = deal_won_by_the_last_to_play(seats).advantages(gamma=1, gae_lambda=0)[:, 0]
    last = {seat: max(step for step, other in enumerate(seats) if other == seat) for seat in (0, 1)}
    assert advantages[last[seats[-1]]] == 1
    assert advantages[last[1 - seats[-1]]] == -1
    assert np.count_nonzero(advantages) == 2


def test_rewards_during_the_other_seats_decisions_are_credited_to_the_last_own_one() -> None:
    rewards = np.zeros((4, 1, 2), np.float32)
    rewards[:, 0, 0] = [1, 2, 4, 8]
    rewards[:, 0, 1] = [-1, -2, -4, -8]
    rollout = Rollout(
        values=np.zeros((4, 1), np.float32),
        seats=np.array([[0], [1], [1], [0]], np.int8),
        ends=np.array([[False], [False], [False], [True]]),
        rewards=rewards,
        last_values=np.zeros(1, np.float32),
        last_seats=np.zeros(1, np.int8),
    )
    assert rollout.advantages(gamma=1, gae_lambda=0)[:, 0].tolist() == [1 + 2 + 4, -2, -4 - 8, 8]


def test_advantages_do_not_cross_the_end_of_a_deal() -> None:
    rollout = random_rollout(3)
    rollout.ends[:] = False
    rollout.ends[6] = True
    before = rollout.advantages(0.9, 0.8)
    rollout.values[7:] += 5
    rollout.rewards[7:] *= 3
    rollout.last_values[:] = 100
    after = rollout.advantages(0.9, 0.8)
    np.testing.assert_array_equal(before[:7], after[:7])
    assert (before[7:] != after[7:]).any()


def test_at_truncation_the_seat_to_act_bootstraps_from_its_value_and_the_other_from_the_negative() -> None:
    for seat in (0, 1):
        rollout = Rollout(
            values=np.zeros((2, 1), np.float32),
            seats=np.array([[0], [1]], np.int8),
            ends=np.zeros((2, 1), np.bool_),
            rewards=np.zeros((2, 1, 2), np.float32),
            last_values=np.array([0.25], np.float32),
            last_seats=np.array([seat], np.int8),
        )
        expected = [0.25, -0.25] if seat == 0 else [-0.25, 0.25]
        assert rollout.advantages()[:, 0].tolist() == expected


def returns_by_hand(rollout: dict[str, np.ndarray], row: int, value_lambda: float) -> dict[int, float]:
    """What the seats may expect at the steps of a row with targets: from the next own step on, first to last."""
    out: dict[int, float] = {}

    def at(step: int) -> float:
        best = rollout["best"][step, row]
        target = float(rollout["q_targets"][step, row, best])
        if rollout["actions"][step, row] != best:
            return target
        for later in range(step + 1, STEPS):
            if rollout["ends"][later - 1, row]:
                break
            if rollout["seats"][later, row] == rollout["seats"][step, row] and rollout["target_mask"][later, row]:
                return (1 - value_lambda) * target + value_lambda * at(later)
        return target

    for step in range(STEPS):
        if rollout["target_mask"][step, row]:
            out[step] = at(step)
    return out


@pytest.mark.parametrize("value_lambda", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_returns_follow_the_trajectory_while_the_greedy_action_is_played(seed: int, value_lambda: float) -> None:
    rng = np.random.default_rng(seed)
    shape = (STEPS, ROWS)
    best = rng.integers(0, 3, shape)
    rollout = {
        "q_targets": rng.normal(size=(*shape, 3)).astype(np.float32),
        "best": best,
        "actions": np.where(rng.random(shape) < 0.7, best, rng.integers(0, 3, shape)),
        "seats": rng.integers(0, 2, shape).astype(np.int8),
        "ends": rng.random(shape) < 0.15,
        "target_mask": rng.random(shape) < 0.8,
    }
    returns = np.full(shape, np.nan, np.float32)
    watkins_q_lambda(*rollout.values(), np.float32(value_lambda), np.zeros((ROWS, 2), np.float32), returns)
    assert np.isnan(returns[~rollout["target_mask"]]).all()
    for row in range(ROWS):
        for step, expected in returns_by_hand(rollout, row, value_lambda).items():
            assert returns[step, row] == pytest.approx(expected, abs=1e-5)
