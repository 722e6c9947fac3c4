"""Kernels that sample worlds: the hidden cards of a deal, drawn uniformly from all that are consistent with a view.

A world is the set of unseen cards that the opponent holds and the order of those that lie face down. It is consistent
if it agrees with the known cards and the shown voids. A player that showed a void held no card of the suit then, so the
hidden cards of the suit in its hand are among those drawn unseen since. Voids are nested in time: each one limits the
number of hidden cards in its suit and in the suits with later voids, taken together (``write_limits``).

A view does not hold the order in which cards were played, so this constraint is ignored. In an enumeration of all deals
of a deck of 2 × 5 cards with hands of 2, one consistent world in 270 was impossible for that reason; with 2 × 4 cards
none was.

Sampling is exact. The hands within the limits are counted suit by suit, a hand is drawn by its number in that
enumeration (unranking, by binomial coefficients), and every order of the face-down cards goes with every hand. In
``humbug`` the cards that nobody holds are spread evenly over the opponent's discarded hand and the blinds.

Determinization completes a view to a full state by adding a world.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.dealing_kernels import AGENT_STREAM, philox, shuffle
from german_whist.game.state import DRAFT, EXCHANGE, PICK, PICK_AFTER, PLAY
from german_whist.game.state_kernels import suit_mask
from german_whist.game.utils.bit_kernels import lowest, nth_lowest, popcount
from german_whist.game.utils.jit import allocating_kernel, kernel
from german_whist.simulator.observation.view_kernels import cards_of_view

MAX_HAND = 26  # cards in the largest hand
SELF, OPPONENT = 0, 1  # seats in a sampled state: the seat that has the view becomes seat 0

_TURNED_BLOCK = np.uint64(2**31)  # random block of the turned card, far from the blocks that sample hands
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_SHIFT = np.uint64(32)


def _binomials(size):
    table = np.zeros((size, size), np.int64)
    table[:, 0] = 1
    for row in range(1, size):
        table[row, 1:] = table[row - 1, 1:] + table[row - 1, :-1]
    return table


BINOMIAL = _binomials(14)  # BINOMIAL[n, k]: ways to choose k of n cards of a suit

# Counts of the opponent's consistent hands. There are at most C(52, 26), about 5 · 10**14, so int64 is exact.
HAND_COUNTS = np.dtype(
    [
        ("cards", np.uint64),  # unseen cards
        ("held", np.int64),  # number of them in the opponent's hand
        ("order", np.int64, (4,)),  # suits, the latest void first, those without a void last
        (
            "limit",
            np.int64,
            (4,),
        ),  # each index of ``order``: most hidden cards in the suits up to it
        ("ways", np.int64, (5, MAX_HAND + 1)),  # [i, n]: ways to fill the hand from suits i, i+1, … after n cards
    ],
    align=True,
)


@kernel
def count_opponent_unseen(rules, view):
    """Return the number of unseen cards in the opponent's hand."""
    if rules.humbug:
        return np.int64(rules.hand) - popcount(view.played_opponent) - popcount(view.opponent_known)
    return popcount(view.unseen) - (np.int64(view.stock) - popcount(view.face_up))


@kernel
def is_all_known(rules, view):
    """Return whether a view hides nothing: the opponent holds all cards that were never seen."""
    return popcount(view.unseen) == count_opponent_unseen(rules, view)


@kernel
def write_limits(view, counts):
    """Write the order of the suits, and the limits set by the voids that the opponent has shown."""
    for suit in range(4):  # insertion sort, the latest void first
        i = suit
        while i > 0 and view.void_opponent[counts.order[i - 1]] < view.void_opponent[suit]:
            counts.order[i] = counts.order[i - 1]
            i -= 1
        counts.order[i] = suit
    for i in range(4):
        suit = counts.order[i]
        is_void = view.void_opponent[suit] > 0
        counts.limit[i] = min(counts.held, np.int64(view.drawn_opponent[suit])) if is_void else counts.held


