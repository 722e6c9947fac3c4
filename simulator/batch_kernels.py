"""Kernels that deal, step, observe and score a whole batch of deals.

In all of them ``rules`` is a ``RULES_RECORD`` array of shape (1,) and ``states`` a ``STATE`` array, a record per deal.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.dealing_kernels import shuffle
from german_whist.game.scoring import seat_return, signed_margin
from german_whist.game.state import ENDGAME, PLAY
from german_whist.game.state_kernels import deal, is_legal, legal_actions, play
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.row_kernels import row_kernel
from german_whist.simulator.observation.vector_kernels import write_observation
from german_whist.simulator.observation.view_kernels import write_view
from german_whist.simulator.observation.views import VIEW


@kernel
def deal_into(rules, state, cards, seed, index, dealer):
    """Deal a deal of a seed into a state; a dealer of −1 stands for the default: seat 1 deals odd indices."""
    for position in range(cards.shape[0]):
        state.deck[position] = cards[position]
    shuffle(seed, index, state.deck[: cards.shape[0]])
    deal(rules[0], state, dealer if dealer >= 0 else np.int64(index & np.uint64(1)))


@row_kernel
def deal_rows(i, rules, cards, seeds, indices, dealers, rows, states):
    """Deal ``indices[i]`` of ``seeds[i]`` into ``states[rows[i]]``; see :func:`deal_into` for ``dealers[i]``."""
    deal_into(rules, states[rows[i]], cards, seeds[i], indices[i], dealers[i])


@row_kernel
def deal_decks(i, rules, rows, dealers, states):
    """Deal the deck that ``states[rows[i]]`` holds already; ``dealers[i]`` deals."""
    deal(rules[0], states[rows[i]], np.int64(dealers[i]))


@row_kernel
def write_legal(i, states, out):
    """Write the legal actions of deal ``i``'s seat to act as a mask into ``out``, uint64[size]."""
    out[i] = legal_actions(states[i])


@kernel
def _is_illegal(state, action):
    return not state.done and not is_legal(state, action)


@row_kernel
def write_is_illegal(i, states, rows, actions, out):
    """Write whether ``actions[i]`` is illegal in ``states[rows[i]]``; in a finished deal no action is."""
    out[i] = _is_illegal(states[rows[i]], actions[i])


@row_kernel
def step_rows(i, rules, states, rows, actions):
    """Play ``actions[i]`` in ``states[rows[i]]`` where the deal is not over."""
    if not states[rows[i]].done:
        play(rules[0], states[rows[i]], actions[i])


@row_kernel
def step_legal(i, rules, states, rows, actions, plies, illegal):
    """Play ``actions[i]`` in ``states[rows[i]]`` and count it in ``plies``, or set ``illegal[i]`` if it is illegal."""
    row = rows[i]
    illegal[i] = not is_legal(states[row], actions[i])
    if not illegal[i]:
        play(rules[0], states[row], actions[i])
        plies[row] += 1


@kernel
def begins_endgame(rules, state):
    """Return whether the next action is the first card of the endgame."""
    # No stock, no card led and no endgame trick yet. Humbug has no stock at all: there it is the first lead.
    return (
        not state.done
        and state.decision == PLAY
        and state.led < 0
        and not state.face_up
        and state.top == rules.cards
        and state.tricks[ENDGAME, 0] + state.tricks[ENDGAME, 1] == 0
    )


@row_kernel
def write_begins_endgame(i, rules, states, rows, out):
    """Write whether the endgame of ``states[rows[i]]`` begins into ``out``, bool[k]."""
    out[i] = begins_endgame(rules[0], states[rows[i]])


@row_kernel(scratch={"views": (1, VIEW)}, writes="row")
def observe_seats_to_act(i, rules, states, views, row):
    """Write the observation of deal ``i``'s seat to act into a row of int8[size, n_obs]."""
    write_view(rules[0], states[i], np.int64(states[i].turn), views[0])
    write_observation(rules[0], views[0], row)


@row_kernel
def write_returns(i, rules, states, reward, out):
    """Write both seats' returns into ``out``, float32[size, 2]; zeros where deal ``i`` is not finished."""
    value = seat_return(rules[0], states[i], reward) if states[i].done else 0.0
    out[i, 0] = value
    out[i, 1] = 0.0 - value  # a draw pays 0, not −0


@row_kernel
def write_margins(i, rules, states, out):
    """Write both seats' margins so far into ``out``, float32[size, 2]."""
    for seat in range(2):
        out[i, seat] = signed_margin(rules[0], states[i], seat)
