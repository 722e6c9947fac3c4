"""Kernels of a rollout: observations, sampled actions, margins, returns."""

from __future__ import annotations

import numpy as np

from german_whist.agents.policy.canonical_kernels import decode_action, encode_action, relabel_view
from german_whist.agents.policy.input_kernels import write_network_input
from german_whist.envs.engine.dealing_kernels import AGENT_STREAM, philox
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.utils.jit import kernel

# Opponents draw from AGENT_STREAM, under keys of their own.
CHOICE_STREAM = AGENT_STREAM + 2**20

_ONE = np.uint64(1)


@kernel
def observe_envs(game, states, views, features, masks, relabeling, universal):
    """Write the observations of the seats to act, of canonical views, and their legal actions.

    Args:
        game: the rules.
        states: ``STATE`` array (envs,).
        views: ``VIEW`` array (2,), scratch.
        features: int8[envs, features], written.
        masks: bool[envs, actions], written.
        relabeling: int8[envs, RELABELING_SIZE], the relabelings, written; see ``relabel_view``.
        universal: whether the features are the universal encoding.
    """
    view, canonical = views[0], views[1]
    for env in range(states.shape[0]):
        state = states[env]
        seat = np.int64(state.turn)
        write_view(game[0], state, seat, view)
        views[1] = view
        relabel_view(view, canonical, relabeling[env], True)
        write_network_input(game[0], canonical, universal, features[env])
        for action in range(masks.shape[1]):
            masks[env, action] = (canonical.legal >> np.uint64(action)) & _ONE


@kernel
def sample_actions(logits, masks, relabeling, seed, deals, moves, chosen, actions):
    """Sample an action for each environment from masked logits, with random numbers keyed by seed, deal and move.

    Args:
        logits: float32[envs, actions].
        masks: bool[envs, actions].
        relabeling: int8[envs, RELABELING_SIZE], the relabelings.
        seed: uint64.
        deals: uint64[envs], the deal of each environment.
        moves: int64[envs], actions played in it so far.
        chosen: int64[envs], the canonical action, written; −1 where no logit is a number.
        actions: int64[envs], the true action, written; −1 likewise.
    """
    for env in range(logits.shape[0]):
        highest = np.float32(-np.inf)
        for action in range(logits.shape[1]):
            if masks[env, action] and logits[env, action] > highest:
                highest = logits[env, action]
        total = 0.0
        for action in range(logits.shape[1]):
            if masks[env, action]:
                total += np.exp(np.float64(logits[env, action] - highest))
        word = philox(seed, deals[env], np.uint64(moves[env]), np.uint64(CHOICE_STREAM))[0]
        left = (np.float64(word) + 0.5) * 2.0**-32 * total
        picked = -1
        for action in range(logits.shape[1]):
            if masks[env, action] and left > 0:
                picked = action
                left -= np.exp(np.float64(logits[env, action] - highest))
        chosen[env] = actions[env] = picked
        if picked >= 0:
            actions[env] = decode_action(picked, relabeling[env])


@kernel
def write_encoded_actions(envs, actions, relabeling, chosen):
    """Write the canonical actions of some environments.

    Args:
        envs: int64[n], the environments.
        actions: int64[envs], their true actions.
        relabeling: int8[envs, RELABELING_SIZE], the relabelings.
        chosen: int64[envs], written for ``envs``.
    """
    for env in envs:
        chosen[env] = encode_action(actions[env], relabeling[env])


@kernel
def margins(game, states, out):
    """Write seat 0's margin of counted tricks so far into float32[envs]; in low deals, fewer tricks are better."""
    for env in range(states.shape[0]):
        out[env] = signed_margin(game[0], states[env], 0)


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
