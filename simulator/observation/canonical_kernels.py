"""Kernels that relabel the suits and ranks of views; ``canonical`` explains why and how."""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.row_kernels import row_kernel

TRUMP_SLOT = 3

# A relabeling, int8[RELABELING_SIZE]: the true card of each canonical card, the canonical card of each true card, and
# the true suit of each canonical suit (its *slot*).
RELABELING_SIZE = 52 + 52 + 4
_ENCODED = 52
_SUITS = 104

_SUIT = np.uint64(0x1FFF)
_ONE = np.uint64(1)
_CARDS = (_ONE << np.uint64(52)) - _ONE
_CHOICES = np.uint64(0b11 << 52)  # actions that are not cards


@kernel
def _part(mask, suit):
    """Return one suit of a mask as 13 bits, by rank."""
    return (mask >> np.uint64(13 * suit)) & _SUIT


@kernel
def _suit_key(view, suit):
    """Return the first sort key of a suit: trumps last, the others by length, ranks held, then ranks unseen."""
    if suit == view.trump:
        return np.uint64(2**62)
    held = _part(view.hand, suit)
    key = np.uint64(popcount(held)) << np.uint64(26)
    return key | (held << np.uint64(13)) | _part(view.unseen, suit)


@kernel
def _places_key(view, suit):
    """Return the second sort key, for suits alike in hand and unseen cards: where their other cards are."""
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
    """Return the third sort key, for suits with the same cards in the same places: how play went in them."""
    key = (_rank_in(view.led, suit) << np.uint64(13)) | _part(view.face_up, suit)
    key = (key << np.uint64(13)) | _part(view.discarded, suit)
    for count in (view.void_self[suit], view.void_opponent[suit], view.drawn_self[suit], view.drawn_opponent[suit]):
        # Five bits are enough: no deal has more than 26 tricks or draws.
        key = (key << np.uint64(5)) | np.uint64(count)
    return key


@kernel
def _comes_before(view, suit, other):
    """Return whether a suit takes an earlier slot than another.

    It is false both ways if nothing tells them apart; then either order gives the same view.
    """
    # The later keys are rarely needed, so they are made only for ties.
    key, than = _suit_key(view, suit), _suit_key(view, other)
    if key == than:
        key, than = _places_key(view, suit), _places_key(view, other)
    if key == than:
        key, than = _course_key(view, suit), _course_key(view, other)
    return key < than


@kernel
def _order_suits(view, relabeling):
    """Write the suit that takes each slot (insertion sort)."""
    for suit in range(4):
        slot = suit
        while slot > 0 and _comes_before(view, suit, np.int64(relabeling[_SUITS + slot - 1])):
            relabeling[_SUITS + slot] = relabeling[_SUITS + slot - 1]
            slot -= 1
        relabeling[_SUITS + slot] = suit


@kernel
def _unplayed_cards(view):
    """Return the cards in play as a mask; a card led is one of them until its trick ends."""
    unplayed = view.hand | view.unseen | view.opponent_known | view.face_up
    return unplayed | _bit(view.led)


@kernel
def _bit(card):
    """Return the mask of a card, or of none (−1)."""
    return _ONE << np.uint64(card) if card >= 0 else np.uint64(0)


@kernel
def _rank_by_unplayed(unplayed, relabeling):
    """Relabel cards by rank among the unplayed cards of their suit, and return the relabeled unplayed cards.

    Suits keep their places. Cards that are not in a short deck count as played.
    """
    relabeled = np.uint64(0)
    for suit in range(4):
        of_suit = _part(unplayed, suit)
        count = popcount(of_suit)
        # The ``count`` highest ranks of the suit; played cards take the ranks below, in their order.
        relabeled |= ((_SUIT << np.uint64(13 - count)) & _SUIT) << np.uint64(13 * suit)
        rank = 13 * suit + 12
        played_rank = rank - count
        for card in range(13 * suit + 12, 13 * suit - 1, -1):
            is_unplayed = np.int64((unplayed >> np.uint64(card)) & _ONE)
            relabeling[_ENCODED + card] = rank if is_unplayed else played_rank
            rank -= is_unplayed
            played_rank -= 1 - is_unplayed
    return relabeled


@kernel
def relabeled_mask(mask, relabeling):
    """Return a mask with its cards relabeled; actions that are not cards stay."""
    relabeled = mask & _CHOICES
    mask &= _CARDS
    while mask:
        relabeled |= _ONE << np.uint64(relabeling[_ENCODED + lowest(mask)])
        mask &= mask - _ONE
    return relabeled


