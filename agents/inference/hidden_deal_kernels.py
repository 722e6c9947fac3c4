"""What a history tells of a deal's hidden cards, and exact uniform deals that agree with it, as kernels.

``deck_sampling`` says how deals are counted: backwards from the hidden cards that the opponent holds now, by suit. Here
the counts are tables of floats. They are sums and products of positive numbers, so they are exact to about 1e-13 of
their value. Unlike there, the order within a hand is not sampled: a hand is a set.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.inference.world_sampling_kernels import BINOMIAL
from german_whist.envs.engine.dealing_kernels import philox
from german_whist.envs.engine.state_kernels import suit_mask, suit_of
from german_whist.envs.observation.history import EVENTS
from german_whist.envs.utils.bit_kernels import lowest, nth_lowest, popcount
from german_whist.envs.utils.jit import kernel

DREW, PLAYED, VOID = 0, 1, 2  # kinds of items
MAX_ITEMS = 80

# What one seat knows of a deal's hidden past.
HIDDEN_DEAL = np.dtype(
    [
        ("deck", np.int8, (52,)),  # cards in dealing order, −1 where the card of a place is not known
        ("own", np.uint64),  # the seat's hand as dealt
        ("is_dealer", np.int8),
        ("hand", np.int64),  # cards dealt to a seat
        ("turned", np.int64),  # cards turned up at the beginning
        ("unseen", np.uint64),  # cards never seen
        ("held", np.int64),  # how many of them the opponent holds
        ("items", np.int64),  # number of items: what happened to the opponent's hidden cards, in order
        ("kind", np.int8, (MAX_ITEMS,)),
        ("suit", np.int8, (MAX_ITEMS,)),  # of the card played, or of the void shown
        ("card", np.int8, (MAX_ITEMS,)),  # the card played
        ("place", np.int8, (MAX_ITEMS,)),  # of the card drawn
        ("cards_played", np.int64),  # by both seats
        ("played", np.int8, (52,)),  # cards in the order of play
        ("took", np.int8, (27, 2)),  # by trick, from 1, and who (0 this seat): the face-up card taken, −1 for none
        ("choice", np.int8, (27,)),  # by trick: 52 take, 53 leave, −1 for none
    ],
    align=True,
)

_EVENT = {event.name: number for number, event in enumerate(EVENTS)}
_DEALER, _DEALT, _TURNED = _EVENT["dealer"], _EVENT["dealt"], _EVENT["turned"]
_PLAYED, _TOOK, _DREW = _EVENT["played"], _EVENT["took"], _EVENT["drew"]
_TAKE, _LEAVE = _EVENT["take"], _EVENT["leave"]
_ME = 1

_MAX_SUBSETS = 5_000  # of the unseen cards, to look through for possible hands
_STREAM = np.uint64(2**20)  # random stream of sampled deals, apart from those of decks and agents
_ONE = np.uint64(1)
_SHIFT = np.uint64(32)


@kernel
def _add_item(hidden, kind, suit, card, place):
    number = hidden.items
    hidden.kind[number] = kind
    hidden.suit[number] = suit
    hidden.card[number] = card
    hidden.place[number] = place
    hidden.items = number + 1


@kernel
def _add_play(hidden, card, led, is_known):
    """Add the opponent's card to a trick in which the suit ``led`` was led (−1: it leads)."""
    if not is_known:
        _add_item(hidden, PLAYED, suit_of(card), card, -1)
    if led >= 0 and suit_of(card) != led:
        _add_item(hidden, VOID, led, -1, -1)


@kernel
def _add_draw(hidden, card, is_mine, place):
    """Add an unseen draw of either seat."""
    if is_mine:
        hidden.deck[place] = card
    else:
        _add_item(hidden, DREW, -1, -1, place)


