"""Kernels of a single episode: whatever an environment needs at every step is one call from Python."""

from __future__ import annotations

import numpy as np

from german_whist.game.state_kernels import is_legal, legal_actions, play
from german_whist.game.utils.jit import kernel
from german_whist.simulator.observation.canonical_kernels import decode_action, relabel_view
from german_whist.simulator.observation.vector_kernels import write_mask, write_observation
from german_whist.simulator.observation.view_kernels import write_view


@kernel
def situation(states):
    """Return the legal actions of the seat to act as a mask, 0 when the deal is over, and that seat."""
    return legal_actions(states[0]), np.int64(states[0].turn)


@kernel
def play_if_legal(rules, states, plies, action):
    """Play an action unless it is illegal; return whether it was legal, and the new :func:`situation`."""
    legal = is_legal(states[0], action)
    if legal:
        play(rules[0], states[0], action)
        plies[0] += 1
    return legal, legal_actions(states[0]), np.int64(states[0].turn)


@kernel
def observe(rules, states, seat, scratch, observation, mask):
    """Write a seat's observation and the mask of its legal actions."""
    view = scratch[0]
    write_view(rules[0], states[0], seat, view)
    _show(rules, view, observation, mask)


@kernel
def _show(rules, view, observation, mask):
    write_observation(rules[0], view, observation)
    write_mask(view.legal, mask)


@kernel
def _relabel(rules, states, seat, scratch, relabeling):
    """Write a seat's canonical view into ``scratch[1]``."""
    write_view(rules[0], states[0], seat, scratch[0])
    scratch[1] = scratch[0]
    relabel_view(scratch[0], scratch[1], relabeling, False)


@kernel
def observe_canonical(rules, states, seat, scratch, relabeling, observation, mask):
    """Write a seat's canonical observation and mask."""
    _relabel(rules, states, seat, scratch, relabeling)
    _show(rules, scratch[1], observation, mask)


@kernel
def decode(rules, states, scratch, relabeling, action):
    """Return the true action of a canonical card of the seat to act."""
    _relabel(rules, states, np.int64(states[0].turn), scratch, relabeling)
    return decode_action(action, relabeling)
