"""Kernels that read a history for the hidden cards and sample uniform deals that agree with it.

A history fixes the position in the deck of every card that the seat saw, and the positions of the opponent's unseen
draws. What it leaves open is which hidden card lay where: in the opponent's hand as dealt, among its unseen draws, or
among the cards in no hand. The past of the opponent's hidden cards is an ordered list of *items*: it drew one, played
one, or showed a void, at which moment it held none of the suit.

Cards of a suit are interchangeable, so dynamic programming over the items counts the pasts of a hand by its number of
cards in each suit. Sampling draws a hand that the opponent can hold now, in proportion to its number of pasts, and
walks back through the items. The counts are sums and products of positive floats; their relative error is about 1e-13.

In ``humbug`` there are no draws, and a blind hand takes the place of the hand as dealt.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.inference.world_sampling_kernels import BINOMIAL
from german_whist.game.dealing_kernels import philox, shuffle
from german_whist.game.state_kernels import suit_mask, suit_of
from german_whist.game.utils.bit_kernels import lowest, nth_lowest, popcount
from german_whist.game.utils.jit import allocating_kernel, kernel
from german_whist.simulator.observation.history import EVENTS

DREW, PLAYED, VOID = 0, 1, 2  # kinds of items
MAX_ITEMS = 80  # more than any deal has
MAX_TRICKS = 26

# One seat's knowledge of a deal's hidden past. Sets of positions are masks like sets of cards: bit p is position p of
# the deck.
HIDDEN_DEAL = np.dtype(
    [
        ("deck", np.int8, (52,)),  # cards in dealing order, −1 for positions whose card is not known
        ("own", np.uint64, (2,)),  # the seat's hand as dealt, and in humbug the blind hand that it took
        ("own_positions", np.uint64, (2,)),
        ("is_dealer", np.int8),
        ("hand_positions", np.uint64),  # positions at which the opponent's hidden cards were dealt
        ("hand", np.int64),  # number of these
        ("drawn_positions", np.uint64),  # positions of the opponent's unseen draws
        ("free_positions", np.uint64),  # positions of cards that are in no hand
        ("next_position", np.int64),  # position of the next card of the stock
        ("swaps", np.int64),  # number of hands swapped for blind ones (humbug)
        ("seen", np.uint64),  # all cards seen
        ("taken", np.uint64),  # cards that the opponent was seen to take and still holds
        ("unseen", np.uint64),  # cards never seen
        ("held", np.int64),  # number of them in the opponent's hand
        ("items", np.int64),  # number of items (module docstring); the next four hold them in order
        ("kind", np.int8, (MAX_ITEMS,)),
        ("suit", np.int8, (MAX_ITEMS,)),  # suit of the card played, or of the void shown
        ("card", np.int8, (MAX_ITEMS,)),  # the card played
        ("position", np.int8, (MAX_ITEMS,)),  # position of the card drawn
        ("cards_played", np.int64),  # both seats' together
    ],
    align=True,
)

_EVENT = {event.name: number for number, event in enumerate(EVENTS)}
_DEALER, _DEALT, _TURNED = _EVENT["dealer"], _EVENT["dealt"], _EVENT["turned"]
_PLAYED, _TOOK, _DREW = _EVENT["played"], _EVENT["took"], _EVENT["drew"]
_SWAP = _EVENT["swap"]
_ME = 1

_MAX_SUBSETS = 5_000  # most subsets of the unseen cards that ``list_hands`` looks through
_STREAM = np.uint64(2**20)  # random stream of sampled deals, apart from the streams of decks and agents
_ONE = np.uint64(1)
_SHIFT = np.uint64(32)


@kernel
def _add_item(hidden, kind, suit, card, position):
    number = hidden.items
    hidden.kind[number] = kind
    hidden.suit[number] = suit
    hidden.card[number] = card
    hidden.position[number] = position
    hidden.items = number + 1


@kernel
def _every(step, first, end):
    """Return the positions ``first``, ``first + step``, … before ``end`` as a mask."""
    positions = np.uint64(0)
    for position in range(first, end, step):
        positions |= _ONE << np.uint64(position)
    return positions


@kernel
def _read_dealer(rules, hidden, is_dealer):
    """Write the positions in the deck of both hands as dealt."""
    step = 4 if rules.humbug else 2  # hands dealt in turn; the non-dealer's is the first, the dealer's the last
    end = step * np.int64(rules.hand)
    hidden.is_dealer = is_dealer
    hidden.own_positions[0] = _every(step, step - 1 if is_dealer else 0, end)
    hidden.hand_positions = _every(step, 0 if is_dealer else step - 1, end)


@kernel
def _read_turned(rules, hidden, is_mine, card, bit):
    """Record a card that is turned up: of the stock, or in humbug the dealer's last card."""
    position = np.int64(rules.cards) - 1 if rules.humbug else hidden.next_position
    hidden.deck[position] = card
    hidden.next_position += 1
    if rules.humbug:
        hidden.hand_positions &= ~(_ONE << np.uint64(position))
        hidden.own_positions[0] &= ~(_ONE << np.uint64(position))
        hidden.own[0] &= ~bit
        hidden.taken |= np.uint64(0) if is_mine else bit


