"""``heuristic``: the hard rule bot. Perfect memory, and the strategy of the books as weighed quantities.

The foreplay is a market, counted in endgame tricks. A trick's *stake* is what the face-up card is worth above the card
expected under it. A card's *worth* says what playing it gives away. So the follower wins a wanted prize with the
cheapest card that does, ducks when the prize is worse than an unseen card, and never wins a middling prize with a high
card. The leader also weighs how likely the opponent is to beat a card, from all it knows of the opponent's hand. In the
endgame both hands are open to it: see ``endgame_rules``.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.card_value_kernels import (
    above,
    below,
    best_card,
    kind_of,
    length_worth,
    mean_worth,
    rank_worth,
    rivals_of,
    share_left,
    trump_mask,
    worth,
)
from german_whist.agents.bots.heuristic.endgame_kernels import endgame_card, held_unseen
from german_whist.envs.engine.state import KEEP, LEAVE, SWAP, TAKE
from german_whist.envs.engine.state_kernels import beats, suit_mask, suit_of
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel

# Weights found by trying settings against `greedy` and an earlier version of this bot, on mirrored deals.
STAKE = 4.8  # weight of a prize (won by one, lost by the other) against the card spent on it: some card must be played
DUCK = 1.3  # the same for a prize that both would rather leave
RUFF = 0.4  # how often an opponent that could ruff is counted on to do so
RACE = 2.0  # weight of a counted trick in a race, which may end before good cards pay
FORCE = 0.15  # how much of the worth of the card that the opponent must spend on winning counts

_ONE = np.uint64(1)


@kernel
def full_hand(view):
    """Return how many cards a full hand has: one more than this one between a trick and the cards taken after it."""
    return popcount(view.hand) + (1 if view.choice and view.stock > 0 else 0)


@kernel
def stake(view, live):
    """Return what winning this foreplay trick gains over losing it.

    The winner gets the best open card and the loser an unseen one, or, when none is left, the next best; in a draft the
    winner gets whichever is better. A trick of its own counts where all tricks do. The books give the lead a value too:
    measured, it was nothing.
    """
    own, size, trump, low = view.hand, full_hand(view), view.trump, view.low != 0
    if not view.face_up:  # both draw unseen
        return STAKE * view.all_count
    prize = best_card(view.face_up, own, size, live, trump, low)
    prize_worth = worth(prize, own | (_ONE << np.uint64(prize)), size, live, trump, low)
    left = view.face_up & ~(_ONE << np.uint64(prize))
    if view.stock > popcount(view.face_up):
        other_worth = mean_worth(view.unseen, own, size, live, trump, low)
    else:
        other = best_card(left, own, size, live, trump, low)
        other_worth = worth(other, own | (_ONE << np.uint64(other)), size, live, trump, low)
    difference = prize_worth - other_worth
    if view.draft:
        difference = abs(difference)
    return STAKE * (difference + (RACE if view.race else 1.0) * view.all_count)


@kernel
def choice(view, live):
    """Pick the best open card; take it when it is worth more than an unseen one; keep a hand stronger than a blind."""
    own, size, trump, low = view.hand, full_hand(view), view.trump, view.low != 0
    if view.legal < _ONE << np.uint64(52):
        return best_card(view.legal, own, size, live, trump, low)
    if view.face_up:
        prize = lowest(view.face_up)
        prize_worth = worth(prize, own | (_ONE << np.uint64(prize)), size, live, trump, low)
        return TAKE if prize_worth >= mean_worth(view.unseen, own, size, live, trump, low) else LEAVE
    return KEEP if strength(own, size, live, trump, low) >= blind_strength(view, live, trump, low) else SWAP


@kernel
def strength(hand, size, live, trump, low):
    """Return the worth of a whole hand."""
    total = 0.0
    cards = hand
    while cards:
        total += worth(lowest(cards), hand, size, live, trump, low)
        cards &= cards - _ONE
    return total


@kernel
def blind_strength(view, live, trump, low):
    """Return about what a hand of unseen cards is worth: the mean over some hands dealt evenly from them."""
    size = popcount(view.hand)
    step = popcount(view.unseen) // size
    if step == 0:
        return 0.0
    total = 0.0
    for first in range(step):
        hand = np.uint64(0)
        cards = view.unseen
        place = 0
        while cards:
            if place % step == first and popcount(hand) < size:
                hand |= cards & ~(cards - _ONE)
            cards &= cards - _ONE
            place += 1
        total += strength(hand, size, live, trump, low)
    return total / step


@kernel
def chance_held(view, suit):
    """Return the chance that the opponent holds a given unseen card of a suit.

    Unseen cards are spread evenly over the opponent's unknown cards and the stock; after a shown void the opponent can
    hold as many cards of that suit as it has drawn unseen since.
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
    """Return the chance that the opponent holds none of some cards, of which it holds each unseen one by a chance."""
    if cards & view.opponent_known:
        return 0.0
    return power(1.0 - held, popcount(cards & view.unseen))


