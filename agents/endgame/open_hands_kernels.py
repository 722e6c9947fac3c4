"""Kernels for endgames with open hands; ``open_hands`` defines margins and which perfect card is played."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from german_whist.agents.bots.heuristic.endgame_kernels import card_rollout_margin
from german_whist.game.state import ENDGAME, FOREPLAY
from german_whist.game.state_kernels import beats
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.solver.races import NOT_LEGAL_MARGIN
from german_whist.solver.search.race_kernels import write_race_margins_of
from german_whist.solver.search.value_kernels import write_move_tricks_of
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

MARGIN_ROWS = 3  # rows of scratch margins: those of the endgame, after its card, and after that card's reply

_ONE = np.uint64(1)
_NO_CARD = np.int64(-1)
_ANY = NOT_LEGAL_MARGIN + 1  # a margin that all legal cards reach


class Endgame(NamedTuple):
    """An endgame from the view of the seat to act.

    Attributes:
        own: its hand, uint64.
        other: hand of the other seat without the card it has led, uint64.
        led: card led by the other seat; −1 when the seat to act leads.
        trump: trump suit; −1 for none.
        low: whether the fewest tricks win.
        mine: tricks that this seat still needs to end a race; 0 where there is no race.
        theirs: tricks that the other seat still needs.
    """

    own: np.uint64
    other: np.uint64
    led: np.int64
    trump: np.int64
    low: bool
    mine: np.int64
    theirs: np.int64


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
def endgame_of(view):
    """Return the endgame of a view in which the opponent's hand is known."""
    foreplay = np.int64(view.all_count)
    mine = theirs = np.int64(0)
    if view.race > 0:
        mine = view.race - (view.tricks_self[FOREPLAY] * foreplay + view.tricks_self[ENDGAME])
        theirs = view.race - (view.tricks_opponent[FOREPLAY] * foreplay + view.tricks_opponent[ENDGAME])
    hidden = view.unseen | view.opponent_known
    return Endgame(view.hand, hidden, np.int64(view.led), np.int64(view.trump), view.low != 0, mine, theirs)


@kernel
def write_margins(tablebase, transpositions, endgame, margins):
    """Write the margin of each legal card with perfect play afterwards, and return the highest.

    Args:
        tablebase: ``Tablebase`` of this kind of game.
        transpositions: ``RaceTranspositionTable`` of the same kind.
        endgame: an ``Endgame``.
        margins: int8[52], written; ``NOT_LEGAL_MARGIN`` for cards that are not legal.
    """
    follows = endgame.led >= 0
    leader = endgame.other if follows else endgame.own
    follower = endgame.own if follows else endgame.other
    cards = popcount(endgame.own)
    margins[:] = NOT_LEGAL_MARGIN
    if endgame.mine > 0:
        own = endgame.theirs if follows else endgame.mine
        other = endgame.mine if follows else endgame.theirs
        write_race_margins_of(
            tablebase, transpositions, leader, follower, endgame.trump, endgame.led, own, other, margins
        )
    else:
        write_move_tricks_of(tablebase, transpositions.plain, leader, follower, endgame.trump, endgame.led, margins)
    best = NOT_LEGAL_MARGIN
    for card in range(52):
        margin = np.int64(margins[card])
        if margin == NOT_LEGAL_MARGIN:
            continue
        if endgame.mine == 0:  # they are tricks
            margin = cards - 2 * margin if endgame.low else 2 * margin - cards
            margins[card] = margin
        best = max(best, margin)
    return best


@kernel
def write_exact_margins(tablebase, transpositions, view, margins):
    """Write the margin of the whole deal for each legal card of a view, as :func:`write_margins` does."""
    write_margins(tablebase, transpositions, endgame_of(view), margins)
    taken = np.int64(view.tricks_self[ENDGAME]) - view.tricks_opponent[ENDGAME]
    if view.all_count:
        taken += np.int64(view.tricks_self[FOREPLAY]) - view.tricks_opponent[FOREPLAY]
    for card in range(52):
        if margins[card] != NOT_LEGAL_MARGIN:
            margins[card] += -taken if view.low else taken


@kernel
def _distinct_cards(endgame, margins, least):
    """Return the cards whose margin is at least so high, one of each run of equivalent ones."""
    led = _ONE << np.uint64(endgame.led) if endgame.led >= 0 else np.uint64(0)
    cards = np.uint64(0)
    rest = without_equivalents(endgame.own, endgame.other | led)
    while rest:
        card = lowest(rest)
        rest &= rest - _ONE
        if margins[card] >= least:
            cards |= _ONE << np.uint64(card)
    return cards


