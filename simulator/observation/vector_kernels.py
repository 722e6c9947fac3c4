"""Kernels that write observation vectors and read them back.

The start of each block is a module-level int taken from ``blocks``; numba compiles it in as a constant.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.layout import starts_of
from german_whist.game.state import ENDGAME, FOREPLAY
from german_whist.game.state_kernels import cards_that_follow
from german_whist.game.utils.bit_kernels import write_cards
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.row_kernels import row_kernel
from german_whist.simulator.observation.blocks import VECTOR_BLOCKS, VECTOR_OPTIONAL_BLOCKS
from german_whist.simulator.observation.view_kernels import write_settings

_ONE = np.uint64(1)

_START = starts_of(VECTOR_BLOCKS)
_OWN_HAND = _START["own_hand"]
_FACE_UP = _START["face_up"]
_LED = _START["led"]
_PLAYED_SELF = _START["played_self"]
_PLAYED_OPPONENT = _START["played_opponent"]
_OPPONENT_KNOWN = _START["opponent_known"]
_OWN_KNOWN = _START["own_known"]
_UNSEEN = _START["unseen"]
_TRUMP = _START["trump"]
_VOID_SELF = _START["void_self"]
_VOID_OPPONENT = _START["void_opponent"]
_DRAWN_SELF = _START["drawn_self"]
_DRAWN_OPPONENT = _START["drawn_opponent"]
_TRICKS_SELF = _START["tricks_self"]
_TRICKS_OPPONENT = _START["tricks_opponent"]
_STOCK = _START["stock"]
_DEALER = _START["dealer"]
_TURN = _START["turn"]
_BASE_SIZE = _START["turn"] + 1  # the features that every game has

_SIZES = {block.name: block.size for _, block in VECTOR_OPTIONAL_BLOCKS}
_CHOICE_SIZE = _SIZES["choice"]
_LOW_SIZE = _SIZES["low"]
_RACE_SIZE = _SIZES["race"]
_DISCARDED_SIZE = _SIZES["discarded"]


@kernel
def _optional_starts(rules):
    """Return where the blocks choice, low, race, discarded and exchanged start; an absent block takes no room."""
    choice = _BASE_SIZE
    low = choice + (_CHOICE_SIZE if rules.has_choices else 0)
    race = low + (_LOW_SIZE if rules.high_low else 0)
    discarded = race + (_RACE_SIZE if rules.race else 0)
    return choice, low, race, discarded, discarded + _DISCARDED_SIZE


@kernel
def _write_card(card, row, start):
    write_cards(_ONE << np.uint64(card) if card >= 0 else np.uint64(0), row, start)


@kernel
def write_observation(rules, view, row):
    """Write the observation of a ``VIEW`` record into an int8 row, at least n_obs long."""
    write_cards(view.hand, row, _OWN_HAND)
    write_cards(view.face_up, row, _FACE_UP)
    _write_card(view.led, row, _LED)
    write_cards(view.played_self, row, _PLAYED_SELF)
    write_cards(view.played_opponent, row, _PLAYED_OPPONENT)
    write_cards(view.opponent_known, row, _OPPONENT_KNOWN)
    write_cards(view.own_known, row, _OWN_KNOWN)
    write_cards(view.unseen, row, _UNSEEN)
    for suit in range(4):
        row[_TRUMP + suit] = 1 if suit == view.trump else 0
        row[_VOID_SELF + suit] = view.void_self[suit]
        row[_VOID_OPPONENT + suit] = view.void_opponent[suit]
        row[_DRAWN_SELF + suit] = view.drawn_self[suit]
        row[_DRAWN_OPPONENT + suit] = view.drawn_opponent[suit]
    for stage in range(2):
        row[_TRICKS_SELF + stage] = view.tricks_self[stage]
        row[_TRICKS_OPPONENT + stage] = view.tricks_opponent[stage]
    row[_STOCK] = view.stock
    row[_DEALER] = view.dealer
    row[_TURN] = view.turn
    if row.shape[0] > _BASE_SIZE:  # the classic game has no other blocks
        _write_optional(rules, view, row)


@kernel
def _write_optional(rules, view, row):
    """Write the blocks that only some rules have."""
    choice, low, race, discarded, exchanged = _optional_starts(rules)
    if rules.has_choices:
        row[choice] = view.choice
    if rules.high_low:
        row[low] = view.low
    if rules.race:
        row[race] = rules.race - _counted(rules, view.tricks_self)
        row[race + 1] = rules.race - _counted(rules, view.tricks_opponent)
    if rules.humbug:
        write_cards(view.discarded, row, discarded)
        row[exchanged] = view.exchanged_self
        row[exchanged + 1] = view.exchanged_opponent


@kernel
def _counted(rules, tricks):
    return tricks[ENDGAME] + tricks[FOREPLAY] * rules.all_count


@row_kernel(writes="row")
def write_observations(i, rules, views, row):
    """Write the observation of view ``i`` into a row of int8[len(views), n_obs]."""
    write_observation(rules[0], views[i], row)


@kernel
def write_mask(legal, row):
    """Write legal actions, a uint64 mask, into int8[num_actions], as 0 and 1."""
    write_cards(legal, row, 0)
    for choice in range(52, row.shape[0]):
        row[choice] = (legal >> np.uint64(choice)) & _ONE


@row_kernel(writes="row")
def write_masks(i, legal, row):
    """Write legal actions, a uint64 mask, into a row of int8[rows, num_actions], as 0 and 1."""
    write_mask(legal[i], row)


@row_kernel(writes="row")
def write_view_masks(i, views, row):
    """Write the legal actions of view ``i`` into a row of int8[len(views), num_actions], as 0 and 1."""
    write_mask(views[i].legal, row)


@kernel
def _read_cards(row, start):
    mask = np.uint64(0)
    for card in range(52):
        if row[start + card]:
            mask |= _ONE << np.uint64(card)
    return mask


@kernel
def _read_one_hot(row, start, size):
    """Return the index of the first feature that is not 0; −1 if there is none."""
    for index in range(size):
        if row[start + index]:
            return index
    return -1


@kernel
def read_observations(rules, rows, views):
    """Read observations, int8[rows, n_obs], into a zeroed ``VIEW`` array: the inverse of ``write_observations``."""
    for i in range(rows.shape[0]):
        row = rows[i]
        view = views[i]
        view.hand = _read_cards(row, _OWN_HAND)
        view.face_up = _read_cards(row, _FACE_UP)
        view.led = _read_one_hot(row, _LED, 52)
        view.played_self = _read_cards(row, _PLAYED_SELF)
        view.played_opponent = _read_cards(row, _PLAYED_OPPONENT)
        view.opponent_known = _read_cards(row, _OPPONENT_KNOWN)
        view.own_known = _read_cards(row, _OWN_KNOWN)
        view.unseen = _read_cards(row, _UNSEEN)
        view.trump = _read_one_hot(row, _TRUMP, 4)
        for suit in range(4):
            view.void_self[suit] = row[_VOID_SELF + suit]
            view.void_opponent[suit] = row[_VOID_OPPONENT + suit]
            view.drawn_self[suit] = row[_DRAWN_SELF + suit]
            view.drawn_opponent[suit] = row[_DRAWN_OPPONENT + suit]
        for stage in range(2):
            view.tricks_self[stage] = row[_TRICKS_SELF + stage]
            view.tricks_opponent[stage] = row[_TRICKS_OPPONENT + stage]
        view.stock = row[_STOCK]
        view.dealer = row[_DEALER]
        view.turn = row[_TURN]
        # What the vector leaves out follows from the rules, and the legal actions from the rest of the view.
        write_settings(rules[0], view)
        _read_optional(rules[0], row, view)
        view.legal = _legal(rules[0], view) if view.turn else np.uint64(0)


@kernel
def _read_optional(rules, row, view):
    choice, low, _, discarded, exchanged = _optional_starts(rules)
    if rules.has_choices:
        view.choice = row[choice]
    if rules.high_low:
        view.low = row[low]
    if rules.humbug:
        view.discarded = _read_cards(row, discarded)
        view.exchanged_self = row[exchanged]
        view.exchanged_opponent = row[exchanged + 1]


@kernel
def _legal(rules, view):
    """Return the legal actions of a view whose seat is to act, as a mask."""
    if view.choice:
        if rules.open_stock > 1:
            return view.face_up
        return (_ONE << np.uint64(52)) | (_ONE << np.uint64(53))
    return cards_that_follow(view.hand, view.led)