@kernel
def power(base, exponent):
    """Return a power with a whole exponent from 0 to 15, quicker than by logarithms."""
    square = base * base
    fourth = square * square
    result = base if exponent & 1 else 1.0
    result *= square if exponent & 2 else 1.0
    result *= fourth if exponent & 4 else 1.0
    return result * (fourth * fourth if exponent & 8 else 1.0)


@kernel
def follow_card(view, live):
    """Choose as follower in the foreplay: the outcome is known for each card, so weigh it against the card's worth."""
    gain = stake(view, live)
    size, low = full_hand(view), view.low != 0
    share = share_left(popcount(view.hand), live)
    best = -1
    best_value = -1e9
    for suit in range(4):
        mask = view.legal & suit_mask(suit)
        if not mask:
            continue
        kind = kind_of(suit, view.trump, low)
        length = length_worth(popcount(view.hand & suit_mask(suit)), size, kind)
        out = live & ~view.hand
        before = -1
        while mask:
            card = lowest(mask)
            mask &= mask - _ONE
            rivals = popcount(out & rivals_of(card, low))
            if rivals == before:  # nothing lies between it and the card before: it does the same
                continue
            before = rivals
            value = -(rank_worth(rivals, share, kind) + length)
            if beats(card, view.led, view.trump):
                value += gain
            if value > best_value:
                best, best_value = card, value
    return best


@kernel
def beater_worth(view, card, live, share, size, kind):
    """Return the worth to the opponent of the lowest card that may beat a led card by rank; 0 when none does.

    Args:
        view: what the leader knows.
        card: the card led.
        live: mask of all cards not played yet.
        share: of the beater's rivals that will be left.
        size: cards in a full hand.
        kind: of the cards of this suit.
    """
    known = view.opponent_known
    higher = above(card) & (view.unseen | known)
    if not higher:
        return 0.0
    beater = lowest(higher)
    length = popcount((known | (_ONE << np.uint64(beater))) & suit_mask(suit_of(card)))
    rivals = popcount(live & rivals_of(beater, view.low != 0) & ~known)
    return rank_worth(rivals, share, kind) + length_worth(length, size, kind)


@kernel
def lead_card(view, live):
    """Choose as leader in the foreplay.

    For a wanted prize the opponent beats the card when it can, at the price of a card of its own; for an unwanted one
    it wins only when it must. It can by a higher card of the suit, or, void of it, by a trump.
    """
    gain = stake(view, live)
    size, low, trump = full_hand(view), view.low != 0, np.int64(view.trump)
    share = share_left(popcount(view.hand), live)
    their_share = share_left(popcount(view.opponent_known), live)
    no_trump = chance_none(view, trump_mask(trump), chance_held(view, trump) if trump >= 0 else 0.0)
    best = -1
    best_value = -1e9
    for suit in range(4):
        mask = view.legal & suit_mask(suit)
        if not mask:
            continue
        kind = kind_of(suit, trump, low)
        length = length_worth(popcount(view.hand & suit_mask(suit)), size, kind)
        out = live & ~view.hand
        held = chance_held(view, suit)
        ruffed = 0.0 if suit == trump else RUFF * chance_none(view, suit_mask(suit), held) * (1.0 - no_trump)
        before = -1
        while mask:
            card = lowest(mask)
            mask &= mask - _ONE
            rivals = popcount(out & rivals_of(card, low))
            if rivals == before:  # nothing lies between it and the card before: it does the same
                continue
            before = rivals
            value = -(rank_worth(rivals, share, kind) + length)
            no_higher = chance_none(view, above(card), held)
            if gain > 0:
                loses = (1.0 - no_higher) + ruffed
                value += gain * (1.0 - loses) + FORCE * loses * beater_worth(view, card, live, their_share, size, kind)
            else:
                must_win = chance_none(view, below(card), held) * (1.0 - no_higher)
                value += DUCK * gain * (1.0 - must_win)
            if value > best_value:
                best, best_value = card, value
    return best


@kernel
def heuristic_action(view):
    """Return the heuristic bot's action."""
    if not view.legal & (view.legal - _ONE):
        return lowest(view.legal)
    live = view.hand | view.unseen | view.opponent_known | view.face_up
    if view.choice:
        return choice(view, live)
    if view.stock == 0:
        return endgame_card(view)
    if view.led < 0:
        return lead_card(view, live)
    return follow_card(view, live | (_ONE << np.uint64(view.led)))


@kernel
def choose(views, actions):
    """Write the heuristic bot's action for each view."""
    for i in range(views.shape[0]):
        actions[i] = heuristic_action(views[i])