@kernel
def _relabel_ranks(view, relabeling):
    """Relabel the cards of a view by rank among its unplayed cards; suits keep their places."""
    unplayed = _rank_by_unplayed(_unplayed_cards(view), relabeling)
    hand, legal, known = view.hand, view.legal, view.own_known
    new_hand = np.uint64(0)
    new_legal, new_known = relabeled_mask(legal & ~hand, relabeling), relabeled_mask(known & ~hand, relabeling)
    # One pass over the hand relabels three masks: nearly all legal and known cards are in it.
    while hand:
        card = lowest(hand)
        hand &= hand - _ONE
        encoded = np.uint64(relabeling[_ENCODED + card])
        new_hand |= _ONE << encoded
        new_legal |= ((legal >> np.uint64(card)) & _ONE) << encoded
        new_known |= ((known >> np.uint64(card)) & _ONE) << encoded
    seen = view.hand | view.opponent_known | view.face_up | _bit(view.led)
    view.hand, view.legal, view.own_known = new_hand, new_legal, new_known
    view.played_self = relabeled_mask(view.played_self, relabeling)
    view.played_opponent = relabeled_mask(view.played_opponent, relabeling)
    view.opponent_known = relabeled_mask(view.opponent_known, relabeling)
    view.face_up = relabeled_mask(view.face_up, relabeling)
    view.discarded = relabeled_mask(view.discarded, relabeling)
    if view.led >= 0:
        view.led = relabeling[_ENCODED + view.led]
    new_seen = view.hand | view.opponent_known | view.face_up | _bit(view.led)
    # The unseen cards, the largest mask, need no pass: they are what the other cards leave of the unplayed ones. The
    # second term keeps cards that are seen as well as unseen, which only observations made by hand can have.
    view.unseen = (unplayed & ~new_seen) | relabeled_mask(view.unseen & seen, relabeling)


@kernel
def _with_suits(mask, suits):
    """Return a mask with each suit moved to its slot; actions that are not cards stay.

    ``suits`` are the suits by slot, four int64. Moving whole suits is much faster than moving cards.
    """
    first, second, third, fourth = suits
    relabeled = (mask & _CHOICES) | _part(mask, first) | (_part(mask, second) << np.uint64(13))
    return relabeled | (_part(mask, third) << np.uint64(26)) | (_part(mask, fourth) << np.uint64(39))


@kernel
def relabel_view(view, new, relabeling, rank_by_unplayed):
    """Relabel the cards of a view: every field that depends on suits or ranks.

    Args:
        view: a record of ``VIEW``.
        new: a copy of it, changed in place.
        relabeling: int8[RELABELING_SIZE], written.
        rank_by_unplayed: whether ranks are counted among the unplayed cards.
    """
    if rank_by_unplayed:  # first, because the order of the suits depends on the ranks
        _relabel_ranks(new, relabeling)
    else:
        for card in range(52):
            relabeling[_ENCODED + card] = card
    _order_suits(new, relabeling)
    for slot in range(4):
        suit = np.int64(relabeling[_SUITS + slot])
        moved = np.int8(13 * (slot - suit))
        for card in range(_ENCODED + 13 * suit, _ENCODED + 13 * suit + 13):
            relabeling[card] += moved
        # Read from ``view``: the loop overwrites these fields of ``new`` slot by slot.
        new.void_self[slot] = view.void_self[suit]
        new.void_opponent[slot] = view.void_opponent[suit]
        new.drawn_self[slot] = view.drawn_self[suit]
        new.drawn_opponent[slot] = view.drawn_opponent[suit]
    for card in range(52):  # the inverse; an unsigned index spares numba the test for negative ones
        relabeling[np.uint64(relabeling[_ENCODED + card])] = card
    suits = (
        np.int64(relabeling[_SUITS]),
        np.int64(relabeling[_SUITS + 1]),
        np.int64(relabeling[_SUITS + 2]),
        np.int64(relabeling[_SUITS + 3]),
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
        new.led = relabeling[_ENCODED + view.led]
    new.trump = TRUMP_SLOT if view.trump >= 0 else -1


@row_kernel
def relabel_views(i, views, canonical, relabeling, rank_by_unplayed):
    """Write the canonical form of view ``i``; see :func:`relabel_view`."""
    relabel_view(views[i], canonical[i], relabeling[i], rank_by_unplayed)


@row_kernel
def write_decoded_actions(i, chosen, relabeling, actions):
    """Write the true action of row ``i``'s canonical action."""
    actions[i] = decode_action(chosen[i], relabeling[i])


@kernel
def encode_action(action, relabeling):
    """Return the canonical form of an action; actions that are not cards stay."""
    return np.int64(relabeling[_ENCODED + action]) if action < 52 else np.int64(action)


@kernel
def decode_action(action, relabeling):
    """Return the true action of a canonical one, which can be any int64; other numbers than cards stay."""
    return np.int64(relabeling[action]) if 0 <= action < 52 else action
