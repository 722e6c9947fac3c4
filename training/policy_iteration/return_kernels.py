"""The value network's targets: returns along the learner's play."""

from __future__ import annotations

import math

import numpy as np

from german_whist.game.utils.row_kernels import row_kernel


@row_kernel
def watkins_q_lambda(i, q_targets, logits, masks, actions, seats, ends, target_mask, value_lambda, returns):
    """Write the value network's targets: Watkins's Q(lambda) in the form for position values, without discount.

    With the greedy action g of a seat's position t, the action a that was played, and the same seat's next position
    t' of the deal that has targets (Sutton and Barto, 2nd edition, 12.10):

        G(t) = (1 − λ) Q(t, g) + λ G(t')  if a = g and there is such a t', else Q(t, g)

    So a return follows the trajectory while the greedy action is played, and where it is not, or where the rollout or
    the deal ends, it bootstraps from the greedy action's target. The glossary (*Watkins's Q(lambda)*) says how this
    differs from the textbook.

    Args:
        i: the environment.
        q_targets: float32[steps, envs, actions], Q: the expected final margin of the seat to act, in tricks.
        logits: float32[steps, envs, actions], of the actor. g is its best action, not the one with the best target,
            which would know hidden cards.
        masks: bool[steps, envs, actions], legal actions.
        actions: int64[steps, envs], a: the action that was played.
        seats: int8[steps, envs], the seat that decided.
        ends: bool[steps, envs], whether the deal ended before the environment's next decision.
        target_mask: bool[steps, envs], where there are targets.
        value_lambda: float32, λ.
        returns: float32[steps, envs], G, written where there are targets.
    """
    none = np.float32(np.nan)
    first = second = none  # G(t') of seats 0 and 1
    for step in range(actions.shape[0] - 1, -1, -1):
        if ends[step, i]:
            first = second = none
        if not target_mask[step, i]:
            continue
        action = np.int64(-1)
        for other in range(masks.shape[2]):
            if masks[step, i, other] and (action < 0 or logits[step, i, other] > logits[step, i, action]):
                action = other
        expected = np.float64(q_targets[step, i, action])
        after = first if seats[step, i] == 0 else second
        if actions[step, i] == action and not math.isnan(after):
            expected = (1 - value_lambda) * expected + value_lambda * after
        returns[step, i] = expected
        if seats[step, i] == 0:
            first = np.float32(expected)
        else:
            second = np.float32(expected)
