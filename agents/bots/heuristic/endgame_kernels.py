"""The heuristic bot's endgame: both hands are open to perfect memory.

Rules of thumb (win cheaply, draw trumps with the longer holding, cash sure winners, lead from length) play for both
sides, and the bot takes the card after which they bring it most: one step of policy improvement over the rules. A low
endgame has rules of its own (``low_rules``). Where blind hands keep some cards hidden to the end, each card is tried
against some even samples of the opponent's hand.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.card_value_kernels import above, trump_mask
from german_whist.agents.bots.heuristic.low_endgame_kernels import danger, follow_low, lead_low
from german_whist.envs.engine.state_kernels import beats, suit_mask, suit_of
from german_whist.envs.utils.bit_kernels import highest, lowest, popcount
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)


@kernel
def discard_cost(card, hand, opponent, trump):
    """Return what throwing a card away costs: little from the bottom of a suit, much for winners and trumps."""
    suit = suit_of(card)
    cost = np.int64(card) % 13
    if suit == trump:
        cost += 40
    elif opponent & suit_mask(suit) and not opponent & above(card):
        cost += 20  # a winner
    return cost


@kernel
def cheapest(cards, hand, opponent, trump):
    """Return the card of a mask that costs least to lose."""
    best = -1
    best_cost = 1000
    while cards:
        card = lowest(cards)
        cards &= cards - _ONE
        cost = discard_cost(card, hand, opponent, trump)
        if cost < best_cost:
            best, best_cost = card, cost
    return best


@kernel
def follow(hand, opponent, led, trump):
    """Win as cheaply as possible, or lose the card that costs least."""
    legal = hand & suit_mask(suit_of(led))
    if not legal:
        legal = hand
    winners = np.uint64(0)
    mask = legal
    while mask:
        card = lowest(mask)
        mask &= mask - _ONE
        if beats(card, led, trump):
            winners |= _ONE << np.uint64(card)
    if winners:
        return cheapest(winners, hand, opponent, trump)
    return cheapest(legal, hand, opponent, trump)


@kernel
def lead(hand, opponent, trump):
    """Draw trumps with the better holding, cash sure winners, then lead from length."""
    trumps = trump_mask(trump)
    own_trumps = hand & trumps
    their_trumps = opponent & trumps
    safe_winners = np.uint64(0)
    mask = hand & ~trumps
    while mask:
        card = lowest(mask)
        mask &= mask - _ONE
        held = opponent & suit_mask(suit_of(card))
        if not opponent & above(card) and (held or not their_trumps):
            safe_winners |= _ONE << np.uint64(card)
    # Draw trumps while ours are higher and there are winners that the opponent would ruff.
    ours_are_higher = their_trumps and highest(own_trumps) > highest(their_trumps)
    if ours_are_higher and (popcount(own_trumps) > popcount(their_trumps) or not safe_winners):
        return highest(own_trumps)
    if safe_winners:
        # From the suit in which the opponent holds most cards, so that it is far from ruffing; high cards first.
        best = -1
        best_score = -1
        mask = safe_winners
        while mask:
            card = lowest(mask)
            mask &= mask - _ONE
            score = 13 * popcount(opponent & suit_mask(suit_of(card))) + np.int64(card) % 13
            if score > best_score:
                best, best_score = card, score
        return best
    # Nothing wins for sure: lead low from the longest side suit.
    best = -1
    best_score = -1000
    mask = hand
    while mask:
        card = lowest(mask)
        mask &= mask - _ONE
        suit = suit_of(card)
        score = 13 * popcount(hand & suit_mask(suit)) - np.int64(card) % 13
        if suit == trump:
            score -= 100
        if score > best_score:
            best, best_score = card, score
    return best


@kernel
def rule_card(hand, opponent, led, trump, low):
    """Return the card that the rules of thumb play; ``led`` is −1 on lead."""
    if low:
        return follow_low(hand, opponent, led, trump) if led >= 0 else lead_low(hand, opponent)
    return follow(hand, opponent, led, trump) if led >= 0 else lead(hand, opponent, trump)


@kernel
def play_out(hand, opponent, led, trump, low):
    """Play the rest by the rules of thumb on both sides.

    Args:
        hand: mask of the cards of the side to act.
        opponent: mask of the other side's cards; one card fewer when it has led.
        led: the card that the other side has led, −1 when the side to act leads.
        trump: the trump suit, −1 for none.
        low: whether the fewest tricks win.

    Returns:
        Tricks for the side to act minus tricks for the other.
    """
    own, other = hand, opponent
    sign = 1
    margin = 0
    while own:
        card = rule_card(own, other, led, trump, low)
        own &= ~(_ONE << np.uint64(card))
        if led < 0:
            led = card
        else:
            if beats(card, led, trump):
                margin += sign
                led = -1
                continue
            margin -= sign
            led = -1
        own, other = other, own
        sign = -sign
    return margin


@kernel
def endgame_card(view):
    """Return the heuristic bot's card in the endgame.

    Each candidate is tried and the rest played out by the rules of thumb for both sides, against the opponent's hand
    or, where it is not known exactly, against each of some even samples of it; of equally good cards the one that the
    rules would play, else the cheapest.
    """
    trump = np.int64(view.trump)
    led = np.int64(view.led)
    low = view.low != 0
    hand = view.hand
    worlds = count_worlds(view)
    opponent = world(view, 0, worlds)
    best = ruled = rule_card(hand, opponent, led, trump, low)
    best_cost = 0
    best_value = try_worlds(best, view, worlds)
    mask = view.legal & ~(_ONE << np.uint64(best))
    while mask:
        card = lowest(mask)
        mask &= mask - _ONE
        value = try_worlds(card, view, worlds)
        cost = -danger(card, opponent) if low else discard_cost(card, hand, opponent, trump)
        if value > best_value or (value == best_value and best != ruled and cost < best_cost):
            best, best_value, best_cost = card, value, cost
    return best


@kernel
def held_unseen(view):
    """Return how many unseen cards the opponent holds."""
    # As follower this seat holds one card more than the opponent, which has led one.
    held = popcount(view.hand) - (1 if view.led >= 0 else 0)
    return held - popcount(view.opponent_known)


@kernel
def may_hold(view):
    """Return the unseen cards that the opponent may hold: not those of a suit it showed void and cannot have drawn."""
    cards = view.unseen
    if popcount(cards) > held_unseen(view):
        for suit in range(4):
            if view.void_opponent[suit] > 0 and view.drawn_opponent[suit] == 0:
                cards &= ~suit_mask(suit)
    return cards


@kernel
def count_worlds(view):
    """Return into how many even samples of the opponent's hand the cards that it may hold fall."""
    hidden = held_unseen(view)
    return max(1, popcount(may_hold(view)) // hidden) if hidden > 0 else 1


@kernel
def world(view, number, worlds):
    """Return a sample of the opponent's hand: what it is known to hold, and one in ``worlds`` of what it may hold."""
    hand = view.opponent_known
    left = held_unseen(view)
    cards = may_hold(view)
    place = 0
    while cards and left > 0:
        if place % worlds == number:
            hand |= cards & ~(cards - _ONE)
            left -= 1
        cards &= cards - _ONE
        place += 1
    return hand


@kernel
def try_worlds(card, view, worlds):
    """Return how well a card does over all samples of the opponent's hand."""
    total = 0
    for number in range(worlds):
        opponent = world(view, number, worlds)
        total += try_card(card, view.hand, opponent, np.int64(view.led), np.int64(view.trump), view.low != 0)
    return total


@kernel
def try_card(card, hand, opponent, led, trump, low):
    """Return how well a card does when the rules of thumb go on: tricks won minus lost, or lost minus won when low."""
    rest = hand & ~(_ONE << np.uint64(card))
    if led < 0:
        margin = -play_out(opponent, rest, card, trump, low)
    elif beats(card, led, trump):
        margin = 1 + play_out(rest, opponent, -1, trump, low)
    else:
        margin = -1 - play_out(opponent, rest, -1, trump, low)
    return -margin if low else margin
