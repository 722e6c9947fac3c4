"""Credit where both seats of a deal learn: each seat's transition runs from its own decision to its own next one."""

from __future__ import annotations

import numpy as np

from german_whist.envs.utils.jit import kernel


@kernel
def seat_advantages(values, seats, ends, seat_rewards, last_values, last_seats, gamma, gae_lambda, advantages):
    """Write generalised advantage estimates (Schulman et al., arXiv 1506.02438), seat by seat.

    A seat may decide twice running (the winner of a trick leads the next) or wait for the other. Either way its value
    is compared with that of its own next decision, and it is credited with what it was paid in between, whoever made
    the last move; so the seat that did not play the last card of a deal is told of the end too. Where the rollout stops
    in the middle of a deal, the seat to act is bootstrapped with its value and the other, the game being zero-sum, with
    the negative of it.

    Args:
        values: float32[steps, rows], value of each decision to the seat that made it.
        seats: int8[steps, rows], the seat that decided.
        ends: bool[steps, rows], whether the deal ended before the row's next decision.
        seat_rewards: float32[steps, rows, 2], what each seat was paid in the step.
        last_values: float32[rows], value of the decision after the last step to the seat that will make it.
        last_seats: int8[rows], that seat.
        gamma: discount from a seat's decision to its next.
        gae_lambda: 0 for one-step, 1 for whole-deal returns.
        advantages: float32[steps, rows], written.
    """
    steps, rows = values.shape
    next_value = np.zeros(2)
    next_advantage = np.zeros(2)
    reward = np.zeros(2)
    for row in range(rows):
        last = np.int64(last_seats[row])
        next_value[last] = last_values[row]
        next_value[1 - last] = -last_values[row]
        next_advantage[:] = 0.0
        reward[:] = 0.0
        for step in range(steps - 1, -1, -1):
            seat = np.int64(seats[step, row])
            if ends[step, row]:
                next_value[:] = 0.0
                next_advantage[:] = 0.0
                reward[:] = 0.0
            reward[0] += seat_rewards[step, row, 0]
            reward[1] += seat_rewards[step, row, 1]
            value = np.float64(values[step, row])
            delta = reward[seat] + gamma * next_value[seat] - value
            next_advantage[seat] = delta + gamma * gae_lambda * next_advantage[seat]
            next_value[seat] = value
            reward[seat] = 0.0
            advantages[step, row] = next_advantage[seat]


@kernel
def watkins_q_lambda(worth, best, actions, seats, ends, taught, trace, following, returns):
    """Write what a policy that always takes its best action may expect, by lambda-returns.

    What the best action is said to be worth goes on into the seat's next decision for as long as it was what was
    played: Watkins's Q(lambda) (Sutton and Barto, "Reinforcement Learning", 2nd edition, 12.10).

    Args:
        worth: float32[steps, rows, actions], what actions are said to be worth to the seat to act at the deal's end.
        best: int64[steps, rows], the best action.
        actions: int64[steps, rows], what was played.
        seats: int8[steps, rows], the seat that decided.
        ends: bool[steps, rows], whether the deal ended before the row's next decision.
        taught: bool[steps, rows], where worth is said.
        trace: lambda: 0 is what the best action is said to be worth, 1 what play led to.
        following: float32[rows, 2], scratch.
        returns: float32[steps, rows], written where worth is said.
    """
    steps, rows = actions.shape
    following[:] = np.nan
    for step in range(steps - 1, -1, -1):
        for row in range(rows):
            if ends[step, row]:
                following[row, 0] = following[row, 1] = np.nan
            if not taught[step, row]:
                continue
            seat = seats[step, row]
            action = best[step, row]
            expected = worth[step, row, action]
            after = following[row, seat]
            if actions[step, row] == action and not np.isnan(after):
                expected = (1 - trace) * expected + trace * after
            returns[step, row] = following[row, seat] = expected
