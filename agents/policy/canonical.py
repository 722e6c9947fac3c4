"""Cards by role instead of by name, so that a network need not learn every strategy once for each suit and rank.

The rules do not care which suit is which: only the trump suit is special. Before a network sees a view, its suits are
renamed: trumps become spades, and the plain suits take clubs, diamonds and hearts by rising length in the own hand
(then by its ranks, then by the ranks unseen, then by all else that the view tells of them). So a view with its suits
renamed in any way becomes the same. The chosen card is renamed back.

Ranks can be counted among the *live* cards, those that are still in play, from the top: what is highest of its suit now
is an ace. Dead cards take the lowest ranks. So a view becomes the same as others that are played alike.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Actions, Views
from german_whist.agents.policy.checkpoint import LIVE, NAMED, RANKS
from german_whist.envs.observation.views import VIEW
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel
from german_whist.envs.utils.specs import unknown_name

Number = TypeVar("Number", bound=np.generic)

TRUMP_SLOT = 3

ROLES = 52 + 52 + 4
"""Length of a row of roles: the card behind each role, the role of each card, the suit behind each slot."""
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
    """Write the role of each card by its rank among the live cards, suits by name."""
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
    """Count the ranks of a view among its live cards."""
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
    """Return a mask of cards with the suit behind each slot in that slot; actions that are not cards stay."""
    renamed = mask & _CHOICES
    for slot in range(4):
        renamed |= _part(mask, roles[_SUIT_OF + slot]) << np.uint64(13 * slot)
    return renamed


@kernel
def rename_view(view, new, roles, live):
    """Write a view with its cards by role: all fields that depend on suits or ranks.

    Args:
        view: a record of ``VIEW``.
        new: a copy of it, written.
        roles: int8[ROLES], written: the card behind each role, the role of each card, the suit behind each slot.
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
def _canonical(views, renamed, roles, live):
    for i in range(views.shape[0]):
        rename_view(views[i], renamed[i], roles[i], live)


@kernel
def _name_back(chosen, roles, actions):
    for i in range(chosen.shape[0]):
        actions[i] = named_action(chosen[i], roles[i])


@kernel
def role_of(card, roles):
    """Return the role of a card."""
    return np.int64(roles[_ROLE_OF + card])


@kernel
def named_action(action, roles):
    """Return the action behind a role; those that are not cards stay."""
    return np.int64(roles[action]) if action < 52 else action


def canonical_views(views: Views, ranks: str = NAMED) -> tuple[Views, npt.NDArray[np.int8]]:
    """Return views with their cards by role, and what is behind the roles.

    Args:
        views: ``VIEW`` array of shape (n,).
        ranks: ``"named"``, or ``"live"``: counted among the live cards.

    Returns:
        A new ``VIEW`` array of shape (n,), and roles, int8[n, ROLES]: the true card behind each role, the role of each
        card, and the suit behind slots C D H S.

    Raises:
        ValueError: when ranks cannot be counted so.
    """
    if ranks not in RANKS:
        raise unknown_name("ranks", ranks, RANKS)
    renamed = np.array(views, VIEW)
    roles = np.zeros((len(views), ROLES), np.int8)
    _canonical(np.ascontiguousarray(views), renamed, roles, ranks == LIVE)
    return renamed, roles


def true_cards(chosen: npt.NDArray[np.int64], roles: npt.NDArray[np.int8]) -> Actions:
    """Return the true cards behind roles, int64[n]; actions that are not cards stay.

    Args:
        chosen: cards by role, int64[n].
        roles: as :func:`canonical_views` returns them.
    """
    actions = np.empty(len(chosen), np.int64)
    _name_back(np.asarray(chosen, np.int64), roles, actions)
    return actions


def by_name(numbers: npt.NDArray[Number], roles: npt.NDArray[np.int8]) -> npt.NDArray[Number]:
    """Return numbers by role, [n, num_actions], by the true names of the cards; for other actions they stay.

    Args:
        numbers: [n, num_actions].
        roles: as :func:`canonical_views` returns them.
    """
    named: npt.NDArray[Number] = numbers.copy()
    np.put_along_axis(named, roles[:, :52].astype(np.int64), numbers[:, :52], axis=1)
    return named


def by_role(numbers: npt.NDArray[Number], roles: npt.NDArray[np.int8]) -> npt.NDArray[Number]:
    """Return numbers by name, [n, num_actions], by role: the inverse of :func:`by_name`."""
    placed: npt.NDArray[Number] = numbers.copy()
    placed[:, :52] = np.take_along_axis(numbers, roles[:, :52].astype(np.int64), axis=1)
    return placed
