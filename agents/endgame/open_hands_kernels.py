"""Kernels for batches of endgames with open hands."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.endgame_kernels import card_rollout_margin
from german_whist.game.state_kernels import beats
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

_ONE = np.uint64(1)


@kernel
def write_opponent_hand_known(views, found):
    """Write in which views the seat to act knows the opponent's hand in an endgame that can be solved, bool[n]."""
    for i in range(views.shape[0]):
        found[i] = is_opponent_hand_known(views[i])


@kernel
def is_opponent_hand_known(view):
    """Return whether the seat to act knows the opponent's hand in an endgame that can be solved."""
    cards = popcount(view.hand)
    hidden = popcount(view.unseen | view.opponent_known)  # the cards that the opponent may hold
    return (
        view.turn != 0
        and view.stock == 0
        and view.choice == 0
        and cards <= MAX_CARDS
        and hidden == cards - (1 if view.led >= 0 else 0)
    )


@kernel
def write_card_counts(masks, counts):
    """Write the number of cards in each mask."""
    for i in range(masks.shape[0]):
        counts[i] = popcount(masks[i])


@kernel
def without_equivalents(legal, in_play):
    """Return the legal cards without those that have no card in play between them and the next lower legal card.

    All of a seat's cards of a suit are legal or none is, so a card in play between two neighbours is not its own.
    """
    distinct = np.uint64(0)
    last = np.int64(-1)
    while legal:
        card = lowest(legal)
        legal &= legal - _ONE
        if not is_neighbour(last, card, in_play):
            distinct |= _ONE << np.uint64(card)
        last = card
    return distinct


@kernel
def is_neighbour(below, card, in_play):
    """Return whether ``below``, −1 for none, is a lower card of the same suit with no card in play between the two."""
    if below < 0 or below // 13 != card // 13:
        return False
    between = ((_ONE << np.uint64(card)) - _ONE) & ~((_ONE << np.uint64(below + 1)) - _ONE)
    return not in_play & between


@kernel
def drop_equivalent_cards(own, other, led, cards):
    """Clear all but the lowest card of each run of equivalent ones: cards with none of the other side's between them.

    Args:
        own: hands of the seats to act, uint64[n].
        other: hands of the other seats, uint64[n].
        led: cards led, int8[n]; −1 for none.
        cards: legal cards to keep, bool[n, 52]; changed in place.
    """
    for i in range(cards.shape[0]):
        led_bit = _ONE << np.uint64(led[i]) if led[i] >= 0 else np.uint64(0)
        distinct = without_equivalents(own[i], other[i] | led_bit)
        for card in range(52):
            cards[i, card] &= bool(distinct >> np.uint64(card) & _ONE)


@kernel
def write_follower_wins(cards, led, trump, won):
    """Write whether each card, played by the follower, wins the trick; false where it is led."""
    for i in range(cards.shape[0]):
        won[i] = led[i] >= 0 and beats(cards[i], np.int64(led[i]), np.int64(trump[i]))


@kernel
def keep_best_by_rules(own, other, led, trump, low, is_sure, cards):
    """Keep the candidates with the highest rollout margin of the rule policy; where ``is_sure``, the lowest card.

    Args:
        own: hands of the seats to act, uint64[n].
        other: hands of the other seats, uint64[n].
        led: cards led, int8[n]; −1 for none.
        trump: trump suits, int8[n]; −1 for none.
        low: whether the fewest tricks win, bool[n].
        is_sure: where all candidates are equally good and no rollout is needed, bool[n].
        cards: candidates, bool[n, 52]; changed in place.
    """
    for i in range(cards.shape[0]):
        best = -99
        for card in range(52):
            if cards[i, card]:
                margin = 0
                if not is_sure[i]:
                    margin = card_rollout_margin(card, own[i], other[i], np.int64(led[i]), np.int64(trump[i]), low[i])
                if margin > best:
                    cards[i, :card] = False  # the candidates so far are worse
                    best = margin
                elif margin < best or is_sure[i]:
                    cards[i, card] = False
