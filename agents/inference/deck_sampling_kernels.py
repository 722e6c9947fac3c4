"""What a history tells of a deal's hidden cards, and exactly uniform deals that agree with it, as kernels.

A history fixes the place in the deck of every card that the seat saw, and of every card that the opponent drew unseen.
Left is which hidden card came from where: the opponent's hand as dealt, its unseen draws, or the cards in no hand. What
happened to its hidden cards is a list of *items* in order: it drew one, played one, or showed a void, and then held
none of the suit. By dynamic programming over the items, the ways to hold so many cards of each suit are counted;
cards of a suit are interchangeable. Sampling walks back from a hand that the opponent can hold now.

The counts are sums and products of positive floats, so they are exact to about 1e-13 of their value. In ``humbug``
there are no draws: a blind hand takes the place of the hand as dealt.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.inference.world_sampling_kernels import BINOMIAL
from german_whist.envs.engine.dealing_kernels import philox, shuffle
from german_whist.envs.engine.state_kernels import suit_mask, suit_of
from german_whist.envs.observation.history import EVENTS
from german_whist.envs.utils.bit_kernels import lowest, nth_lowest, popcount
from german_whist.envs.utils.jit import allocating_kernel, kernel

DREW, PLAYED, VOID = 0, 1, 2  # kinds of items
MAX_ITEMS = 80
MAX_TRICKS = 26

# What one seat knows of a deal's hidden past. Sets of places are masks, too: bit p is place p of the deck.
HIDDEN_DEAL = np.dtype(
    [
        ("deck", np.int8, (52,)),  # cards in dealing order, −1 where the card of a place is not known
        ("own", np.uint64, (2,)),  # the seat's hand as dealt, and in humbug the blind hand that it took
        ("own_places", np.uint64, (2,)),
        ("is_dealer", np.int8),
        ("hand_places", np.uint64),  # of the opponent's unseen first cards
        ("hand", np.int64),  # number of them
        ("drawn_places", np.uint64),  # of the opponent's unseen draws
        ("free_places", np.uint64),  # of cards that are in no hand
        ("next_place", np.int64),  # of the stock
        ("swaps", np.int64),  # of hands for blind ones
        ("seen", np.uint64),  # all cards seen
        ("taken", np.uint64),  # those that the opponent took in sight of the seat, and holds
        ("unseen", np.uint64),  # cards never seen
        ("held", np.int64),  # how many of them the opponent holds
        ("items", np.int64),  # number of items: what happened to the opponent's hidden cards, in order
        ("kind", np.int8, (MAX_ITEMS,)),
        ("suit", np.int8, (MAX_ITEMS,)),  # of the card played, or of the void shown
        ("card", np.int8, (MAX_ITEMS,)),  # the card played
        ("place", np.int8, (MAX_ITEMS,)),  # of the card drawn
        ("cards_played", np.int64),  # by both seats
        ("played", np.int8, (52,)),  # cards in the order of play
        (
            "took",
            np.int8,
            (MAX_TRICKS + 1, 2),
        ),  # by trick, from 1, and who (0 this seat): the face-up card taken, −1 for none
        ("choice", np.int8, (MAX_TRICKS + 1,)),  # by trick: 52 take, 53 leave, −1 for none
    ],
    align=True,
)

_EVENT = {event.name: number for number, event in enumerate(EVENTS)}
_DEALER, _DEALT, _TURNED = _EVENT["dealer"], _EVENT["dealt"], _EVENT["turned"]
_PLAYED, _TOOK, _DREW = _EVENT["played"], _EVENT["took"], _EVENT["drew"]
_TAKE, _LEAVE, _SWAP = _EVENT["take"], _EVENT["leave"], _EVENT["swap"]
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
def _every(step, first, end):
    """Return the places ``first``, ``first + step``, … before ``end`` as a mask."""
    places = np.uint64(0)
    for place in range(first, end, step):
        places |= _ONE << np.uint64(place)
    return places


@kernel
def _read_dealer(game, hidden, is_dealer):
    """Write whose cards lie where in the deck at first."""
    step = 4 if game.humbug else 2
    end = step * np.int64(game.hand)
    hidden.is_dealer = is_dealer
    hidden.own_places[0] = _every(step, step - 1 if is_dealer else 0, end)
    hidden.hand_places = _every(step, 0 if is_dealer else step - 1, end)


@kernel
def _read_turned(game, hidden, is_mine, card, bit):
    """Follow a card that is turned up: of the stock, or in humbug the dealer's last."""
    place = np.int64(game.cards) - 1 if game.humbug else hidden.next_place
    hidden.deck[place] = card
    hidden.next_place += 1
    if game.humbug:
        hidden.hand_places &= ~(_ONE << np.uint64(place))
        hidden.own_places[0] &= ~(_ONE << np.uint64(place))
        hidden.own[0] &= ~bit
        hidden.taken |= np.uint64(0) if is_mine else bit


