"""Suits by role instead of by name, so that a network need not learn every strategy once for each suit.

The rules do not care which suit is which: only the trump suit is special. Before a network sees a view, its suits are
renamed: trumps become spades, and the plain suits take clubs, diamonds and hearts by rising length in the own hand
(then by its ranks, then by the ranks unseen). The chosen card is renamed back.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import Actions, Views
from german_whist.envs.bits import popcount
from german_whist.envs.jit import kernel
from german_whist.envs.views import VIEW

TRUMP_SLOT = 3

_SUIT = np.uint64(0x1FFF)


@kernel
def _part(mask, suit):
    """Return the ranks of one suit of a mask."""
    return (mask >> np.uint64(13 * suit)) & _SUIT


@kernel
def _suit_key(view, suit):
    """Order suits: trumps last, the others by length, ranks held and ranks unseen."""
    if suit == view.trump:
        return np.uint64(2**62)
    held = _part(view.hand, suit)
    key = np.uint64(popcount(held)) << np.uint64(26)
    return key | (held << np.uint64(13)) | _part(view.unseen, suit)


@kernel
def _order_suits(view, suits):
    """Write the suit that takes each slot (insertion sort; suits alike in everything keep their order)."""
    for suit in range(4):
        slot = suit
        key = _suit_key(view, suit)
        while slot > 0 and _suit_key(view, suits[slot - 1]) > key:
            suits[slot] = suits[slot - 1]
            slot -= 1
        suits[slot] = suit


@kernel
def _rename_mask(mask, suits):
    renamed = np.uint64(0)
    for slot in range(4):
        renamed |= _part(mask, suits[slot]) << np.uint64(13 * slot)
    return renamed


@kernel
def _rename_card(card, suits):
    if card < 0:
        return -1
    for slot in range(4):
        if suits[slot] == card // 13:
            return 13 * slot + card % 13
    return -1


@kernel
def _canonical(views, renamed, suits):
    for i in range(views.shape[0]):
        view = views[i]
        new = renamed[i]
        order = suits[i]
        _order_suits(view, order)
        new.hand = _rename_mask(view.hand, order)
        new.legal = _rename_mask(view.legal, order)
        new.played_self = _rename_mask(view.played_self, order)
        new.played_opponent = _rename_mask(view.played_opponent, order)
        new.opponent_known = _rename_mask(view.opponent_known, order)
        new.own_known = _rename_mask(view.own_known, order)
        new.unseen = _rename_mask(view.unseen, order)
        for slot in range(4):
            new.void_self[slot] = view.void_self[order[slot]]
            new.void_opponent[slot] = view.void_opponent[order[slot]]
            new.drawn_self[slot] = view.drawn_self[order[slot]]
            new.drawn_opponent[slot] = view.drawn_opponent[order[slot]]
        new.face_up = _rename_card(view.face_up, order)
        new.led = _rename_card(view.led, order)
        new.trump = TRUMP_SLOT


@kernel
def _name_back(cards, suits, actions):
    for i in range(cards.shape[0]):
        actions[i] = 13 * np.int64(suits[i, cards[i] // 13]) + cards[i] % 13


def canonical_views(views: Views) -> tuple[Views, npt.NDArray[np.int8]]:
    """Return views with their suits renamed, and the suit behind each slot.

    Args:
        views: ``VIEW`` array of shape (n,).

    Returns:
        A new ``VIEW`` array of shape (n,), and int8[n, 4]: the true suit of slots C D H S.
    """
    renamed = np.array(views, VIEW)
    suits = np.zeros((len(views), 4), np.int8)
    _canonical(np.ascontiguousarray(views), renamed, suits)
    return renamed, suits


def true_cards(cards: npt.NDArray[np.int64], suits: npt.NDArray[np.int8]) -> Actions:
    """Return the true cards behind renamed ones, int64[n].

    Args:
        cards: renamed cards, int64[n].
        suits: as :func:`canonical_views` returns them.
    """
    actions = np.empty(len(cards), np.int64)
    _name_back(np.asarray(cards, np.int64), suits, actions)
    return actions
