"""``heuristic``: the textbook bot, which has perfect memory and plays the strategy of the books by weighing values.

All values are in endgame tricks. In the foreplay the bot weighs what it gains by winning the trick (``prize_gain``: the
value of the face-up card minus that of the expected unseen card) against what it gives up by playing a card
(``card_value``). As follower it therefore wins a wanted prize with the cheapest winning card, ducks when the prize is
worse than an unseen card, and never spends a high card on a middling prize. As leader it also estimates how likely the
opponent is to beat a card. In the endgame it knows both hands: see ``endgame_kernels``.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.card_value_kernels import (
    above,
    below,
    best_card,
    card_value,
    length_value,
    mean_card_value,
    rank_value,
    rivals_of,
    share_left,
    trump_mask,
    value_row,
)
from german_whist.agents.bots.heuristic.endgame_kernels import endgame_card, held_unseen
from german_whist.game.state import KEEP, LEAVE, SWAP, TAKE
from german_whist.game.state_kernels import beats, suit_mask, suit_of
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.row_kernels import row_kernel

# Weights tuned on mirrored deals against `greedy` and an earlier version of this bot.
PRIZE_WEIGHT = 4.8  # weight of a prize relative to the card spent on it
DUCK_WEIGHT = 1.3  # extra weight of a prize that neither player wants
RUFF_CHANCE = 0.4  # assumed probability that an opponent who can ruff (trump a plain suit) does so
RACE_TRICK_WEIGHT = 2.0  # a race may end before high cards pay off
FORCED_CARD_WEIGHT = 0.15  # weight of the card that the opponent must spend to win

_ONE = np.uint64(1)


@kernel
def full_hand(view):
    """Return the number of cards in this hand after the draw; between a trick and the draw it is one card short."""
    return popcount(view.hand) + (1 if view.choice and view.stock > 0 else 0)


@kernel
def prize_gain(view, unplayed):
    """Return the weighted gain of winning this foreplay trick over losing it.

    The winner gets the best face-up card and the loser an unseen one or, when none is left, the next best face-up card;
    in a draft the winner gets the better of the two. The trick itself adds to the gain in games that count all tricks.
    The lead is worth nothing here: strategy books value it, but valuing it gained nothing in tests.
    """
    own, size, trump, low = view.hand, full_hand(view), view.trump, view.low != 0
    if not view.face_up:  # both draw unseen
        return PRIZE_WEIGHT * view.all_count
    prize = best_card(view.face_up, own, size, unplayed, trump, low)
    prize_value = card_value(prize, own | (_ONE << np.uint64(prize)), size, unplayed, trump, low)
    left = view.face_up & ~(_ONE << np.uint64(prize))
    if view.stock > popcount(view.face_up):
        other_value = mean_card_value(view.unseen, own, size, unplayed, trump, low)
    else:
        other = best_card(left, own, size, unplayed, trump, low)
        other_value = card_value(other, own | (_ONE << np.uint64(other)), size, unplayed, trump, low)
    difference = prize_value - other_value
    if view.draft:
        difference = abs(difference)
    return PRIZE_WEIGHT * (difference + (RACE_TRICK_WEIGHT if view.race else 1.0) * view.all_count)


@kernel
def option_action(view, unplayed):
    """Choose without playing a card: pick the best one, take a prize above average, keep a hand above a blind one."""
    own, size, trump, low = view.hand, full_hand(view), view.trump, view.low != 0
    # Actions below 52 are cards: the seat picks one of the face-up cards.
    if view.legal < _ONE << np.uint64(52):
        return best_card(view.legal, own, size, unplayed, trump, low)
    if view.face_up:
        prize = lowest(view.face_up)
        prize_value = card_value(prize, own | (_ONE << np.uint64(prize)), size, unplayed, trump, low)
        return TAKE if prize_value >= mean_card_value(view.unseen, own, size, unplayed, trump, low) else LEAVE
    return KEEP if strength(own, size, unplayed, trump, low) >= blind_strength(view, unplayed, trump, low) else SWAP


@kernel
def strength(hand, size, unplayed, trump, low):
    """Return the sum of a hand's card values, in tricks."""
    total = 0.0
    cards = hand
    while cards:
        total += card_value(lowest(cards), hand, size, unplayed, trump, low)
        cards &= cards - _ONE
    return total


@kernel
def blind_strength(view, unplayed, trump, low):
    """Return the expected strength of a blind hand: the mean over disjoint, evenly spread hands of unseen cards."""
    size = popcount(view.hand)
    step = popcount(view.unseen) // size
    if step == 0:
        return 0.0
    total = 0.0
    for first in range(step):
        hand = np.uint64(0)
        cards = view.unseen
        index = 0
        while cards:
            if index % step == first and popcount(hand) < size:
                hand |= cards & ~(cards - _ONE)  # the lowest card
            cards &= cards - _ONE
            index += 1
        total += strength(hand, size, unplayed, trump, low)
    return total / step


@kernel
def chance_held(view, suit):
    """Return the probability that the opponent holds an unseen card of a suit.

    The unseen cards are assumed to be spread evenly over the opponent's unknown cards and the stock. After a shown void
    only cards that the opponent has drawn unseen since then can be of the suit.
    """
    unseen = popcount(view.unseen)
    if unseen == 0:
        return 0.0
    hidden = held_unseen(view)
    chance = hidden / unseen
    if view.void_opponent[suit] > 0:
        chance *= min(1.0, view.drawn_opponent[suit] / max(hidden, 1))
    return chance


