"""The heuristic bot's endgame, in which perfect memory knows both hands.

After each candidate card a rule policy plays both sides to the end, and the bot plays the card with the best result:
one step of policy improvement by rollouts (Tesauro and Galperin, "On-line policy improvement using Monte-Carlo search",
1996). The rule policy wins cheaply, draws trumps with the longer holding, cashes sure winners and leads from length. In
a low endgame it loses with the highest losing cards and leads where the opponent can duck least. Where blind hands hide
some cards to the end, each candidate is tried against evenly spread samples of the opponent's hand.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.card_value_kernels import above, below, trump_mask
from german_whist.game.state_kernels import beats, suit_mask, suit_of
from german_whist.game.utils.bit_kernels import highest, lowest, popcount
from german_whist.game.utils.jit import kernel

VOID_LEAD_RISK = 20  # the opponent discards on the suit that it lacks, and the leader gets the trick

_ONE = np.uint64(1)


@kernel
def discard_cost(card, opponent, trump):
    """Return the cost of giving up a card: its rank, plus 20 for a winner or 40 for a trump."""
    suit = suit_of(card)
    cost = np.int64(card) % 13
    if suit == trump:
        cost += 40
    elif opponent & suit_mask(suit) and not opponent & above(card):
        cost += 20  # no card of the opponent beats it
    return cost


@kernel
def cheapest(cards, opponent, trump):
    """Return the card of a mask with the lowest discard cost."""
    best = -1
    best_cost = 1000
    while cards:
        card = lowest(cards)
        cards &= cards - _ONE
        cost = discard_cost(card, opponent, trump)
        if cost < best_cost:
            best, best_cost = card, cost
    return best


@kernel
def follow(hand, opponent, led, trump):
    """Win as cheaply as possible; else lose the cheapest card."""
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
        return cheapest(winners, opponent, trump)
    return cheapest(legal, opponent, trump)


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
        # Safe: nothing outranks the card, and the opponent has to follow suit or has no trump to ruff with.
        if not opponent & above(card) and (held or not their_trumps):
            safe_winners |= _ONE << np.uint64(card)
    # Draw trumps while ours are higher and the opponent could ruff our winners. The highest of no cards is −1.
    ours_are_higher = their_trumps and highest(own_trumps) > highest(their_trumps)
    if ours_are_higher and (popcount(own_trumps) > popcount(their_trumps) or not safe_winners):
        return highest(own_trumps)
    if safe_winners:
        # Cash from the opponent's longest suit, where a ruff is furthest away; high cards first.
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
    # No sure winner: lead low from the longest plain suit.
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
def danger(card, opponent):
    """Return how many cards the opponent can duck this card with."""
    return popcount(opponent & below(card))


@kernel
def follow_low(hand, opponent, led, trump):
    """Lose with the most dangerous losing card; when every card wins, win with the highest."""
    legal = hand & suit_mask(suit_of(led))
    if not legal:
        legal = hand
    best = -1
    best_score = -1000
    while legal:
        card = lowest(legal)
        legal &= legal - _ONE
        rank = np.int64(card) % 13
        if beats(card, led, trump):  # below every losing card; rather the highest of the suit than a trump
            score = rank - 500 if suit_of(card) == suit_of(led) else -rank - 600
        else:
            score = 13 * danger(card, opponent) + rank
        if score > best_score:
            best, best_score = card, score
    return best


@kernel
def lead_low(hand, opponent):
    """Lead the card that the opponent can duck with the fewest cards; the highest of equals."""
    best = -1
    best_score = -1000
    while hand:
        card = lowest(hand)
        hand &= hand - _ONE
        held = opponent & suit_mask(suit_of(card))
        risk = danger(card, opponent) if held else VOID_LEAD_RISK
        score = np.int64(card) % 13 - 13 * risk
        if score > best_score:
            best, best_score = card, score
    return best


@kernel
def rule_card(hand, opponent, led, trump, low):
    """Return the rule policy's card; ``led`` is −1 for the leader."""
    if low:
        return follow_low(hand, opponent, led, trump) if led >= 0 else lead_low(hand, opponent)
    return follow(hand, opponent, led, trump) if led >= 0 else lead(hand, opponent, trump)