@kernel
def _read_draw(game, hidden, is_mine, card, bit):
    """Follow an unseen draw, of the stock or of a blind hand."""
    if game.humbug:
        hidden.own[1] |= bit if is_mine else np.uint64(0)
        return
    if is_mine:
        hidden.deck[hidden.next_place] = card
    else:
        hidden.drawn_places |= _ONE << np.uint64(hidden.next_place)
        _add_item(hidden, DREW, -1, -1, hidden.next_place)
    hidden.next_place += 1


@kernel
def _read_swap(game, hidden, is_mine):
    """Follow a player that discards its hand for the next blind one."""
    hidden.swaps += 1
    blind = _every(4, hidden.swaps, np.int64(game.cards))
    if is_mine:
        hidden.own_places[1] = blind
    else:
        hidden.hand_places = blind
        hidden.taken = np.uint64(0)


@kernel
def _read_play(hidden, is_mine, card, led):
    """Follow a card played to a trick in which the suit ``led`` was led (−1: it leads)."""
    hidden.played[hidden.cards_played] = card
    hidden.cards_played += 1
    if is_mine:
        return
    bit = _ONE << np.uint64(card)
    if not hidden.taken & bit:
        _add_item(hidden, PLAYED, suit_of(card), card, -1)
    if led >= 0 and suit_of(card) != led:
        _add_item(hidden, VOID, led, -1, -1)
    hidden.taken &= ~bit


@kernel
def _is_readable(game, hidden, event, card, trick):
    """Return whether an event can be one of the rules, so that the next kernels stay inside their arrays."""
    if not 0 <= trick <= MAX_TRICKS or card > 51 or (card >= 0 and not game.deck & (_ONE << np.uint64(card))):
        return False
    if event == _PLAYED:
        return card >= 0 and hidden.cards_played < 52 and hidden.items + 2 <= MAX_ITEMS
    return event not in (_TURNED, _DREW) or game.humbug or hidden.next_place < game.cards


@kernel
def read_history(game, tokens, hidden):
    """Read a history and return whether it is one of these rules, as far as its cards add up.

    Args:
        game: the rules, a ``GAME`` record.
        tokens: the events, int8[events, 4].
        hidden: a ``HIDDEN_DEAL`` record of zeros, written.
    """
    hidden.deck[:] = -1
    hidden.took[:] = -1
    hidden.choice[:] = -1
    hidden.next_place = 2 * np.int64(game.hand)
    led = np.int64(-1)
    for i in range(tokens.shape[0]):
        event, is_mine, card = np.int64(tokens[i, 0]), tokens[i, 1] == _ME, np.int64(tokens[i, 2]) - 1
        trick = np.int64(tokens[i, 3])
        if not _is_readable(game, hidden, event, card, trick):
            return False
        bit = _ONE << np.uint64(card) if card >= 0 else np.uint64(0)
        hidden.seen |= bit
        if event == _DEALER:
            _read_dealer(game, hidden, is_mine)
        elif event == _DEALT:
            hidden.own[0] |= bit
        elif event == _TURNED:
            _read_turned(game, hidden, is_mine, card, bit)
        elif event == _DREW:
            _read_draw(game, hidden, is_mine, card, bit)
        elif event == _SWAP:
            _read_swap(game, hidden, is_mine)
        elif event == _TOOK:
            hidden.took[trick, 0 if is_mine else 1] = card
            hidden.taken |= np.uint64(0) if is_mine else bit
        elif event in (_TAKE, _LEAVE):
            hidden.choice[trick] = 52 if event == _TAKE else 53
        elif event == _PLAYED:
            _read_play(hidden, is_mine, card, led)
            led = suit_of(card) if led < 0 else -1
    return _adds_up(game, hidden)


@kernel
def _adds_up(game, hidden):
    """Complete what a history tells, and return whether the numbers of cards are those of the places."""
    known = np.uint64(0)
    for place in range(game.cards):
        known |= _ONE << np.uint64(place) if hidden.deck[place] >= 0 else np.uint64(0)
    known |= hidden.own_places[0] | hidden.own_places[1] | hidden.hand_places | hidden.drawn_places
    hidden.free_places = _every(1, 0, np.int64(game.cards)) & ~known
    hidden.hand = hidden.held = popcount(hidden.hand_places)
    for item in range(hidden.items):
        hidden.held += 1 if hidden.kind[item] == DREW else -1 if hidden.kind[item] == PLAYED else 0
    hidden.unseen = game.deck & ~hidden.seen
    for group in range(2):
        if popcount(hidden.own[group]) != popcount(hidden.own_places[group]):
            return False
    free = popcount(hidden.unseen) - hidden.held
    is_dealt = (hidden.own_places[0] | hidden.hand_places) > 0
    return is_dealt and hidden.held >= 0 and free == popcount(hidden.free_places)


