"""Kernels that answer endgames given as masks of cards, row by row."""

from __future__ import annotations

import numpy as np

from german_whist.envs.engine.state_kernels import suit_mask, suit_of
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel
from german_whist.solver.search.alpha_beta_kernels import NO_CARD, after_trick, search, takes
from german_whist.solver.tables.position_kernels import MAX_CARDS, position_of, seats_swapped, sorted_suits, spot_of

NOT_LEGAL = -1
_ONE = np.uint64(1)
_LOW_END, _HIGH_END = np.int64(-1), np.int64(MAX_CARDS + 1)


@kernel
def first_refused(leaders, followers, leds):
    """Return the first row that is no endgame, −1 when all are."""
    for i in range(leaders.shape[0]):
        led = np.uint64(0) if leds[i] < 0 else _ONE << np.uint64(leds[i])
        own = leaders[i] | led
        cards = popcount(own)
        if cards != popcount(followers[i]) or cards < 1 or cards > MAX_CARDS or own & followers[i]:
            return i
    return -1


@kernel
def packed(table, leader, follower, trump, led):
    """Return the position of two hands, the number of cards in each, and the spot of the card led (−1 for none).

    The suits are sorted when no card is led.
    """
    if led < 0:
        position = sorted_suits(position_of(leader, follower, trump), table.trump)
        return position, popcount(leader), NO_CARD
    own = leader | _ONE << np.uint64(led)
    return position_of(own, follower, trump), popcount(own), np.int64(spot_of(led, own | follower, trump))


@kernel
def legal_cards(leader, follower, led):
    """Return the cards that the seat to act may play: the leader, or the follower where a card is led."""
    if led < 0:
        return leader
    following = follower & suit_mask(suit_of(led))
    return following if following else follower


@kernel
def write_tricks(table, memory, leaders, followers, trumps, leds, rows, tricks):
    """Write how many tricks the leaders of some rows take."""
    for row in rows:
        position, cards, led = packed(table, leaders[row], followers[row], trumps[row], leds[row])
        value = search(table, memory, position, cards, led, _LOW_END, _HIGH_END)
        tricks[row] = cards - value if table.low else value


@kernel
def write_reached(table, memory, leaders, followers, trumps, leds, rows, at_least, reached):
    """Write whether the leaders of some rows take so many tricks."""
    for row in rows:
        position, cards, led = packed(table, leaders[row], followers[row], trumps[row], leds[row])
        if table.low:
            given_away = np.int64(cards - at_least)
            reached[row] = search(table, memory, position, cards, led, given_away, given_away + 1) <= given_away
        else:
            reached[row] = search(table, memory, position, cards, led, at_least - 1, at_least) >= at_least


@kernel
def value_of_reply(table, memory, position, cards, led, reply):
    """Return the value of a position for its leader once the follower has replied to the card led."""
    gain = np.int64(0 if table.low else 1)
    left = after_trick(position, led, reply)
    if takes(table, led, reply):
        left = sorted_suits(seats_swapped(left), table.trump)
        return cards - gain - search(table, memory, left, cards - 1, NO_CARD, _LOW_END, _HIGH_END)
    left = sorted_suits(left, table.trump)
    return gain + search(table, memory, left, cards - 1, NO_CARD, _LOW_END, _HIGH_END)


@kernel
def write_move_tricks(table, memory, leaders, followers, trumps, leds, rows, tricks):
    """Write for each legal card of the seat to act the tricks that seat then takes, int8[:, 52]."""
    for row in rows:
        card_tricks(
            table, memory, leaders[row], followers[row], np.int64(trumps[row]), np.int64(leds[row]), tricks[row]
        )


@kernel
def card_tricks(table, memory, leader, follower, trump, card_led, tricks):
    """Write for each legal card of the seat to act the tricks that seat then takes."""
    leads = card_led < 0
    own = leader if leads else leader | _ONE << np.uint64(card_led)
    in_play = own | follower
    position = position_of(own, follower, trump)
    cards = popcount(own)
    led = NO_CARD if leads else np.int64(spot_of(card_led, in_play, trump))
    legal = legal_cards(own, follower, card_led)
    last_spot = value = np.int64(-2)
    while legal:
        card = lowest(legal)
        legal &= legal - _ONE
        spot = np.int64(spot_of(card, in_play, trump))
        if spot != last_spot + 1 or not spot & 15:  # a neighbour of the card before is worth the same
            if leads:
                value = search(table, memory, position, cards, spot, _LOW_END, _HIGH_END)
            else:
                value = value_of_reply(table, memory, position, cards, led, spot)
        last_spot = spot
        tricks[card] = value if leads != table.low else cards - value