@kernel
def _rounded(margin):
    """Return an expected margin such that equal fractions compare equal, however they were summed."""
    return np.rint(margin * 1e9) / 1e9


@kernel
def _mean_margin(tablebase, transpositions, endgame, margins):
    """Return the mean margin of the seat to act over its distinct cards; ``margins`` is scratch."""
    write_margins(tablebase, transpositions, endgame, margins[2])
    cards = _distinct_cards(endgame, margins[2], _ANY)
    total, count = 0, popcount(cards)
    while cards:
        total += margins[2, lowest(cards)]
        cards &= cards - _ONE
    return total / count


@kernel
def _lead_margin(tablebase, transpositions, endgame, card, margins):
    """Return the random-reply margin of a card led."""
    left = endgame.own & ~(_ONE << np.uint64(card))
    after = Endgame(endgame.other, left, np.int64(card), endgame.trump, endgame.low, endgame.theirs, endgame.mine)
    return _rounded(-_mean_margin(tablebase, transpositions, after, margins))


@kernel
def _best_lead_margin(tablebase, transpositions, endgame, margins):
    """Return the highest random-reply margin among the best cards of a seat that leads."""
    best = write_margins(tablebase, transpositions, endgame, margins[1])
    if best == popcount(endgame.own):
        return np.float64(best)
    cards = _distinct_cards(endgame, margins[1], best)
    highest = -np.inf
    while cards:
        highest = max(highest, _lead_margin(tablebase, transpositions, endgame, lowest(cards), margins))
        cards &= cards - _ONE
    return highest


@kernel
def _random_reply_margin(tablebase, transpositions, endgame, card, margins):
    """Return the random-reply margin of a legal card."""
    if endgame.led < 0:
        return _lead_margin(tablebase, transpositions, endgame, card, margins)
    won = beats(card, endgame.led, endgame.trump)
    reward = 1.0 if won != endgame.low else -1.0
    mine, theirs = endgame.mine, endgame.theirs
    if mine > 0:
        mine, theirs = (mine - 1, theirs) if won else (mine, theirs - 1)
    left = endgame.own & ~(_ONE << np.uint64(card))
    if not left or (endgame.mine > 0 and min(mine, theirs) == 0):
        return reward
    if won:
        after = Endgame(left, endgame.other, _NO_CARD, endgame.trump, endgame.low, mine, theirs)
        return _rounded(reward + _best_lead_margin(tablebase, transpositions, after, margins))
    after = Endgame(endgame.other, left, _NO_CARD, endgame.trump, endgame.low, theirs, mine)
    return _rounded(reward - _mean_margin(tablebase, transpositions, after, margins))


@kernel
def perfect_card(tablebase, transpositions, view, margins):
    """Return a perfect card of the seat to act.

    Args:
        tablebase: ``Tablebase`` of this kind of game.
        transpositions: ``RaceTranspositionTable`` of the same kind.
        view: a ``VIEW`` record in which the opponent's hand is known.
        margins: scratch, int8[MARGIN_ROWS, 52].
    """
    endgame = endgame_of(view)
    best = write_margins(tablebase, transpositions, endgame, margins[0])
    cards = _distinct_cards(endgame, margins[0], best)
    # No error of the opponent can add to the largest possible margin, so that any candidate will do.
    if best == popcount(endgame.own) or not cards & (cards - _ONE):
        return lowest(cards)
    kept, most = np.uint64(0), np.int64(-99)
    while cards:
        card = lowest(cards)
        cards &= cards - _ONE
        margin = np.int64(
            card_rollout_margin(card, endgame.own, endgame.other, endgame.led, endgame.trump, endgame.low)
        )
        if margin > most:
            kept, most = np.uint64(0), margin
        if margin == most:
            kept |= _ONE << np.uint64(card)
    chosen = lowest(kept)
    if not kept & (kept - _ONE):
        return chosen
    highest = -np.inf
    while kept:
        card = lowest(kept)
        kept &= kept - _ONE
        expected = _random_reply_margin(tablebase, transpositions, endgame, card, margins)
        if expected > highest:
            chosen, highest = card, expected
    return chosen


@kernel
def write_perfect_cards(tablebase, transpositions, views, rows, margins, cards):
    """Write the perfect card of some views; ``margins`` is scratch, as of :func:`perfect_card`."""
    for row in rows:
        cards[row] = perfect_card(tablebase, transpositions, views[row], margins)


@kernel
def write_all_exact_margins(tablebase, transpositions, views, rows, margins):
    """Write the margins of some views, int8[:, 52], as :func:`write_exact_margins` does."""
    for row in rows:
        write_exact_margins(tablebase, transpositions, views[row], margins[row])