@allocating_kernel
def count_deals(hidden):
    """Count the deals that agree with a history.

    Args:
        hidden: a ``HIDDEN_DEAL`` record.

    Returns:
        A tuple: the ways to hold a number of hidden cards of each suit after so many items, float64[items + 1, clubs,
        diamonds, hearts], where the number of spades follows; the numbers by suit that are possible now, int8[n, 4];
        and the number of deals with these numbers and those before them, float64[n]. Cards in the same hand or in no
        hand are not told apart by their places. ``n`` is 0 if the history is impossible.
    """
    limits = np.empty(4, np.int64)  # one more than the most hidden cards of each suit that the opponent can have held
    for suit in range(4):
        limits[suit] = 1 + popcount(hidden.unseen & suit_mask(suit))
    for item in range(hidden.items):
        if hidden.kind[item] == PLAYED:
            limits[hidden.suit[item]] += 1
    ways = np.empty((hidden.items + 1, limits[0], limits[1], limits[2]))
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
    most = limits[0] * limits[1] * limits[2]
    suits, cumulative = np.empty((most, 4), np.int8), np.empty(most)
    count = _list_suits(hidden, held, ways[hidden.items], suits, cumulative)
    return ways, suits[:count], cumulative[:count]


@allocating_kernel
def _list_suits(hidden, held, ways, suits, cumulative):
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
def sample_deal(hidden, deals, key, number, strata, deck):
    """Sample a deal: write the deck and return the hidden cards that the opponent holds now.

    Args:
        hidden: a ``HIDDEN_DEAL`` record.
        deals: from :func:`count_deals`.
        key: random key.
        number: number of the deal.
        strata: into how many parts the distribution of the suits is cut. The deal is drawn from part
            ``number % strata``, so as many deals together have the right share of each (stratified sampling). With 1
            they are independent.
        deck: int8[52], written: the deck in dealing order, complete. Hands, and the cards in no hand, lie from low to
            high in their places.
    """
    ways, suits, cumulative = deals
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
    """Sample independent deals and put the cards of each hand, and those in no hand, in a random order.

    Args:
        hidden: ``HIDDEN_DEAL`` array (1,).
        deals: from :func:`count_deals`.
        key: random key.
        decks: int8[n, 52], written: decks in dealing order.
    """
    for number in range(decks.shape[0]):
        deck = decks[number]
        sample_deal(hidden[0], deals, key, number, 1, deck)
        _shuffle_places(hidden[0].own_places[0], key, 4 * number, deck)
        _shuffle_places(hidden[0].own_places[1], key, 4 * number + 1, deck)
        _shuffle_places(hidden[0].hand_places, key, 4 * number + 2, deck)
        _shuffle_places(hidden[0].free_places, key, 4 * number + 3, deck)


@allocating_kernel
def _shuffle_places(places, key, number, deck):
    """Shuffle the cards in some places of a deck."""
    cards = np.empty(popcount(places), np.int8)
    rest = places
    for i in range(cards.shape[0]):
        cards[i] = deck[lowest(rest)]
        rest &= rest - _ONE
    shuffle(key, np.uint64(number), cards)
    for card in cards:
        deck[lowest(places)] = card
        places &= places - _ONE


@allocating_kernel
def list_hands(hidden, ways, hands, weights):
    """List the hidden cards that the opponent can hold now, and return how many such hands there are.

    Args:
        hidden: a ``HIDDEN_DEAL`` record.
        ways: the first of :func:`count_deals`.
        hands: uint64[n], written.
        weights: float64[n], written: the ways to each hand, to which its probability is proportional.

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


@allocating_kernel
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
    _fill(hidden.own_places[0], hidden.own[0], deck)
    _fill(hidden.own_places[1], hidden.own[1], deck)
    _fill(hidden.hand_places, held, deck)
    _fill(hidden.free_places, hidden.unseen & ~now, deck)


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
def _fill(places, cards, deck):
    """Put the cards of a mask into places of a deck, from low to high."""
    while cards:
        deck[lowest(places)] = lowest(cards)
        places &= places - _ONE
        cards &= cards - _ONE
