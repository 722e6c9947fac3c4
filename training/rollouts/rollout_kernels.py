"""Kernels of a rollout step: observations, sampled actions, margins."""

from __future__ import annotations

import numpy as np

from german_whist.agents.policy.canonical_kernels import action_role, named_action, rename_view, renamed_mask, role_of
from german_whist.agents.policy.input_kernels import write_network_input
from german_whist.envs.engine.dealing_kernels import AGENT_STREAM, philox
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.utils.bit_kernels import write_cards
from german_whist.envs.utils.jit import kernel

HIDDEN_FEATURES = 3 * 52  # opponent's hand, next face-down card, place in the stock
# Opponents draw from AGENT_STREAM, under keys of their own.
CHOICE_STREAM = AGENT_STREAM + 2**20

_ONE = np.uint64(1)


@kernel
def observe_envs(game, states, views, num_observations, features, masks, roles, live, universal):
    """Write the observations of the seats to act, with cards by role, and their legal actions.

    Args:
        game: the rules.
        states: ``STATE`` array (envs,).
        views: ``VIEW`` array (2,), scratch.
        num_observations: features of an observation. A longer row gets the hidden features behind them.
        features: int8[envs, ...], written.
        masks: bool[envs, actions], written.
        roles: int8[envs, ROLES], the cards behind the roles, written; see ``rename_view``.
        live: whether ranks count among the cards still in play.
        universal: whether the features are the universal encoding.
    """
    view, renamed = views[0], views[1]
    for env in range(states.shape[0]):
        state = states[env]
        seat = np.int64(state.turn)
        write_view(game[0], state, seat, view)
        views[1] = view
        rename_view(view, renamed, roles[env], live)
        write_network_input(game[0], renamed, universal, features[env, :num_observations])
        if features.shape[1] > num_observations:
            write_hidden(game[0], state, seat, roles[env], features[env, num_observations:])
        for action in range(masks.shape[1]):
            masks[env, action] = (renamed.legal >> np.uint64(action)) & _ONE


@kernel
def write_hidden(game, state, seat, roles, features):
    """Write what the seat to act cannot see, with cards by role; for the critic only.

    Args:
        game: the rules.
        state: a record of ``STATE``.
        seat: the seat to act.
        roles: int8[ROLES], the cards behind the roles.
        features: int8[156], written: opponent's hand, next face-down card, place of each stock card (1 = top).
    """
    features[:] = 0
    write_cards(renamed_mask(state.hands[1 - seat], roles), features, 0)
    for place in range(state.top, game.cards):
        card = role_of(state.deck[place], roles)
        features[104 + card] = place - state.top + 1
        if place == state.top:
            features[52 + card] = 1


@kernel
def sample_actions(logits, masks, roles, seed, deals, moves, chosen, log_probs, actions):
    """Sample an action for each environment from masked logits, with random numbers keyed by seed, deal and move.

    Args:
        logits: float32[envs, actions].
        masks: bool[envs, actions].
        roles: int8[envs, ROLES], the cards behind the roles.
        seed: uint64.
        deals: uint64[envs], the deal of each environment.
        moves: int64[envs], actions played in it so far.
        chosen: int64[envs], the action by role, written; −1 where no logit is a number.
        log_probs: float32[envs], its log probability, written.
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
        if picked < 0:
            continue
        log_probs[env] = np.float64(logits[env, picked] - highest) - np.log(total)
        actions[env] = named_action(picked, roles[env])


@kernel
def write_roles(envs, actions, roles, chosen):
    """Write the actions of some environments by role.

    Args:
        envs: int64[n], the environments.
        actions: int64[envs], their true actions.
        roles: int8[envs, ROLES], the cards behind the roles.
        chosen: int64[envs], written for ``envs``.
    """
    for env in envs:
        chosen[env] = action_role(actions[env], roles[env])


@kernel
def margins(game, states, out):
    """Write seat 0's margin of counted tricks so far into float32[envs]; in low deals, fewer tricks are better."""
    for env in range(states.shape[0]):
        out[env] = signed_margin(game[0], states[env], 0)
