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
    key = (key << np.uint64(13)) | _part(view.discarded, suit)
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
def _unplayed_cards(view):
    """Return the cards in play as a mask."""
    unplayed = view.hand | view.unseen | view.opponent_known | view.face_up
    return unplayed | _bit(view.led)


@kernel
def _bit(card):
    """Return the mask of a card, or of none (−1)."""
    return _ONE << np.uint64(card) if card >= 0 else np.uint64(0)


@kernel
def _rank_by_unplayed(unplayed, roles):
    """Write the role of each card by its rank among the unplayed cards of its suit, and return these by role.

    Suits keep their places.
    """
    renamed = np.uint64(0)
    for suit in range(4):
        of_suit = _part(unplayed, suit)
        count = popcount(of_suit)
        renamed |= ((_SUIT << np.uint64(13 - count)) & _SUIT) << np.uint64(13 * suit)
        rank = 13 * suit + 12
        played_rank = rank - count
        for place in range(13 * suit + 12, 13 * suit - 1, -1):
            is_unplayed = np.int64((unplayed >> np.uint64(place)) & _ONE)
            roles[_ROLE_OF + place] = rank if is_unplayed else played_rank
            rank -= is_unplayed
            played_rank -= 1 - is_unplayed
    return renamed


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
    """Rename the ranks of a view to ranks among its unplayed cards."""
    unplayed = _rank_by_unplayed(_unplayed_cards(view), roles)
    hand, legal, known = view.hand, view.legal, view.own_known
    new_hand = np.uint64(0)
    new_legal, new_known = renamed_mask(legal & ~hand, roles), renamed_mask(known & ~hand, roles)
    while hand:  # which holds nearly all of the other two
        card = lowest(hand)
        hand &= hand - _ONE
        role = np.uint64(roles[_ROLE_OF + card])
        new_hand |= _ONE << role
        new_legal |= ((legal >> np.uint64(card)) & _ONE) << role
        new_known |= ((known >> np.uint64(card)) & _ONE) << role
    seen = view.hand | view.opponent_known | view.face_up | _bit(view.led)
    view.hand, view.legal, view.own_known = new_hand, new_legal, new_known
    view.played_self = renamed_mask(view.played_self, roles)
    view.played_opponent = renamed_mask(view.played_opponent, roles)
    view.opponent_known = renamed_mask(view.opponent_known, roles)
    view.face_up = renamed_mask(view.face_up, roles)
    view.discarded = renamed_mask(view.discarded, roles)
    if view.led >= 0:
        view.led = roles[_ROLE_OF + view.led]
    new_seen = view.hand | view.opponent_known | view.face_up | _bit(view.led)
    view.unseen = (unplayed & ~new_seen) | renamed_mask(view.unseen & seen, roles)


@kernel
def _with_suits(mask, suits):
    """Return a mask with each suit moved to its slot; actions that are not cards stay."""
    first, second, third, fourth = suits
    renamed = (mask & _CHOICES) | _part(mask, first) | (_part(mask, second) << np.uint64(13))
    return renamed | (_part(mask, third) << np.uint64(26)) | (_part(mask, fourth) << np.uint64(39))


@kernel
def rename_view(view, new, roles, rank_by_unplayed):
    """Rename the cards of a view: every field that depends on suits or ranks.

    Args:
        view: a record of ``VIEW``.
        new: a copy of it, changed in place.
        roles: int8[ROLES], written.
        rank_by_unplayed: whether ranks are counted among the unplayed cards.
    """
    if rank_by_unplayed:
        _rename_ranks(new, roles)
    else:
        for card in range(52):
            roles[_ROLE_OF + card] = card
    _order_suits(new, roles)
    for slot in range(4):
        suit = np.int64(roles[_SUIT_OF + slot])
        moved = np.int8(13 * (slot - suit))
        for card in range(_ROLE_OF + 13 * suit, _ROLE_OF + 13 * suit + 13):
            roles[card] += moved
        new.void_self[slot] = view.void_self[suit]
        new.void_opponent[slot] = view.void_opponent[suit]
        new.drawn_self[slot] = view.drawn_self[suit]
        new.drawn_opponent[slot] = view.drawn_opponent[suit]
    for card in range(52):
        roles[np.uint64(roles[_ROLE_OF + card])] = card
    suits = (
        np.int64(roles[_SUIT_OF]),
        np.int64(roles[_SUIT_OF + 1]),
        np.int64(roles[_SUIT_OF + 2]),
        np.int64(roles[_SUIT_OF + 3]),
    )
    new.hand = _with_suits(new.hand, suits)
    new.legal = _with_suits(new.legal, suits)
    new.played_self = _with_suits(new.played_self, suits)
    new.played_opponent = _with_suits(new.played_opponent, suits)
    new.opponent_known = _with_suits(new.opponent_known, suits)
    new.own_known = _with_suits(new.own_known, suits)
    new.unseen = _with_suits(new.unseen, suits)
    new.face_up = _with_suits(new.face_up, suits)
    new.discarded = _with_suits(new.discarded, suits)
    if view.led >= 0:
        new.led = roles[_ROLE_OF + view.led]
    new.trump = TRUMP_SLOT if view.trump >= 0 else -1


@kernel
def rename_views(views, renamed, roles, rank_by_unplayed):
    """Write views with their cards by role; see :func:`rename_view`."""
    for i in range(views.shape[0]):
        rename_view(views[i], renamed[i], roles[i], rank_by_unplayed)


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