@kernel
def read_history(tokens, length, cards, hidden):
    """Read a history and return whether its cards add up; not for ``humbug``.

    Args:
        tokens: the events, int8[at least length, 4].
        length: number of events.
        cards: the cards of the deck as a mask.
        hidden: a ``HIDDEN_DEAL`` record, overwritten.
    """
    hidden.deck[:] = -1
    hidden.took[:] = -1
    hidden.choice[:] = -1
    hidden.own = np.uint64(0)
    hidden.hand = hidden.turned = hidden.items = hidden.cards_played = 0
    seen = taken = np.uint64(0)
    dealt = draws = plays = np.int64(0)
    led = np.int64(-1)
    place = np.int64(0)  # the next place of the stock
    for i in range(length):
        event, who, card = np.int64(tokens[i, 0]), np.int64(tokens[i, 1]), np.int64(tokens[i, 2]) - 1
        trick = np.int64(tokens[i, 3])
        if card > 51 or trick < 0 or trick > 26 or place > 52 - (1 if event in (_TURNED, _DREW) else 0):
            return False
        if hidden.items + 2 > MAX_ITEMS or hidden.cards_played > 51:
            return False
        bit = _ONE << np.uint64(card) if card >= 0 else np.uint64(0)
        seen |= bit
        if event == _DEALER:
            hidden.is_dealer = 1 if who == _ME else 0
        elif event == _DEALT:
            dealt += 1
            hidden.own |= bit
            place = dealt
        elif event == _TURNED:
            hidden.turned += 1 if hidden.cards_played == 0 else 0
            hidden.deck[place] = card
            place += 1
        elif event == _DREW:
            _add_draw(hidden, card, who == _ME, place)
            draws += 0 if who == _ME else 1
            place += 1
        elif event == _TOOK:
            hidden.took[trick, 0 if who == _ME else 1] = card
            if who != _ME:
                taken |= bit
        elif event in (_TAKE, _LEAVE):
            hidden.choice[trick] = 52 if event == _TAKE else 53
        elif event == _PLAYED:
            if card < 0:
                return False
            hidden.played[hidden.cards_played] = card
            hidden.cards_played += 1
            if who != _ME:
                plays += 0 if taken & bit else 1
                _add_play(hidden, card, led, taken & bit != 0)
                taken &= ~bit
            led = suit_of(card) if led < 0 else -1
    hidden.hand = dealt // 2
    hidden.unseen = cards & ~seen
    hidden.held = hidden.hand + draws - plays
    return popcount(hidden.own) == hidden.hand and 0 <= hidden.held <= popcount(hidden.unseen)


@kernel
def suit_limits(hidden, limits):
    """Write one more than the most hidden cards of each suit that the opponent can ever have held, int64[4]."""
    for suit in range(4):
        limits[suit] = 1 + popcount(hidden.unseen & suit_mask(suit))
    for item in range(hidden.items):
        if hidden.kind[item] == PLAYED:
            limits[hidden.suit[item]] += 1


@kernel
def count_ways(hidden, limits, ways, hands, cumulative):
    """Count the ways to each hand, by suits, and return how many combinations of suits are possible.

    Args:
        hidden: a ``HIDDEN_DEAL`` record.
        limits: int64[4], from :func:`suit_limits`.
        ways: float64[items + 1, clubs, diamonds, hearts], written: the ways to hold these numbers of cards after so
            many items; the number of spades follows.
        hands: int8[n, 4], written: the possible numbers of hidden cards by suit, C D H S.
        cumulative: float64[n], written: the number of ways to a combination and those before it.

    Returns:
        The number of combinations, 0 if the history is impossible.
    """
    held = hidden.hand
    for clubs in range(limits[0]):
        for diamonds in range(limits[1]):
            for hearts in range(limits[2]):
                spades = held - clubs - diamonds - hearts
                ways[0, clubs, diamonds, hearts] = 1.0 if 0 <= spades < limits[3] else 0.0
    for item in range(hidden.items):
        kind, suit = hidden.kind[item], hidden.suit[item]
        held += 1 if kind == DREW else -1 if kind == PLAYED else 0
        before = ways[item]
        for clubs in range(limits[0]):
            for diamonds in range(limits[1]):
                for hearts in range(limits[2]):
                    spades = held - clubs - diamonds - hearts
                    total = 0.0
                    if 0 <= spades < limits[3]:
                        if kind == DREW:
                            if clubs:
                                total += clubs * before[clubs - 1, diamonds, hearts]
                            if diamonds:
                                total += diamonds * before[clubs, diamonds - 1, hearts]
                            if hearts:
                                total += hearts * before[clubs, diamonds, hearts - 1]
                            if spades:
                                total += spades * before[clubs, diamonds, hearts]
                        elif kind == PLAYED:
                            c = clubs + (1 if suit == 0 else 0)
                            d = diamonds + (1 if suit == 1 else 0)
                            h = hearts + (1 if suit == 2 else 0)
                            s = spades + (1 if suit == 3 else 0)
                            if c < limits[0] and d < limits[1] and h < limits[2] and s < limits[3]:
                                total = before[c, d, h]
                        else:
                            shown = clubs if suit == 0 else diamonds if suit == 1 else hearts if suit == 2 else spades
                            if shown == 0:
                                total = before[clubs, diamonds, hearts]
                    ways[item + 1, clubs, diamonds, hearts] = total
    return _list_hands(hidden, held, ways[hidden.items], hands, cumulative)


@kernel
def _list_hands(hidden, held, ways, hands, cumulative):
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
                hands[count, 0], hands[count, 1], hands[count, 2], hands[count, 3] = clubs, diamonds, hearts, spades
                cumulative[count] = total
                count += 1
    return count


