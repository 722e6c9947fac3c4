"""Kernels that solve endgames, card masks, row by row."""

from __future__ import annotations

import numpy as np

from german_whist.game.state_kernels import cards_that_follow
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.solver.search.alpha_beta_kernels import (
    NO_CARD,
    WINDOW_HIGH,
    WINDOW_LOW,
    alpha_beta,
    follower_wins,
    next_position,
)
from german_whist.solver.tablebase.position_kernels import MAX_CARDS, bit_index_of, position_of, sorted_suits

NOT_LEGAL = -1

_ONE = np.uint64(1)


@kernel
def is_invalid(leader, follower, led):
    """Return whether two hands are not an endgame: different sizes, not 1 to 13 cards, or a card in both."""
    own = leader | (np.uint64(0) if led < 0 else _ONE << np.uint64(led))
    cards = popcount(own)
    return cards != popcount(follower) or cards < 1 or cards > MAX_CARDS or own & follower != 0


@kernel
def encode_position(tablebase, leader, follower, trump, led):
    """Return the position of two hands, the number of cards in each, and the bit index of the card led (−1 for none).

    The suits are sorted if no card is led.
    """
    if led < 0:
        position = sorted_suits(position_of(leader, follower, trump), tablebase.trump)
        return position, popcount(leader), NO_CARD
    own = leader | _ONE << np.uint64(led)
    return position_of(own, follower, trump), popcount(own), np.int64(bit_index_of(led, own | follower, trump))


@kernel
def legal_cards(leader, follower, led):
    """Return the cards that the seat to act may play: the leader, or the follower if a card is led."""
    return cards_that_follow(follower, led) if led >= 0 else leader


@kernel
def write_tricks(tablebase, transpositions, leaders, followers, trumps, leds, rows, tricks):
    """Write the leader's tricks in some rows."""
    for row in rows:
        position, cards, led = encode_position(tablebase, leaders[row], followers[row], trumps[row], leds[row])
        value = alpha_beta(tablebase, transpositions, position, cards, led, WINDOW_LOW, WINDOW_HIGH)
        tricks[row] = cards - value if tablebase.low else value


@kernel
def write_reached(tablebase, transpositions, leaders, followers, trumps, leds, rows, at_least, reached):
    """Write whether the leader takes ``at_least`` tricks in some rows, by a zero-window search."""
    for row in rows:
        position, cards, led = encode_position(tablebase, leaders[row], followers[row], trumps[row], leds[row])
        if tablebase.low:  # values count tricks given away, so the question is turned round
            given_away = np.int64(cards - at_least)
            bound = alpha_beta(tablebase, transpositions, position, cards, led, given_away, given_away + 1)
            reached[row] = bound <= given_away
        else:
            bound = alpha_beta(tablebase, transpositions, position, cards, led, at_least - 1, at_least)
            reached[row] = bound >= at_least


@kernel
def _reply_value(tablebase, transpositions, position, cards, led, reply):
    """Return the value of a position for its leader after the follower's reply to the card led."""
    gain = np.int64(0 if tablebase.low else 1)
    taken = follower_wins(tablebase, led, reply)
    left = next_position(tablebase, position, led, reply, taken)
    value = alpha_beta(tablebase, transpositions, left, cards - 1, NO_CARD, WINDOW_LOW, WINDOW_HIGH)
    return cards - gain - value if taken else gain + value


@kernel
def write_move_tricks(tablebase, transpositions, leaders, followers, trumps, leds, rows, tricks):
    """Write the tricks that the seat to act takes after each of its legal cards, int8[:, 52]."""
    for row in rows:
        trump, led = np.int64(trumps[row]), np.int64(leds[row])
        write_move_tricks_of(tablebase, transpositions, leaders[row], followers[row], trump, led, tricks[row])


@kernel
def write_move_tricks_of(tablebase, transpositions, leader, follower, trump, card_led, tricks):
    """Write the tricks that the seat to act takes after each of its legal cards in one endgame."""
    leads = card_led < 0
    own = leader if leads else leader | _ONE << np.uint64(card_led)
    in_play = own | follower
    position = position_of(own, follower, trump)
    cards = popcount(own)
    led = NO_CARD if leads else np.int64(bit_index_of(card_led, in_play, trump))
    legal = legal_cards(own, follower, card_led)
    last_index = value = np.int64(-2)  # not next to bit index 0
    while legal:
        card = lowest(legal)
        legal &= legal - _ONE
        bit_index = np.int64(bit_index_of(card, in_play, trump))
        # A card next to the last one, in the same suit, has the same value: no other card lies between them.
        if bit_index != last_index + 1 or not bit_index & 15:
            if leads:
                value = alpha_beta(tablebase, transpositions, position, cards, bit_index, WINDOW_LOW, WINDOW_HIGH)
            else:
                value = _reply_value(tablebase, transpositions, position, cards, led, bit_index)
        last_index = bit_index
        # A value counts the leader's tricks, or in a low game those of the follower.
        tricks[card] = value if leads != tablebase.low else cards - value