@kernel
def _read_draw(rules, hidden, is_mine, card, bit):
    """Record a draw that the other seat does not see: from the stock, or a card of a blind hand."""
    if rules.humbug:
        hidden.own[1] |= bit if is_mine else np.uint64(0)
        return
    if is_mine:
        hidden.deck[hidden.next_position] = card
    else:
        hidden.drawn_positions |= _ONE << np.uint64(hidden.next_position)
        _add_item(hidden, DREW, -1, -1, hidden.next_position)
    hidden.next_position += 1


@kernel
def _read_swap(rules, hidden, is_mine):
    """Record that a seat swaps its hand for the next blind one."""
    hidden.swaps += 1
    blind = _every(4, hidden.swaps, np.int64(rules.cards))
    if is_mine:
        hidden.own_positions[1] = blind
    else:
        hidden.hand_positions = blind
        hidden.taken = np.uint64(0)


@kernel
def _read_play(hidden, is_mine, card, led):
    """Record a card played to a trick in which the suit ``led`` was led; −1 for a card that leads."""
    hidden.cards_played += 1
    if is_mine:
        return
    bit = _ONE << np.uint64(card)
    if not hidden.taken & bit:  # a card that was seen before is not hidden
        _add_item(hidden, PLAYED, suit_of(card), card, -1)
    if led >= 0 and suit_of(card) != led:
        _add_item(hidden, VOID, led, -1, -1)
    hidden.taken &= ~bit


@kernel
def _is_readable(rules, hidden, event, card, trick):
    """Return whether an event can occur under the rules: histories come from outside, and kernels check no bounds."""
    if not 0 <= trick <= MAX_TRICKS or card > 51 or (card >= 0 and not rules.deck & (_ONE << np.uint64(card))):
        return False
    if event in (_PLAYED, _DREW) and hidden.items + 2 > MAX_ITEMS:  # a play may add two items, a draw adds one
        return False
    if event == _PLAYED:
        return card >= 0 and hidden.cards_played < 52
    return event not in (_TURNED, _DREW) or rules.humbug or hidden.next_position < rules.cards


@kernel
def read_history(rules, tokens, hidden):
    """Read a history, and return whether its cards add up under these rules.

    Args:
        rules: the rules, a ``RULES_RECORD`` record.
        tokens: the events, int8[events, 4].
        hidden: a ``HIDDEN_DEAL`` record of zeros, written.
    """
    hidden.deck[:] = -1
    hidden.next_position = 2 * np.int64(rules.hand)
    led = np.int64(-1)
    for i in range(tokens.shape[0]):
        event, is_mine, card = np.int64(tokens[i, 0]), tokens[i, 1] == _ME, np.int64(tokens[i, 2]) - 1
        trick = np.int64(tokens[i, 3])
        if not _is_readable(rules, hidden, event, card, trick):
            return False
        bit = _ONE << np.uint64(card) if card >= 0 else np.uint64(0)
        hidden.seen |= bit
        if event == _DEALER:
            _read_dealer(rules, hidden, is_mine)
        elif event == _DEALT:
            hidden.own[0] |= bit
        elif event == _TURNED:
            _read_turned(rules, hidden, is_mine, card, bit)
        elif event == _DREW:
            _read_draw(rules, hidden, is_mine, card, bit)
        elif event == _SWAP:
            _read_swap(rules, hidden, is_mine)
        elif event == _TOOK:
            hidden.taken |= np.uint64(0) if is_mine else bit
        elif event == _PLAYED:
            _read_play(hidden, is_mine, card, led)
            led = suit_of(card) if led < 0 else -1
    return _adds_up(rules, hidden)


