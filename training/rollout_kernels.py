"""Row kernels of a rollout: observations, sampled actions, returns."""

from __future__ import annotations

import math

import numpy as np

from german_whist.envs.engine.dealing_kernels import AGENT_STREAM, philox
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.observation.canonical_kernels import decode_action, encode_action, relabel_view
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.observation.views import VIEW
from german_whist.envs.utils.row_kernels import row_kernel

# Neither the decks' stream, which has the same key, nor AGENT_STREAM, from which opponents draw under other keys.
CHOICE_STREAM = AGENT_STREAM + 2**20


@row_kernel(scratch={"views": (1, VIEW)})
def observe_envs(i, game, states, views, canonical, relabeling, seats):
    """Write the canonical view of the seat to act in environment ``i``.

    Args:
        i: the environment.
        game: the rules.
        states: ``STATE`` array (envs,).
        views: scratch.
        canonical: ``VIEW`` array (envs,), written.
        relabeling: int8[envs, RELABELING_SIZE], the relabeling of each view, written; see ``relabel_view``.
        seats: int8[envs], the seat to act, written.
    """
    seat = np.int64(states[i].turn)
    write_view(game[0], states[i], seat, views[0])
    canonical[i] = views[0]
    relabel_view(views[0], canonical[i], relabeling[i], True)
    seats[i] = seat


@row_kernel
def sample_actions(i, logits, masks, relabeling, seed, deals, moves, chosen, actions):
    """Sample an action for environment ``i`` from the softmax of masked logits, by inversion.

    The random number is a function of seed, deal and move, so a resumed run draws the same numbers, as does a GPU.

    Args:
        i: the environment.
        logits: float32[envs, actions].
        masks: bool[envs, actions].
        relabeling: int8[envs, RELABELING_SIZE], the relabelings.
        seed: uint64.
        deals: uint64[envs], the deal of each environment.
        moves: int64[envs], actions played in it so far.
        chosen: int64[envs], the canonical action, written; −1 if the legal actions' logits are not finite.
        actions: int64[envs], the true action, written; −1 likewise.
    """
    highest = np.float32(-np.inf)
    for action in range(logits.shape[1]):
        if masks[i, action] and logits[i, action] > highest:
            highest = logits[i, action]
    total = 0.0
    for action in range(logits.shape[1]):
        if masks[i, action]:
            total += math.exp(np.float64(logits[i, action] - highest))
    word = philox(np.uint64(seed), deals[i], np.uint64(moves[i]), np.uint64(CHOICE_STREAM))[0]
    left = (np.float64(word) + 0.5) * 2.0**-32 * total  # strictly between 0 and the total
    # The last legal action reached while something is left, so rounding cannot leave none picked. A logit of NaN or +∞
    # makes the total NaN, which is not above 0.
    picked = -1
    for action in range(logits.shape[1]):
        if masks[i, action] and left > 0:
            picked = action
            left -= math.exp(np.float64(logits[i, action] - highest))
    chosen[i] = actions[i] = picked
    if picked >= 0:
        actions[i] = decode_action(picked, relabeling[i])


@row_kernel
def write_encoded_actions(i, envs, given, relabeling, actions, chosen):
    """Write action ``given[i]`` of environment ``envs[i]`` to ``actions``, and its canonical form to ``chosen``.

    All are int64: ``given`` [n], the others [envs].
    """
    env = envs[i]
    actions[env] = given[i]
    chosen[env] = encode_action(given[i], relabeling[env])


@row_kernel
def write_margins(i, game, states, out):
    """Write seat 0's margin of counted tricks so far to ``out``, float32[envs]; negated in deals played low."""
    out[i] = signed_margin(game[0], states[i], 0)


@row_kernel
def watkins_q_lambda(i, q_targets, greedy, actions, seats, ends, target_mask, value_lambda, returns):
    """Write the value network's targets: Watkins's Q(lambda) in the form for position values, without discount.

    With the greedy action g of a seat's position t, the action a that was played, and the same seat's next position
    t' of the deal that has targets (Sutton and Barto, 2nd edition, 12.10):

        G(t) = (1 − λ) Q(t, g) + λ G(t')  if a = g and there is such a t', else Q(t, g)

    So a return follows the trajectory while the greedy action is played, and where it is not, or where the rollout or
    the deal ends, it bootstraps from the greedy action's target. The glossary (*Watkins's Q(lambda)*) says in which
    two points this differs from the textbook.

    Args:
        i: the environment.
        q_targets: float32[steps, envs, actions], Q: the expected final margin of the seat to act, in tricks.
        greedy: int64[steps, envs], g: the actor's best action, not the best target, which would know hidden cards.
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
        action = greedy[step, i]
        expected = np.float64(q_targets[step, i, action])
        after = first if seats[step, i] == 0 else second
        if actions[step, i] == action and not math.isnan(after):
            expected = (1 - value_lambda) * expected + value_lambda * after
        returns[step, i] = expected
        if seats[step, i] == 0:
            first = np.float32(expected)
        else:
            second = np.float32(expected)