@kernel
def uniform(key, number, block):
    """Return a uniform number in [0, 1): number ``block`` of sampled deal ``number`` of a random key."""
    high, low, _, _ = philox(key, np.uint64(number), np.uint64(block), _STREAM)
    return np.float64(((high << _SHIFT) | low) >> np.uint64(11)) * 2.0**-53


@kernel
def _random_cards(cards, count, key, number, block):
    """Return ``count`` random cards of a mask, and the next unused random number."""
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
def sample_deal(hidden, ways, hands, cumulative, combinations, key, number, numbers, deck):
    """Sample a deal: write the deck and return the hidden cards that the opponent holds now.

    Deal ``number`` of ``numbers`` draws its combination of suits from the stratum [number, number + 1) / numbers of the
    distribution (stratified sampling), so together they have the right shares of each; the rest is independent.

    Args:
        hidden: a ``HIDDEN_DEAL`` record.
        ways: from :func:`count_ways`.
        hands: likewise.
        cumulative: likewise.
        combinations: the number of combinations.
        key: random key.
        number: number of the deal.
        numbers: number of deals.
        deck: int8[52], written: the deck in dealing order, complete. The places that the deal has not reached yet hold
            the other unseen cards, from low to high.
    """
    share = (number + uniform(key, number, 0)) / numbers * cumulative[combinations - 1]
    first, last = 0, combinations - 1
    while first < last:
        middle = (first + last) // 2
        if share < cumulative[middle]:
            last = middle
        else:
            first = middle + 1
    block = np.int64(1)
    held = np.uint64(0)
    for suit in range(4):
        part, block = _random_cards(hidden.unseen & suit_mask(suit), np.int64(hands[first, suit]), key, number, block)
        held |= part
    sample_deal_of_hand(hidden, ways, held, key, number, block, deck)
    return held


@kernel
def list_hands(hidden, ways, hands, weights):
    """List the hidden cards that the opponent can hold now, and return how many such hands there are.

    Args:
        hidden: a ``HIDDEN_DEAL`` record.
        ways: from :func:`count_ways`.
        hands: uint64[n], written.
        weights: float64[n], written: the ways to each hand, to which its probability is proportional.

    Returns:
        The number of hands; 0 if there are more than n, or too many subsets of the unseen cards to look through.
    """
    unseen, held = popcount(hidden.unseen), np.int64(hidden.hand)
    for item in range(hidden.items):
        kind = hidden.kind[item]
        held += 1 if kind == DREW else -1 if kind == PLAYED else 0
    subsets = 1.0
    for card in range(held):
        subsets *= (unseen - card) / (card + 1)
    if subsets > _MAX_SUBSETS:
        return 0
    counts = np.empty(4, np.int64)
    count = 0
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
            break
        last = subset & (~subset + _ONE)  # the next number with as many bits (Gosper, HAKMEM 175)
        ripple = subset + last
        subset = (((ripple ^ subset) >> np.uint64(2)) // last) | ripple
    return count


@kernel
def sample_deal_of_hand(hidden, ways, held, key, number, block, deck):
    """Sample how the opponent came to the hidden cards held now, a mask, and write the deck.

    ``block`` is the first random number that is unused; the other arguments are those of :func:`sample_deal`.
    """
    counts = np.empty(4, np.int64)
    for suit in range(4):
        counts[suit] = popcount(held & suit_mask(suit))
    now = held
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
            deck[hidden.place[item]] = lowest(card)
    _fill_hand(hidden.own, deck, 1 if hidden.is_dealer else 0)
    _fill_hand(held, deck, 0 if hidden.is_dealer else 1)
    _fill_rest(hidden.unseen & ~now, deck, 2 * hidden.hand)


@kernel
def _drawn_suit(before, counts, number):
    """Return the suit of the card drawn, in proportion to the ways to the hand without it."""
    c, d, h = counts[0], counts[1], counts[2]
    clubs = c * before[c - 1, d, h] if c else 0.0
    diamonds = d * before[c, d - 1, h] if d else 0.0
    hearts = h * before[c, d, h - 1] if h else 0.0
    spades = counts[3] * before[c, d, h] if counts[3] else 0.0
    number *= clubs + diamonds + hearts + spades
    suit = np.int64(3)
    if number < clubs:
        suit = np.int64(0)
    elif number < clubs + diamonds:
        suit = np.int64(1)
    elif number < clubs + diamonds + hearts or spades == 0:
        suit = np.int64(2)
    return suit


@kernel
def _fill_hand(cards, deck, place):
    while cards:
        deck[place] = lowest(cards)
        cards &= cards - _ONE
        place += 2


@kernel
def _fill_rest(cards, deck, place):
    while cards:
        while deck[place] >= 0:
            place += 1
        deck[place] = lowest(cards)
        cards &= cards - _ONE