@kernel
def _adds_up(rules, hidden):
    """Write the fields that follow from the others, and return whether cards and their positions are as many."""
    known = np.uint64(0)
    for position in range(rules.cards):
        known |= _ONE << np.uint64(position) if hidden.deck[position] >= 0 else np.uint64(0)
    known |= hidden.own_positions[0] | hidden.own_positions[1] | hidden.hand_positions | hidden.drawn_positions
    hidden.free_positions = _every(1, 0, np.int64(rules.cards)) & ~known
    hidden.hand = hidden.held = popcount(hidden.hand_positions)
    for item in range(hidden.items):
        hidden.held += 1 if hidden.kind[item] == DREW else -1 if hidden.kind[item] == PLAYED else 0
    hidden.unseen = rules.deck & ~hidden.seen
    for group in range(2):
        if popcount(hidden.own[group]) != popcount(hidden.own_positions[group]):
            return False
    free = popcount(hidden.unseen) - hidden.held
    is_dealt = (hidden.own_positions[0] | hidden.hand_positions) > 0
    return is_dealt and hidden.held >= 0 and free == popcount(hidden.free_positions)


@allocating_kernel
def count_deals(hidden):
    """Count the deals that agree with a history.

    Args:
        hidden: a ``HIDDEN_DEAL`` record.

    Returns:
        ``(ways, suits, cumulative)``. ``ways[i, c, d, h]``, float64, is the number of pasts of any one hand of hidden
        cards with c clubs, d diamonds and h hearts after i items; the number of spades follows. ``suits``, int8[n, 4],
        holds the suit lengths that are possible now, and ``cumulative``, float64[n], the number of deals with these or
        earlier lengths. The order of cards within a hand as dealt, or within the cards in no hand, does not count. n is
        0 if no deal agrees with the history.
    """
    limits = np.empty(4, np.int64)  # each suit: one more than the most hidden cards that the opponent can have held
    for suit in range(4):
        limits[suit] = 1 + popcount(hidden.unseen & suit_mask(suit))
    for item in range(hidden.items):
        if hidden.kind[item] == PLAYED:
            limits[hidden.suit[item]] += 1
    ways = np.zeros((hidden.items + 1, limits[0], limits[1], limits[2]))
    held = hidden.hand
    counts = np.empty(4, np.int64)
    for item in range(-1, hidden.items):  # −1: before the first item, every hand of this size has one past
        if item >= 0:
            held += 1 if hidden.kind[item] == DREW else -1 if hidden.kind[item] == PLAYED else 0
        for clubs in range(limits[0]):
            for diamonds in range(limits[1]):
                for hearts in range(limits[2]):
                    spades = held - clubs - diamonds - hearts
                    counts[0], counts[1], counts[2], counts[3] = clubs, diamonds, hearts, spades
                    if 0 <= spades < limits[3]:
                        pasts = _count_pasts(hidden, ways, item, counts, limits) if item >= 0 else 1.0
                        ways[item + 1, clubs, diamonds, hearts] = pasts
    size = limits[0] * limits[1] * limits[2]
    suits, cumulative = np.empty((size, 4), np.int8), np.empty(size)
    count = _list_suits(hidden, held, ways[hidden.items], suits, cumulative)
    return ways, suits[:count], cumulative[:count]


@kernel
def _count_pasts(hidden, ways, item, counts, limits):
    """Return the number of pasts of any one hand with these suit lengths after an item."""
    before, suit = ways[item], hidden.suit[item]
    if hidden.kind[item] == DREW:  # any card of the hand may be the one just drawn
        pasts = 0.0
        for drawn in range(4):
            pasts += _count_draws(before, counts, drawn)
        return pasts
    if hidden.kind[item] == VOID:
        return 0.0 if counts[suit] else before[counts[0], counts[1], counts[2]]
    counts[suit] += 1  # the card played is known; the hand before it held one more of its suit
    pasts = before[counts[0], counts[1], counts[2]] if counts[suit] < limits[suit] else 0.0
    counts[suit] -= 1
    return pasts


@kernel
def _count_draws(before, counts, suit):
    """Return the number of pasts of a hand in which the card just drawn is of one suit."""
    if counts[suit] == 0:
        return 0.0
    counts[suit] -= 1
    pasts = before[counts[0], counts[1], counts[2]]
    counts[suit] += 1
    return counts[suit] * pasts


