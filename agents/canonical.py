"""Suits by role instead of by name, so that a network need not learn every strategy once for each suit.

The rules do not care which suit is which: only the trump suit is special. Before a network sees a view, its suits are
renamed: trumps become spades, and the plain suits take clubs, diamonds and hearts by rising length in the own hand
(then by its ranks, then by the ranks unseen, then by all else that the view tells of them). So a view with its suits
renamed in any way becomes the same. The chosen card is renamed back.
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
_CHOICES = np.uint64(0b11 << 52)  # actions that are not cards


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
def _places_key(view, suit):
    """Order suits that are alike in hand and unseen by where their other cards are."""
    key = _part(view.opponent_known, suit)
    key = (key << np.uint64(13)) | _part(view.own_known, suit)
    key = (key << np.uint64(13)) | _part(view.played_self, suit)
    return (key << np.uint64(13)) | _part(view.played_opponent, suit)


@kernel
def _rank_in(card, suit):
    """Return the rank of a card, from 1; 0 when it is of another suit or no card."""
    return np.uint64(1 + card % 13 if card >= 0 and card // 13 == suit else 0)


@kernel
def _course_key(view, suit):
    """Order suits that hold the same cards in the same places by how play went in them."""
    key = (_rank_in(view.led, suit) << np.uint64(13)) | _part(view.face_up, suit)
    key = (key << np.uint64(13)) | _part(view.out, suit)
    for count in (view.void_self[suit], view.void_opponent[suit], view.drawn_self[suit], view.drawn_opponent[suit]):
        key = (key << np.uint64(5)) | np.uint64(count)
    return key


@kernel
def _comes_before(view, suit, other):
    """Return whether a suit takes an earlier slot; of two suits neither does when nothing tells them apart."""
    key, than = _suit_key(view, suit), _suit_key(view, other)
    if key == than:
        key, than = _places_key(view, suit), _places_key(view, other)
    if key == than:
        key, than = _course_key(view, suit), _course_key(view, other)
    return key < than


@kernel
def _order_suits(view, suits):
    """Write the suit that takes each slot (insertion sort)."""
    for suit in range(4):
        slot = suit
        while slot > 0 and _comes_before(view, suit, np.int64(suits[slot - 1])):
            suits[slot] = suits[slot - 1]
            slot -= 1
        suits[slot] = suit


@kernel
def rename_mask(mask, suits):
    """Return a mask of cards with the suits renamed: the suit ``suits[slot]`` becomes ``slot``."""
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
def rename_view(view, new, order):
    """Write a view with its suits renamed, all fields that depend on suits, and the suit behind each slot."""
    _order_suits(view, order)
    new.hand = rename_mask(view.hand, order)
    new.legal = rename_mask(view.legal, order) | (view.legal & _CHOICES)
    new.played_self = rename_mask(view.played_self, order)
    new.played_opponent = rename_mask(view.played_opponent, order)
    new.opponent_known = rename_mask(view.opponent_known, order)
    new.own_known = rename_mask(view.own_known, order)
    new.unseen = rename_mask(view.unseen, order)
    for slot in range(4):
        new.void_self[slot] = view.void_self[order[slot]]
        new.void_opponent[slot] = view.void_opponent[order[slot]]
        new.drawn_self[slot] = view.drawn_self[order[slot]]
        new.drawn_opponent[slot] = view.drawn_opponent[order[slot]]
    new.face_up = rename_mask(view.face_up, order)
    new.out = rename_mask(view.out, order)
    new.led = _rename_card(view.led, order)
    new.trump = TRUMP_SLOT if view.trump >= 0 else -1


@kernel
def _canonical(views, renamed, suits):
    for i in range(views.shape[0]):
        rename_view(views[i], renamed[i], suits[i])


@kernel
def _name_back(cards, suits, actions):
    for i in range(cards.shape[0]):
        card = cards[i]
        actions[i] = 13 * np.int64(suits[i, card // 13]) + card % 13 if card < 52 else card


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
