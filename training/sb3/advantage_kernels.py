"""Advantages where both seats of a deal learn: each seat's transitions link its own decisions."""

from __future__ import annotations

import numpy as np

from german_whist.envs.utils.jit import kernel


@kernel
def seat_advantages(values, seats, ends, seat_rewards, last_values, last_seats, gamma, gae_lambda, advantages):
    """Write generalised advantage estimates (Schulman et al., arXiv 1506.02438), seat by seat.

    A seat may decide twice running (the winner of a trick leads the next) or wait for the other. Either way its value
    is compared with that of its next decision, and it is credited with all its rewards in between, regardless of who
    moved. So the end of a deal also reaches the seat that did not play the last card. Where the rollout stops in the
    middle of a deal, the seat to act bootstraps from its value and the other seat, as the game is zero-sum, from its
    negative.

    Args:
        values: float32[steps, envs], value of each decision to the seat that made it.
        seats: int8[steps, envs], the seat that decided.
        ends: bool[steps, envs], whether the deal ended before the environment's next decision.
        seat_rewards: float32[steps, envs, 2], reward of each seat in the step.
        last_values: float32[envs], value of the decision after the last step to the seat that will make it.
        last_seats: int8[envs], that seat.
        gamma: discount from a seat's decision to its next.
        gae_lambda: 0 for one-step, 1 for whole-deal returns.
        advantages: float32[steps, envs], written.
    """
    steps, envs = values.shape
    next_value = np.zeros(2)
    next_advantage = np.zeros(2)
    reward = np.zeros(2)
    for env in range(envs):
        last = np.int64(last_seats[env])
        next_value[last] = last_values[env]
        next_value[1 - last] = -last_values[env]
        next_advantage[:] = 0.0
        reward[:] = 0.0
        for step in range(steps - 1, -1, -1):
            seat = np.int64(seats[step, env])
            if ends[step, env]:
                next_value[:] = 0.0
                next_advantage[:] = 0.0
                reward[:] = 0.0
            reward[0] += seat_rewards[step, env, 0]
            reward[1] += seat_rewards[step, env, 1]
            value = np.float64(values[step, env])
            delta = reward[seat] + gamma * next_value[seat] - value
            next_advantage[seat] = delta + gamma * gae_lambda * next_advantage[seat]
            next_value[seat] = value
            reward[seat] = 0.0
            advantages[step, env] = next_advantage[seat]
