"""Kernels that rename the suits and ranks of views; ``canonical`` explains why and how."""

from __future__ import annotations

import numpy as np

from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel

TRUMP_SLOT = 3

# A row of roles, int8[ROLES]: the card behind each role, the role of each card, the suit behind each slot.
ROLES = 52 + 52 + 4
_ROLE_OF = 52
_SUIT_OF = 104

_SUIT = np.uint64(0x1FFF)
_ONE = np.uint64(1)
_CARDS = (_ONE << np.uint64(52)) - _ONE
_CHOICES = np.uint64(0b11 << 52)  # actions that are not cards


@kernel
def _part(mask, suit):
    """Return the ranks of one suit of a mask."""
    return (mask >> np.uint64(13 * suit)) & _SUIT


@kernel
def _suit_key(view, suit):
    """Sort key of a suit: trumps last, the others by length, ranks held, then ranks unseen."""
    if suit == view.trump:
        return np.uint64(2**62)
    held = _part(view.hand, suit)
    key = np.uint64(popcount(held)) << np.uint64(26)
    return key | (held << np.uint64(13)) | _part(view.unseen, suit)


@kernel
def _places_key(view, suit):
    """Second sort key, for suits alike in hand and unseen cards: where their other cards are."""
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
    """Third sort key, for suits with the same cards in the same places: how play went in them."""
    key = (_rank_in(view.led, suit) << np.uint64(13)) | _part(view.face_up, suit)
    key = (key << np.uint64(13)) | _part(view.out, suit)
    for count in (view.void_self[suit], view.void_opponent[suit], view.drawn_self[suit], view.drawn_opponent[suit]):
        key = (key << np.uint64(5)) | np.uint64(count)
    return key


@kernel
def _comes_before(view, suit, other):
    """Return whether a suit takes an earlier slot than another; false both ways when nothing tells them apart."""
    key, than = _suit_key(view, suit), _suit_key(view, other)
    if key == than:
        key, than = _places_key(view, suit), _places_key(view, other)
    if key == than:
        key, than = _course_key(view, suit), _course_key(view, other)
    return key < than


@kernel
def _order_suits(view, roles):
    """Write the suit that takes each slot (insertion sort)."""
    for suit in range(4):
        slot = suit
        while slot > 0 and _comes_before(view, suit, np.int64(roles[_SUIT_OF + slot - 1])):
            roles[_SUIT_OF + slot] = roles[_SUIT_OF + slot - 1]
            slot -= 1
        roles[_SUIT_OF + slot] = suit


@kernel
def _count_live_ranks(view, roles):
    """Write the role of each card by its rank among the live cards of its suit; suits keep their places."""
    live = view.hand | view.unseen | view.opponent_known | view.face_up
    if view.led >= 0:
        live |= _ONE << np.uint64(view.led)
    for suit in range(4):
        of_suit = _part(live, suit)
        rank = 12
        dead_rank = 12 - popcount(of_suit)
        for place in range(12, -1, -1):
            if (of_suit >> np.uint64(place)) & _ONE:
                roles[_ROLE_OF + 13 * suit + place] = 13 * suit + rank
                rank -= 1
            else:
                roles[_ROLE_OF + 13 * suit + place] = 13 * suit + dead_rank
                dead_rank -= 1


@kernel
def renamed_mask(mask, roles):
    """Return a mask with its cards renamed; actions that are not cards stay."""
    renamed = mask & _CHOICES
    mask &= _CARDS
    while mask:
        renamed |= _ONE << np.uint64(roles[_ROLE_OF + lowest(mask)])
        mask &= mask - _ONE
    return renamed


@kernel
def _rename_ranks(view, roles):
    """Rename the ranks of a view to ranks among its live cards."""
    _count_live_ranks(view, roles)
    view.hand = renamed_mask(view.hand, roles)
    view.legal = renamed_mask(view.legal, roles)
    view.played_self = renamed_mask(view.played_self, roles)
    view.played_opponent = renamed_mask(view.played_opponent, roles)
    view.opponent_known = renamed_mask(view.opponent_known, roles)
    view.own_known = renamed_mask(view.own_known, roles)
    view.unseen = renamed_mask(view.unseen, roles)
    view.face_up = renamed_mask(view.face_up, roles)
    view.out = renamed_mask(view.out, roles)
    if view.led >= 0:
        view.led = roles[_ROLE_OF + view.led]


@kernel
def _with_suits(mask, roles):
    """Return a mask with each suit moved to its slot; actions that are not cards stay."""
    renamed = mask & _CHOICES
    for slot in range(4):
        renamed |= _part(mask, roles[_SUIT_OF + slot]) << np.uint64(13 * slot)
    return renamed


@kernel
def rename_view(view, new, roles, live):
    """Rename the cards of a view: every field that depends on suits or ranks.

    Args:
        view: a record of ``VIEW``.
        new: a copy of it, changed in place.
        roles: int8[ROLES], written.
        live: whether ranks are counted among the live cards.
    """
    if live:
        _rename_ranks(new, roles)
    _order_suits(new, roles)
    for slot in range(4):
        suit = np.int64(roles[_SUIT_OF + slot])
        for rank in range(13):
            card = 13 * suit + rank
            role = 13 * slot + (roles[_ROLE_OF + card] % 13 if live else rank)
            roles[_ROLE_OF + card] = role
            roles[role] = card
        new.void_self[slot] = view.void_self[suit]
        new.void_opponent[slot] = view.void_opponent[suit]
        new.drawn_self[slot] = view.drawn_self[suit]
        new.drawn_opponent[slot] = view.drawn_opponent[suit]
    new.hand = _with_suits(new.hand, roles)
    new.legal = _with_suits(new.legal, roles)
    new.played_self = _with_suits(new.played_self, roles)
    new.played_opponent = _with_suits(new.played_opponent, roles)
    new.opponent_known = _with_suits(new.opponent_known, roles)
    new.own_known = _with_suits(new.own_known, roles)
    new.unseen = _with_suits(new.unseen, roles)
    new.face_up = _with_suits(new.face_up, roles)
    new.out = _with_suits(new.out, roles)
    if view.led >= 0:
        new.led = roles[_ROLE_OF + view.led]
    new.trump = TRUMP_SLOT if view.trump >= 0 else -1


@kernel
def rename_views(views, renamed, roles, live):
    """Write views with their cards by role; see :func:`rename_view`."""
    for i in range(views.shape[0]):
        rename_view(views[i], renamed[i], roles[i], live)


@kernel
def write_true_actions(chosen, roles, actions):
    """Write the action behind each chosen role."""
    for i in range(chosen.shape[0]):
        actions[i] = named_action(chosen[i], roles[i])


@kernel
def role_of(card, roles):
    """Return the role of a card."""
    return np.int64(roles[_ROLE_OF + card])


@kernel
def action_role(action, roles):
    """Return the role of an action; those that are not cards stay."""
    return role_of(action, roles) if action < 52 else np.int64(action)


@kernel
def named_action(action, roles):
    """Return the action behind a role; those that are not cards stay."""
    return np.int64(roles[action]) if action < 52 else action