@allocating_kernel
def _list_suits(hidden, held, ways, suits, cumulative):
    """Write the possible suit lengths and the cumulative number of deals, and return how many there are."""
    lengths = np.empty(4, np.int64)
    for suit in range(4):
        lengths[suit] = popcount(hidden.unseen & suit_mask(suit))
    count = 0
    total = 0.0
    for clubs in range(lengths[0] + 1):
        for diamonds in range(lengths[1] + 1):
            for hearts in range(lengths[2] + 1):
                spades = held - clubs - diamonds - hearts
                if spades < 0 or spades > lengths[3] or ways[clubs, diamonds, hearts] == 0:
                    continue
                choices = np.float64(BINOMIAL[lengths[0], clubs]) * BINOMIAL[lengths[1], diamonds]
                choices *= np.float64(BINOMIAL[lengths[2], hearts]) * BINOMIAL[lengths[3], spades]
                total += choices * ways[clubs, diamonds, hearts]
                suits[count, 0], suits[count, 1], suits[count, 2], suits[count, 3] = clubs, diamonds, hearts, spades
                cumulative[count] = total
                count += 1
    return count


@kernel
def uniform(key, number, block):
    """Return a uniform number in [0, 1), addressed by random key, number of the sampled deal, and block."""
    high, low, _, _ = philox(key, np.uint64(number), np.uint64(block), _STREAM)
    # The 53 highest bits, as many as a float64 holds exactly.
    return np.float64(((high << _SHIFT) | low) >> np.uint64(11)) * 2.0**-53


@kernel
def _random_cards(cards, count, key, number, block):
    """Return ``count`` random cards of a mask, and the next unused block of random numbers."""
    chosen = np.uint64(0)
    left = popcount(cards)
    for _ in range(count):
        bit = _ONE << np.uint64(nth_lowest(cards, np.int64(uniform(key, number, block) * left)))
        block += 1
        left -= 1
        chosen |= bit
        cards &= ~bit
    return chosen, block


@kernel
def sample_deal(hidden, deals, key, number, strata, deck):
    """Sample a deal: write its deck, and return the hidden cards that the opponent holds now.

    Args:
        hidden: a ``HIDDEN_DEAL`` record.
        deals: from :func:`count_deals`.
        key: random key.
        number: number of the deal.
        strata: number of strata into which the distribution of suit lengths is cut. The deal is drawn from stratum
            ``number % strata``, so that ``strata`` consecutive deals represent all of them evenly (stratified
            sampling). With 1 stratum, deals are independent.
        deck: int8[52], written: the whole deck in dealing order. The cards of a hand as dealt, and those in no hand,
            lie in their positions in ascending order.
    """
    ways, suits, cumulative = deals
    # The inverse of the cumulative distribution, by bisection.
    share = (number % strata + uniform(key, number, 0)) / strata * cumulative[cumulative.shape[0] - 1]
    first, last = 0, cumulative.shape[0] - 1
    while first < last:
        middle = (first + last) // 2
        if share < cumulative[middle]:
            last = middle
        else:
            first = middle + 1
    block = np.int64(1)
    held = np.uint64(0)
    for suit in range(4):
        part, block = _random_cards(hidden.unseen & suit_mask(suit), np.int64(suits[first, suit]), key, number, block)
        held |= part
    sample_deal_of_hand(hidden, ways, held, key, number, block, deck)
    return held


@kernel
def sample_orders(hidden, deals, key, decks):
    """Sample independent deals, with the cards of each hand, and those in no hand, in random order.

    ``sample_deal`` leaves them in ascending order, because rollouts do not depend on the order within a hand.

    Args:
        hidden: ``HIDDEN_DEAL`` array (1,).
        deals: from :func:`count_deals`.
        key: random key.
        decks: int8[n, 52], written: decks in dealing order.
    """
    for number in range(decks.shape[0]):
        deck = decks[number]
        sample_deal(hidden[0], deals, key, number, 1, deck)
        _shuffle_positions(hidden[0].own_positions[0], key, 4 * number, deck)
        _shuffle_positions(hidden[0].own_positions[1], key, 4 * number + 1, deck)
        _shuffle_positions(hidden[0].hand_positions, key, 4 * number + 2, deck)
        _shuffle_positions(hidden[0].free_positions, key, 4 * number + 3, deck)