@kernel
def chance_none(view, cards, held):
    """Return the probability that the opponent holds none of some cards, if it holds each unseen one with ``held``."""
    if cards & view.opponent_known:
        return 0.0
    return power(1.0 - held, popcount(cards & view.unseen))


@kernel
def power(base, exponent):
    """Return ``base ** exponent`` for an integer exponent from 0 to 15; faster than the general power."""
    square = base * base
    fourth = square * square
    result = base if exponent & 1 else 1.0
    result *= square if exponent & 2 else 1.0
    result *= fourth if exponent & 4 else 1.0
    return result * (fourth * fourth if exponent & 8 else 1.0)


@kernel
def follow_card(view, unplayed):
    """Return the follower's card in the foreplay: each card's outcome is known and is weighed against its value."""
    gain = prize_gain(view, unplayed)
    size, low = full_hand(view), view.low != 0
    share = share_left(popcount(view.hand), unplayed)
    best = -1
    best_value = -1e9
    for suit in range(4):
        mask = view.legal & suit_mask(suit)
        if not mask:
            continue
        row = value_row(suit, view.trump, low)
        length = length_value(popcount(view.hand & suit_mask(suit)), size, row)
        not_held = unplayed & ~view.hand
        before = -1
        while mask:
            card = lowest(mask)
            mask &= mask - _ONE
            rivals = popcount(not_held & rivals_of(card, low))
            if rivals == before:  # equivalent to the last card: no card in play lies between them
                continue
            before = rivals
            value = -(rank_value(rivals, share, row) + length)
            if beats(card, view.led, view.trump):
                value += gain
            if value > best_value:
                best, best_value = card, value
    return best


@kernel
def beater_value(view, card, unplayed, share, size, row):
    """Return the value, to the opponent, of the lowest card that it may beat a led card with by rank; 0 if none.

    Args:
        view: the leader's view.
        card: the card led.
        unplayed: mask of all cards not played yet.
        share: share of that card's rivals that will still be unplayed in the endgame.
        size: cards in a full hand.
        row: row of the value tables for this suit (``value_row``).
    """
    known = view.opponent_known
    higher = above(card) & (view.unseen | known)
    if not higher:
        return 0.0
    beater = lowest(higher)
    length = popcount((known | (_ONE << np.uint64(beater))) & suit_mask(suit_of(card)))
    rivals = popcount(unplayed & rivals_of(beater, view.low != 0) & ~known)
    return rank_value(rivals, share, row) + length_value(length, size, row)


@kernel
def lead_card(view, unplayed):
    """Return the leader's card in the foreplay.

    The opponent is modelled as follows. For a wanted prize it beats the led card whenever it can, by a higher card of
    the suit or, if void, perhaps by a trump. It wins an unwanted prize only when forced to.
    """
    gain = prize_gain(view, unplayed)
    size, low, trump = full_hand(view), view.low != 0, np.int64(view.trump)
    share = share_left(popcount(view.hand), unplayed)
    their_share = share_left(popcount(view.opponent_known), unplayed)
    no_trump = chance_none(view, trump_mask(trump), chance_held(view, trump) if trump >= 0 else 0.0)
    best = -1
    best_value = -1e9
    for suit in range(4):
        mask = view.legal & suit_mask(suit)
        if not mask:
            continue
        row = value_row(suit, trump, low)
        length = length_value(popcount(view.hand & suit_mask(suit)), size, row)
        not_held = unplayed & ~view.hand
        held = chance_held(view, suit)
        ruffed = 0.0 if suit == trump else RUFF_CHANCE * chance_none(view, suit_mask(suit), held) * (1.0 - no_trump)
        before = -1
        while mask:
            card = lowest(mask)
            mask &= mask - _ONE
            rivals = popcount(not_held & rivals_of(card, low))
            if rivals == before:  # equivalent to the last card: no card in play lies between them
                continue
            before = rivals
            value = -(rank_value(rivals, share, row) + length)
            no_higher = chance_none(view, above(card), held)
            if gain > 0:
                loses = (1.0 - no_higher) + ruffed
                value += gain * (1.0 - loses) + FORCED_CARD_WEIGHT * loses * beater_value(
                    view, card, unplayed, their_share, size, row
                )
            else:
                must_win = chance_none(view, below(card), held) * (1.0 - no_higher)
                value += DUCK_WEIGHT * gain * (1.0 - must_win)
            if value > best_value:
                best, best_value = card, value
    return best


@kernel
def heuristic_action(view):
    """Return the bot's action."""
    if not view.legal & (view.legal - _ONE):  # a single legal action
        return lowest(view.legal)
    unplayed = view.hand | view.unseen | view.opponent_known | view.face_up
    if view.choice:
        return option_action(view, unplayed)
    if view.stock == 0:
        return endgame_card(view)
    if view.led < 0:
        return lead_card(view, unplayed)
    # The card led counts as played already, but it is still in the way of lower cards of its suit.
    return follow_card(view, unplayed | (_ONE << np.uint64(view.led)))


@row_kernel
def choose(i, views, actions):
    """Write the bot's action for view ``i``."""
    actions[i] = heuristic_action(views[i])