@kernel
def count_hands(rules, view, counts):
    """Count the opponent's consistent hands and return their number; 0 also for a view of another deck."""
    counts.cards = view.unseen
    counts.held = count_opponent_unseen(rules, view)
    if cards_of_view(view) != rules.deck or counts.held < 0 or counts.held > min(MAX_HAND, popcount(view.unseen)):
        return np.int64(0)
    write_limits(view, counts)
    held = counts.held
    for before in range(held + 1):
        counts.ways[4, before] = 1 if before == held else 0
    for i in range(3, -1, -1):
        length = popcount(counts.cards & suit_mask(counts.order[i]))
        for before in range(held + 1):
            ways = 0
            for count in range(min(length, counts.limit[i] - before) + 1):
                ways += BINOMIAL[length, count] * counts.ways[i + 1, before + count]
            counts.ways[i, before] = ways
    return counts.ways[0, 0]


@kernel
def unrank_hand(counts, number):
    """Return consistent hand ``number``, from 0: the inverse of counting suit by suit.

    Hands are ordered by their number of cards in the first suit, then by which cards these are, then by the rest.
    """
    hand = np.uint64(0)
    before = 0
    for i in range(4):
        cards = counts.cards & suit_mask(counts.order[i])
        length = popcount(cards)
        count = 0
        while number >= BINOMIAL[length, count] * counts.ways[i + 1, before + count]:
            number -= BINOMIAL[length, count] * counts.ways[i + 1, before + count]
            count += 1
        before += count
        rest = counts.ways[i + 1, before]  # hands that share the cards chosen so far
        hand |= unrank_combination(cards, length, count, number // rest)
        number %= rest
    return hand


@kernel
def unrank_combination(cards, length, count, number):
    """Return combination ``number`` of ``count`` of ``length`` cards; those without the lowest card come first."""
    chosen = np.uint64(0)
    while count > 0:
        length -= 1
        without = BINOMIAL[length, count]
        if number >= without:
            number -= without
            count -= 1
            chosen |= _ONE << np.uint64(lowest(cards))
        cards &= cards - _ONE
    return chosen


@kernel
def uniform_below(bound, key, world, block):
    """Return an unbiased random number in [0, ``bound``) and the next unused random block (rejection sampling)."""
    # One less than the largest multiple of ``bound`` up to 2**64; 2**64 itself does not fit into a word.
    last = _ALL - (_ALL % bound + _ONE) % bound
    while True:
        high, low, _, _ = philox(key, world, block, np.uint64(AGENT_STREAM))
        block += _ONE
        word = (high << _SHIFT) | low
        if word <= last:
            return word % bound, block


@kernel
def sample_hand(counts, key, world):
    """Return the opponent's hidden hand in world number ``world`` of a random key."""
    number, _ = uniform_below(np.uint64(counts.ways[0, 0]), key, world, np.uint64(0))
    return unrank_hand(counts, np.int64(number))


@allocating_kernel
def sample_hands(rules, views, key, hands):
    """Write the opponent's hidden hands in worlds 0, 1, 2, … of a random key.

    Args:
        rules: the rules, ``RULES_RECORD`` array (1,).
        views: a consistent view, ``VIEW`` array (1,).
        key: random key.
        hands: uint64[worlds], written.
    """
    counts = np.zeros(1, HAND_COUNTS)
    count_hands(rules[0], views[0], counts[0])
    for world in range(hands.shape[0]):
        hands[world] = sample_hand(counts[0], key, np.uint64(world))


@kernel
def decision_of(rules, view):
    """Return the kind of decision of the seat to act."""
    if not view.choice:
        return PLAY
    if rules.humbug:
        return EXCHANGE
    if rules.draft:
        return DRAFT
    return PICK_AFTER if view.stock % 2 else PICK


@kernel
def write_known_state(rules, view, state):
    """Write the part of a state that the view determines; the seat that has the view is to act."""
    state.hands[SELF] = view.hand
    state.known[SELF], state.known[OPPONENT] = view.own_known, view.opponent_known
    state.played[SELF], state.played[OPPONENT] = view.played_self, view.played_opponent
    state.discarded[SELF], state.discarded[OPPONENT] = view.discarded, np.uint64(0)
    state.face_up = view.face_up
    _write_voids(state, SELF, view.void_self, view.drawn_self)
    _write_voids(state, OPPONENT, view.void_opponent, view.drawn_opponent)
    for stage in range(2):
        state.tricks[stage, SELF] = view.tricks_self[stage]
        state.tricks[stage, OPPONENT] = view.tricks_opponent[stage]
    state.exchanged[SELF], state.exchanged[OPPONENT] = view.exchanged_self, view.exchanged_opponent
    state.top = rules.cards - (np.int64(view.stock) - popcount(view.face_up))
    state.trump = view.trump
    state.low = view.low
    state.dealer = SELF if view.dealer else OPPONENT
    state.turn = SELF
    state.decision = decision_of(rules, view)
    state.led = view.led
    state.done = False
    # ``winner`` leads the trick. In an exchange no trick was played, and the non-dealer leads the first one.
    if state.decision == EXCHANGE:
        state.winner = 1 - state.dealer
    else:
        state.winner = OPPONENT if view.led >= 0 or state.decision == PICK_AFTER else SELF


@kernel
def _write_voids(state, seat, void, drawn):
    """Write the shown voids.

    A view holds the unseen draws since each void, a state those up to it. Only differences matter, so the largest
    number of the view takes the place of the unknown total.
    """
    state.drawn[seat] = 0
    for suit in range(4):
        state.drawn[seat] = max(state.drawn[seat], drawn[suit])
    for suit in range(4):
        state.void_trick[seat, suit] = void[suit]
        state.void_drawn[seat, suit] = state.drawn[seat] - drawn[suit] if void[suit] else 0


@kernel
def write_hidden_cards(rules, view, hand, key, world, state, blinds):
    """Complete a state by a world: the opponent's hidden cards, and a random order of those that nobody holds.

    Args:
        rules: the rules, a ``RULES_RECORD`` record.
        view: a ``VIEW`` record.
        hand: the opponent's hidden cards, a mask.
        key: random key.
        world: number of the world, by which the order is drawn.
        state: a ``STATE`` record that already holds what the view determines.
        blinds: scratch, int8[52].
    """
    state.hands[OPPONENT] = hand | view.opponent_known
    rest = view.unseen & ~hand
    if rules.humbug:
        _write_blinds(rules, view, rest, key, world, state, blinds)
        return
    i = np.int64(state.top)
    while rest:
        state.deck[i] = lowest(rest)
        rest &= rest - _ONE
        i += 1
    shuffle(key, world, state.deck[np.int64(state.top) : i])


@kernel
def _write_blinds(rules, view, rest, key, world, state, blinds):
    """Distribute the cards that nobody holds over the opponent's discarded hand and the remaining blinds."""
    cards = np.int64(rules.cards)
    size = np.int64(rules.hand)
    left = popcount(rest)
    for i in range(left):  # scratch: these places belong to cards that were dealt
        state.deck[i] = lowest(rest)
        rest &= rest - _ONE
    shuffle(key, world, state.deck[:left])
    discarded = np.uint64(0)
    dealer_exchanged = view.exchanged_self if view.dealer else view.exchanged_opponent
    if dealer_exchanged:  # the turned card is among the dealer's discards, as both seats know
        discarded |= _ONE << np.uint64(_turned_card(view, key, world))
    if view.exchanged_opponent:
        # Its whole discarded hand, and the turned card if this seat discarded that one.
        while popcount(discarded) < size + (1 if view.dealer and view.exchanged_self else 0):
            left -= 1
            discarded |= _ONE << np.uint64(state.deck[left])
    state.discarded[OPPONENT] = discarded
    for i in range(left):
        blinds[i] = state.deck[i]
    first = 1 + np.int64(view.exchanged_self) + np.int64(view.exchanged_opponent)
    for blind in range(first, 3):
        for i in range(blind, cards, 4):
            left -= 1
            state.deck[i] = blinds[left]


@kernel
def _turned_card(view, key, world):
    """Sample which discarded card was turned up: a view says only that it is a trump, if there are trumps."""
    could_be = view.discarded
    if view.trump >= 0:
        could_be &= suit_mask(np.int64(view.trump))
    number, _ = uniform_below(np.uint64(popcount(could_be)), key, world, _TURNED_BLOCK)
    return nth_lowest(could_be, np.int64(number))
