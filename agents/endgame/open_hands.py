"""Endgames with open hands, many at once: what each card is worth, and what follows when it is played.

Everything stands from the side of the seat to act. Worth is counted as a *margin*: this seat's tricks from here on
minus the other's, or in a low game the other's minus this seat's, so that more is always better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Views
from german_whist.envs.engine.state_kernels import beats
from german_whist.envs.utils.bit_kernels import popcount
from german_whist.envs.utils.jit import kernel
from german_whist.solver.endgames import endgame_move_values
from german_whist.solver.races import race_move_values
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

NOT_LEGAL = -128

_ONE = np.uint64(1)


class OpenHands(NamedTuple):
    """Endgames in rows.

    Attributes:
        own: cards of the seat to act, uint64[n].
        other: cards of the other seat, uint64[n], without one it has led.
        led: the card that the other seat has led, int8[n], −1 when the seat to act leads.
        trump: trump suits, int8[n], −1 for none.
        low: whether the fewest tricks win, bool[n].
        needs: tricks that both still need to end a race, own first, int8[n, 2]; zeros where there is no race.
    """

    own: npt.NDArray[np.uint64]
    other: npt.NDArray[np.uint64]
    led: npt.NDArray[np.int8]
    trump: npt.NDArray[np.int8]
    low: npt.NDArray[np.bool_]
    needs: npt.NDArray[np.int8]

    def rows(self, rows: npt.NDArray[np.integer]) -> OpenHands:
        """Return some rows, in that order."""
        return OpenHands(*(column[rows] for column in self))


@kernel
def _is_open(views, found):
    for i in range(views.shape[0]):
        view = views[i]
        cards = popcount(view.hand)
        hidden = popcount(view.unseen | view.opponent_known)
        found[i] = (
            view.turn
            and view.stock == 0
            and not view.choice
            and cards <= MAX_CARDS
            and hidden == cards - (1 if view.led >= 0 else 0)
        )


def is_open(views: Views) -> npt.NDArray[np.bool_]:
    """Return where the seat to act knows the opponent's whole hand, of at most 13 cards, in the endgame, bool[n]."""
    found = np.empty(len(views), np.bool_)
    _is_open(views, found)
    return found


def open_hands(views: Views) -> OpenHands:
    """Return the endgames of views in which :func:`is_open` is true."""
    counted = np.stack([views["all_count"], np.ones(len(views), np.int8)], axis=1)
    taken = np.stack([(views[name] * counted).sum(axis=1) for name in ("tricks_self", "tricks_opponent")], axis=1)
    race = views["race"][:, None]
    return OpenHands(
        own=views["hand"].copy(),
        other=views["unseen"] | views["opponent_known"],
        led=views["led"].copy(),
        trump=views["trump"].copy(),
        low=views["low"].astype(np.bool_),
        needs=np.where(race > 0, race - taken, 0).astype(np.int8),
    )


def card_margins(hands: OpenHands) -> npt.NDArray[np.int16]:
    """Return the margin that each card of the seat to act leads to when both play perfectly from then on.

    Returns:
        int16[n, 52]; ``NOT_LEGAL`` for cards that are not legal.
    """
    margins = np.empty((len(hands.own), 52), np.int16)
    is_race = hands.needs[:, 0] > 0
    for rows, values in ((np.flatnonzero(~is_race), _played_out), (np.flatnonzero(is_race), _raced)):
        if len(rows):
            margins[rows] = values(hands if len(rows) == len(is_race) else hands.rows(rows))
    return margins


def _seats(hands: OpenHands) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the hands of leader and follower."""
    follows = hands.led >= 0
    return np.where(follows, hands.other, hands.own), np.where(follows, hands.own, hands.other)


def _played_out(hands: OpenHands) -> npt.NDArray[np.int16]:
    leaders, followers = _seats(hands)
    tricks = endgame_move_values(leaders, followers, hands.trump, hands.low, hands.led).astype(np.int16)
    legal = tricks >= 0
    margins = 2 * tricks - count_cards(hands.own)[:, None]
    return np.where(legal, np.where(hands.low[:, None], -margins, margins), NOT_LEGAL).astype(np.int16)


def _raced(hands: OpenHands) -> npt.NDArray[np.int16]:
    leaders, followers = _seats(hands)
    needs = np.where(hands.led[:, None] >= 0, hands.needs[:, ::-1], hands.needs)
    return race_move_values(leaders, followers, hands.trump, hands.led, needs=needs).astype(np.int16)


@kernel
def _count_cards(masks, counts):
    for i in range(masks.shape[0]):
        counts[i] = popcount(masks[i])


def count_cards(masks: npt.NDArray[np.uint64]) -> npt.NDArray[np.int16]:
    """Return the number of cards in each mask, int16[n]."""
    counts = np.empty(len(masks), np.int16)
    _count_cards(masks, counts)
    return counts


@kernel
def _drop_neighbours(own, other, led, cards):
    for i in range(cards.shape[0]):
        led_bit = _ONE << np.uint64(led[i]) if led[i] >= 0 else np.uint64(0)
        between = other[i] | led_bit
        is_kept = True
        for card in range(52):
            if card % 13 == 0:
                is_kept = False  # whether a card of this hand lies below with nothing in play between
            bit = _ONE << np.uint64(card)
            if between & bit:
                is_kept = False
            elif own[i] & bit:
                if is_kept:
                    cards[i, card] = False
                is_kept = True


def one_of_each_run(hands: OpenHands, cards: npt.NDArray[np.bool_]) -> None:
    """Keep, of cards of one hand with no card of the other's between them, the lowest: they are worth the same.

    Args:
        hands: endgames.
        cards: some legal cards, bool[n, 52]; changed in place.
    """
    _drop_neighbours(hands.own, hands.other, hands.led, cards)


@kernel
def _takes(cards, led, trump, won):
    for i in range(cards.shape[0]):
        won[i] = led[i] >= 0 and beats(cards[i], np.int64(led[i]), np.int64(trump[i]))


class Following(NamedTuple):
    """What follows when the seats to act play a card each.

    Attributes:
        hands: the endgames, from the side of the seat that is to act then.
        gains: what the trick has added to the margin of the seat that played, int16[n]; 0 where it has led.
        again: whether the same seat is to act again, bool[n].
        over: whether the deal is over, bool[n].
    """

    hands: OpenHands
    gains: npt.NDArray[np.int16]
    again: npt.NDArray[np.bool_]
    over: npt.NDArray[np.bool_]


def after_card(hands: OpenHands, cards: npt.NDArray[np.integer]) -> Following:
    """Return what follows when the seats to act play a legal card each, int[n]."""
    own = hands.own & ~(_ONE << cards.astype(np.uint64))
    leads, is_race = hands.led < 0, hands.needs[:, 0] > 0
    won = np.empty(len(cards), np.bool_)
    _takes(cards, hands.led, hands.trump, won)
    needs = hands.needs.copy()
    needs[:, 0] -= is_race & won
    needs[:, 1] -= is_race & ~leads & ~won
    following = OpenHands(
        own=np.where(won, own, hands.other),
        other=np.where(won, hands.other, own),
        led=np.where(leads, cards, -1).astype(np.int8),
        trump=hands.trump,
        low=hands.low,
        needs=np.where(won[:, None], needs, needs[:, ::-1]),
    )
    return Following(
        following,
        gains=np.where(leads, 0, np.where(won != hands.low, 1, -1)).astype(np.int16),
        again=won,
        over=(following.own == 0) | (is_race & (needs.min(axis=1) == 0)),
    )