@allocating_kernel
def _shuffle_positions(positions, key, number, deck):
    cards = np.empty(popcount(positions), np.int8)
    rest = positions
    for i in range(cards.shape[0]):
        cards[i] = deck[lowest(rest)]
        rest &= rest - _ONE
    shuffle(key, np.uint64(number), cards)
    for card in cards:
        deck[lowest(positions)] = card
        positions &= positions - _ONE


@allocating_kernel
def list_hands(hidden, ways, hands, weights):
    """List all hands of hidden cards that the opponent can hold now.

    Args:
        hidden: a ``HIDDEN_DEAL`` record.
        ways: from :func:`count_deals`.
        hands: uint64[n], written.
        weights: float64[n], written: the number of pasts of each hand, to which its probability is proportional.

    Returns:
        The number of hands; 0 if there are more than n, or too many subsets of the unseen cards to look through.
    """
    unseen, held = popcount(hidden.unseen), np.int64(hidden.held)
    subsets = 1.0
    for card in range(held):
        subsets *= (unseen - card) / (card + 1)
    if subsets > _MAX_SUBSETS:
        return 0
    counts = np.empty(4, np.int64)
    count = 0
    # Bit i of a subset stands for the i-th unseen card. Subsets of ``held`` bits are taken in ascending order.
    subset = (_ONE << np.uint64(held)) - _ONE
    while subset < _ONE << np.uint64(unseen):
        hand, rest = np.uint64(0), subset
        while rest:
            hand |= _ONE << np.uint64(nth_lowest(hidden.unseen, lowest(rest)))
            rest &= rest - _ONE
        for suit in range(4):
            counts[suit] = popcount(hand & suit_mask(suit))
        number = ways[hidden.items, counts[0], counts[1], counts[2]]
        if number > 0:
            if count == hands.shape[0]:
                return 0
            hands[count], weights[count] = hand, number
            count += 1
        if held == 0:
            break  # the empty set is the only subset; the next line would divide by 0
        last = subset & (~subset + _ONE)  # the lowest bit; then the next number with as many bits (Gosper, HAKMEM 175)
        ripple = subset + last
        subset = (((ripple ^ subset) >> np.uint64(2)) // last) | ripple
    return count


@allocating_kernel
def sample_deal_of_hand(hidden, ways, held, key, number, block, deck):
    """Sample how the opponent came to the hidden cards ``held``, a mask, and write the deck.

    Walks back through the items from the present hand to the hand as dealt. ``block`` is the first unused block of
    random numbers; the other arguments are those of :func:`sample_deal`.
    """
    counts = np.empty(4, np.int64)
    for suit in range(4):
        counts[suit] = popcount(held & suit_mask(suit))
    now = held  # ``held`` goes back in time
    deck[:] = hidden.deck
    for item in range(hidden.items - 1, -1, -1):
        if hidden.kind[item] == PLAYED:
            held |= _ONE << np.uint64(hidden.card[item])
            counts[hidden.suit[item]] += 1
        elif hidden.kind[item] == DREW:
            suit = _drawn_suit(ways[item], counts, uniform(key, number, block))
            card, block = _random_cards(held & suit_mask(suit), 1, key, number, block + 1)
            counts[suit] -= 1
            held &= ~card
            deck[hidden.position[item]] = lowest(card)
    _fill(hidden.own_positions[0], hidden.own[0], deck)
    _fill(hidden.own_positions[1], hidden.own[1], deck)
    _fill(hidden.hand_positions, held, deck)
    _fill(hidden.free_positions, hidden.unseen & ~now, deck)


@kernel
def _drawn_suit(before, counts, number):
    """Sample the suit of the card drawn, in proportion to the number of pasts of the hand without it."""
    total = 0.0
    for suit in range(4):
        total += _count_draws(before, counts, suit)
    number *= total
    total, chosen = 0.0, np.int64(0)
    for suit in range(4):
        pasts = _count_draws(before, counts, suit)
        total += pasts
        if pasts > 0.0:
            chosen = np.int64(suit)
            if number < total:
                break
    return chosen


@kernel
def _fill(positions, cards, deck):
    """Put the cards of a mask into positions of a deck, both in ascending order."""
    while cards:
        deck[lowest(positions)] = lowest(cards)
        positions &= positions - _ONE
        cards &= cards - _ONE
