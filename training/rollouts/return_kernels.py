"""Returns and advantages where both seats of a deal learn: each seat's transitions link its own decisions."""

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


@kernel
def watkins_q_lambda(q_targets, greedy, actions, seats, ends, target_mask, value_lambda, following, returns):
    """Write lambda-returns of the greedy policy: Watkins's Q(lambda) (Sutton and Barto, 2nd edition, 12.10).

    A return follows the seat's trajectory as long as the greedy action was played; elsewhere it is cut and bootstraps
    from the greedy action's target.

    Args:
        q_targets: float32[steps, envs, actions], expected margin at the end of the deal for the seat to act.
        greedy: int64[steps, envs], the greedy action.
        actions: int64[steps, envs], the action that was played.
        seats: int8[steps, envs], the seat that decided.
        ends: bool[steps, envs], whether the deal ended before the environment's next decision.
        target_mask: bool[steps, envs], where there are targets.
        value_lambda: 0 takes the greedy action's target, 1 what play led to.
        following: float32[envs, 2], scratch.
        returns: float32[steps, envs], written where there are targets.
    """
    steps, envs = actions.shape
    following[:] = np.nan
    for step in range(steps - 1, -1, -1):
        for env in range(envs):
            if ends[step, env]:
                following[env, 0] = following[env, 1] = np.nan
            if not target_mask[step, env]:
                continue
            seat = seats[step, env]
            action = greedy[step, env]
            expected = q_targets[step, env, action]
            after = following[env, seat]
            if actions[step, env] == action and not np.isnan(after):
                expected = (1 - value_lambda) * expected + value_lambda * after
            returns[step, env] = following[env, seat] = expected
