"""Every position that some deal of a tiny deck can come to, by playing all deals in all ways."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import STATE
from german_whist.envs.simulator.batch import DealBatch


def every_deal(rules: Rules) -> Iterator[list[int]]:
    """Every deck, but for the order in which a hand's or a blind's own cards are dealt."""
    hands = 4 if rules.humbug else 2
    cards = list(rules.cards)
    for hand in _hands(cards, rules.hand, hands):
        dealt = [card for turn in zip(*hand, strict=True) for card in turn]
        rest = [card for card in cards if card not in dealt]
        if rules.humbug:  # its turned card is one of the last hand's, any of them
            for turned in hand[3]:
                last = [card for card in hand[3] if card != turned] + [turned]
                yield [card for turn in zip(*hand[:3], last, strict=True) for card in turn]
        else:
            for stock in itertools.permutations(rest):
                yield [*dealt, *stock]


def _hands(cards: list[int], size: int, count: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    if not count:
        yield ()
        return
    for hand in itertools.combinations(cards, size):
        rest = [card for card in cards if card not in hand]
        for others in _hands(rest, size, count - 1):
            yield (hand, *others)


def every_position(rules: Rules) -> Iterator[DealBatch]:
    """Batches of all positions after 0, 1, 2, … actions in which somebody is to act."""
    decks = list(every_deal(rules))
    batch = DealBatch(rules, len(decks))
    batch.deal_decks(decks, np.zeros(len(decks), np.int64))
    while True:
        yield batch
        states = np.concatenate(list(_after_each_action(batch)))
        for place in range(len(rules.cards)):  # cards that are dealt make no difference any more
            if not rules.humbug:
                states["deck"][states["top"] > place, place] = 0
        states = _distinct(states[~states["done"]])
        if not len(states):
            return
        batch = DealBatch(rules, len(states))
        batch.states[:] = states


def _after_each_action(batch: DealBatch) -> Iterator[np.ndarray[Any, Any]]:
    legal = batch.action_mask()
    for action in range(batch.num_actions):
        rows = np.flatnonzero(legal[:, action])
        if len(rows):
            following = DealBatch(batch.rules, len(rows))
            following.states[:] = batch.states[rows]
            following.step(np.full(len(rows), action))
            yield following.states


def _distinct(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.unique(rows.view(np.dtype((np.void, rows.dtype.itemsize)))).view(STATE)


def hidden_hands(batch: DealBatch) -> np.ndarray[Any, Any]:
    """The cards that the opponents of the seats to act hold unseen, uint64[size]."""
    rows, other = np.arange(batch.size), 1 - batch.turn.astype(np.int64)
    states = batch.states
    hands: np.ndarray[Any, Any] = states["hands"][rows, other] & ~states["known"][rows, other]
    return hands
