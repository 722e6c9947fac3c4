"""Kernels that write the full state vector. The start of each block is taken from ``blocks``."""

from __future__ import annotations

import numpy as np

from german_whist.game.layout import starts_of
from german_whist.game.utils.bit_kernels import popcount, write_cards
from german_whist.game.utils.jit import kernel
from german_whist.simulator.observation.blocks import FULL_STATE_BLOCKS, FULL_STATE_OPTIONAL_BLOCKS

_START = starts_of(FULL_STATE_BLOCKS)
_HANDS = _START["hand_0"], _START["hand_1"]  # each seat's, like those below
_PLAYED = _START["played_0"], _START["played_1"]
_KNOWN = _START["known_0"], _START["known_1"]
_VOID = _START["void_0"], _START["void_1"]
_DRAWN = _START["drawn_0"], _START["drawn_1"]
_TRICKS = _START["tricks_0"], _START["tricks_1"]
_STOCK_ORDER = _START["stock_order"]
_FACE_UP = _START["face_up"]
_LED = _START["led"]
_TRUMP = _START["trump"]
_STOCK = _START["stock"]
_DEALER = _START["dealer"]
_TURN = _START["turn"]
_DONE = _START["done"]
_BASE_SIZE = _START["done"] + 1  # the features that every game has

_SIZES = {block.name: block.size for _, block in FULL_STATE_OPTIONAL_BLOCKS}
_DECISION_SIZE = _SIZES["decision"]
_LOW_SIZE = _SIZES["low"]


@kernel
def write_full_state(rules, state, row):
    """Write the full state of a ``STATE`` record into an int8 row of zeros."""
    for seat in range(2):
        write_cards(state.hands[seat], row, _HANDS[seat])
        write_cards(state.played[seat], row, _PLAYED[seat])
        write_cards(state.known[seat], row, _KNOWN[seat])
        for suit in range(4):
            trick = state.void_trick[seat, suit]
            row[_VOID[seat] + suit] = trick
            if trick:
                row[_DRAWN[seat] + suit] = state.drawn[seat] - state.void_drawn[seat, suit]
        for stage in range(2):
            row[_TRICKS[seat] + stage] = state.tricks[stage, seat]
    open_cards = popcount(state.face_up)
    write_cards(state.face_up, row, _STOCK_ORDER)  # position 1, each of them
    write_cards(state.face_up, row, _FACE_UP)
    for position in range(state.top, rules.cards):
        row[_STOCK_ORDER + state.deck[position]] = position - state.top + 1 + (1 if open_cards else 0)
    if state.led >= 0:
        row[_LED + state.led] = 1
    if state.trump >= 0:
        row[_TRUMP + state.trump] = 1
    row[_STOCK] = open_cards + rules.cards - state.top
    row[_DEALER] = state.dealer
    row[_TURN] = state.turn
    row[_DONE] = 1 if state.done else 0
    _write_optional(rules, state, row)


@kernel
def _write_optional(rules, state, row):
    """Write the blocks that only some rules have."""
    decision = _BASE_SIZE
    low = decision + (_DECISION_SIZE if rules.has_choices else 0)
    hidden = low + (_LOW_SIZE if rules.high_low else 0)
    if rules.has_choices:
        row[decision] = state.decision
    if rules.high_low:
        row[low] = state.low
    if rules.humbug:
        _write_hidden(rules, state, row, hidden)


@kernel
def _write_hidden(rules, state, row, start):
    """Write the cards of humbug that nobody holds or has played: in the next blind hand, the other, a discarded one."""
    held = state.hands[0] | state.hands[1] | state.played[0] | state.played[1]
    discarded = state.discarded[0] | state.discarded[1]
    # Cards are dealt in turns of four, those in the middle to the blind hands; the first of them is swapped first.
    next_blind = 1 + state.exchanged[0] + state.exchanged[1]
    for position in range(rules.cards):
        card = state.deck[position]
        bit = np.uint64(1) << np.uint64(card)
        if not held & bit:
            row[start + card] = 3 if discarded & bit else 1 if position % 4 == next_blind else 2


@kernel
def write_full_states(rules, states, out):
    """Write the full states of a batch into ``out``, int8[len(states), n_state], of zeros."""
    for i in range(states.shape[0]):
        write_full_state(rules[0], states[i], out[i])