@kernel
def rollout_margin(hand, opponent, led, trump, low):
    """Play out the endgame with the rule policy on both sides.

    Args:
        hand: mask of the cards of the side to act.
        opponent: mask of the other side's cards, one fewer when it has led.
        led: the card that the other side has led; −1 when the side to act leads.
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
                continue  # the follower won, so the same side acts again
            margin -= sign
            led = -1
        own, other = other, own
        sign = -sign
    return margin


@kernel
def endgame_card(view):
    """Return the bot's card in the endgame.

    Each candidate is followed by a rollout in which the rule policy plays both sides. Where the opponent's hand is not
    fully known, there is one rollout per sample of it. Ties go to the rule policy's card, then to the cheapest.
    """
    trump = np.int64(view.trump)
    led = np.int64(view.led)
    low = view.low != 0
    hand = view.hand
    samples = count_samples(view)
    opponent = hand_sample(view, 0, samples)
    best = rule_of_thumb = rule_card(hand, opponent, led, trump, low)
    best_cost = 0  # not compared while the rule policy's card is the best
    best_value = sampled_margin(best, view, samples)
    mask = view.legal & ~(_ONE << np.uint64(best))
    while mask:
        card = lowest(mask)
        mask &= mask - _ONE
        value = sampled_margin(card, view, samples)
        cost = -danger(card, opponent) if low else discard_cost(card, opponent, trump)
        if value > best_value or (value == best_value and best != rule_of_thumb and cost < best_cost):
            best, best_value, best_cost = card, value, cost
    return best


@kernel
def held_unseen(view):
    """Return how many unseen cards the opponent holds."""
    # An opponent that has led holds one card fewer than the follower.
    held = popcount(view.hand) - (1 if view.led >= 0 else 0)
    return held - popcount(view.opponent_known)


@kernel
def possible_cards(view):
    """Return the unseen cards that the opponent may hold: none of a suit that it was void in without drawing since."""
    cards = view.unseen
    if popcount(cards) > held_unseen(view):
        for suit in range(4):
            if view.void_opponent[suit] > 0 and view.drawn_opponent[suit] == 0:
                cards &= ~suit_mask(suit)
    return cards


@kernel
def count_samples(view):
    """Return how many disjoint samples of the opponent's hand can be made of the cards that it may hold."""
    hidden = held_unseen(view)
    return max(1, popcount(possible_cards(view)) // hidden) if hidden > 0 else 1


@kernel
def hand_sample(view, number, samples):
    """Return sample ``number`` of the opponent's hand: its known cards, and every ``samples``-th card it may hold."""
    hand = view.opponent_known
    left = held_unseen(view)
    cards = possible_cards(view)
    index = 0
    while cards and left > 0:
        if index % samples == number:
            hand |= cards & ~(cards - _ONE)  # the lowest card
            left -= 1
        cards &= cards - _ONE
        index += 1
    return hand


@kernel
def sampled_margin(card, view, samples):
    """Return a card's rollout margin, summed over all samples of the opponent's hand."""
    total = 0
    for number in range(samples):
        opponent = hand_sample(view, number, samples)
        total += card_rollout_margin(card, view.hand, opponent, np.int64(view.led), np.int64(view.trump), view.low != 0)
    return total


@kernel
def card_rollout_margin(card, hand, opponent, led, trump, low):
    """Return the margin of playing a card and then a rollout: tricks won minus lost, in a low game lost minus won."""
    rest = hand & ~(_ONE << np.uint64(card))
    if led < 0:
        margin = -rollout_margin(opponent, rest, card, trump, low)
    elif beats(card, led, trump):
        margin = 1 + rollout_margin(rest, opponent, -1, trump, low)
    else:
        margin = -1 - rollout_margin(opponent, rest, -1, trump, low)
    return -margin if low else margin
