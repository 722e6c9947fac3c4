"""Kernels that step one deal and return all that Python needs to know about the new position in one call."""

from __future__ import annotations

from german_whist.game.state_kernels import deal, legal_actions, play
from german_whist.game.utils.jit import kernel


@kernel
def start(games, states, dealer):
    """Deal the deck of ``states[0]``; return as ``advance`` does."""
    deal(games[0], states[0], dealer)
    return summary(states[0])


@kernel
def advance(games, states, action):
    """Play a legal action in ``states[0]`` and return (seat to act, done, legal actions, top)."""
    play(games[0], states[0], action)
    return summary(states[0])


@kernel
def summary(state):
    """Return (seat to act, done, mask of the legal actions, position of the next face-down card) of a state."""
    return state.turn, state.done, legal_actions(state), state.top
