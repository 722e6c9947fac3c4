"""Sampled decks are those that agree with a history, all of them, each as likely as any other."""

from __future__ import annotations

import itertools
from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from german_whist.agents.inference.deck_sampling_kernels import sample_deal
from german_whist.agents.inference.sampling import DealSampler
from german_whist.game.rules import Rules, rule_names
from german_whist.simulator.batch import DealBatch
from tests.players import play_randomly
from tests.presets import PRESETS
from tests.strategies import seeds

SMALL = {
    "two suits": Rules(suits=2, ranks=4, hand=2, stock=4),
    "six cards": Rules(suits=2, ranks=3, hand=2, stock=2),
    "three suits": Rules(suits=3, ranks=2, hand=1, stock=4),
    "seven tricks": Rules(suits=2, ranks=4, hand=1, stock=6),
    "face down": Rules(suits=2, ranks=4, hand=2, stock=4, open_stock=0, trump="none"),
    "draft": Rules(suits=2, ranks=4, hand=2, stock=4, draft=True),
    "long draft": Rules(suits=2, ranks=4, hand=1, stock=6, draft=True),
    "open stock": Rules(suits=2, ranks=4, hand=1, stock=6, open_stock=2),
    "wide open": Rules(suits=2, ranks=3, hand=1, stock=4, open_stock=3),
    "humbug": Rules(suits=2, ranks=4, hand=2, stock=0, humbug=True),
}


def random_course(rules: Rules | str, seed: int, steps: int) -> tuple[DealBatch, list[int]]:
    """Play random actions and return the deal and the actions."""
    batch = DealBatch(rules, 1, seed=seed, first=seed % 2, history=True)
    play_randomly(batch, np.random.default_rng(seed), steps)
    assert batch.log is not None
    return batch, batch.log.actions[0, : batch.log.counts[0]].tolist()


def history_of(batch: DealBatch, seat: int) -> npt.NDArray[np.int8]:
    return batch.history(seats=[seat] * batch.size)[0]


def count_of(sampler: DealSampler) -> float:
    """The number of decks that agree with a history: any order within a hand as dealt, and of the cards in no hand."""
    number: float = sampler.deals[2][-1]
    for name in ("own_positions", "hand_positions", "free_positions"):
        for positions in sampler.hidden[name].ravel().tolist():
            number *= factorial(positions.bit_count())
    return number


class Deals:
    """Deals of many decks in which the same actions are played, as long as they are legal."""

    def __init__(self, batch: DealBatch, decks: Any) -> None:
        self.batch = DealBatch(batch.rules, len(decks), history=True)
        self.batch.deal_decks(decks, np.full(len(decks), batch.states["dealer"][0]))
        self.rows = np.arange(len(decks))  # rows of the deals that are still played

    def play(self, actions: list[int]) -> None:
        for action in actions:
            self.rows = self.rows[(self.batch.legal()[self.rows] >> np.uint64(action) & np.uint64(1)).astype(np.bool_)]
            self.batch.step(np.full(len(self.rows), action), self.rows)

    def agreeing(self, batch: DealBatch, seat: int) -> npt.NDArray[np.int64]:
        """Return the rows of the deals that leave the seat the history of a deal."""
        histories = self.batch.history(seats=np.full(len(self.rows), seat), rows=self.rows)[0]
        return self.rows[(histories == history_of(batch, seat)).all(axis=(1, 2))]


@pytest.mark.parametrize("name", SMALL)
def test_decks_are_counted_and_uniform(name: str) -> None:
    rules = SMALL[name]
    every = [list(deck) for deck in itertools.permutations(rules.cards)]
    tested = 0
    for seed in range(6 if len(rules.cards) == 6 else 2):
        deals, played = Deals(random_course(rules, seed, 0)[0], every), 0
        for steps in sorted((2, 3, 5, 2 * rules.tricks - 2, 99)):
            batch, actions = random_course(rules, seed, steps)
            deals.play(actions[played:])
            played = len(actions)
            for seat in range(2):
                history = history_of(batch, seat)[0]
                found = {tuple(every[row]) for row in deals.agreeing(batch, seat)}
                assert count_of(DealSampler(history, rules)) == pytest.approx(len(found), rel=1e-12)
                if len(found) > 200:
                    continue
                decks = DealSampler(history, rules).decks(30 * len(found), seed)
                decks, times = np.unique(decks, axis=0, return_counts=True)
                assert {tuple(deck) for deck in decks.tolist()} == found
                if len(found) > 1:  # what uniform draws exceed once in 3 million times
                    assert ((times - 30) ** 2 / 30).sum() <= chi2.isf(3e-7, len(found) - 1)
                tested += 1
    assert tested > 1


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(
        [*rule_names(), "classic:open_stock=0,trump=none", "classic:draft=true", "small:open_stock=4"]
    ),
    seed=st.integers(0, 10_000),
    steps=st.integers(0, 60),
    seat=st.integers(0, 1),
)
def test_decks_agree_with_history(name: str, seed: int, steps: int, seat: int) -> None:
    batch, actions = random_course(name, seed, steps)
    decks = DealSampler(history_of(batch, seat)[0], batch.rules).decks(8, seed)
    deals = Deals(batch, decks.tolist())
    deals.play(actions)
    assert len(deals.agreeing(batch, seat)) == len(decks)


OPEN = [preset for preset in PRESETS if preset != "humbug"]


def stratified(sampler: DealSampler, count: int) -> list[tuple[int, list[int]]]:
    """Hidden hands of the opponent and decks, of stratified deals."""
    decks = np.zeros((count, 52), np.int8)
    hands = [sample_deal(sampler.hidden[0], sampler.deals, np.uint64(5), n, count, decks[n]) for n in range(count)]
    return [(int(hand), deck[deck >= 0].tolist()) for hand, deck in zip(hands, decks, strict=True)]


def check_hands(batch: DealBatch, decks: Any, hidden_hands: list[int]) -> None:
    """The course of a deal can be played with these decks, leaves the same history, and leads to these hidden hands."""
    assert batch.log is not None
    seat, deals = int(batch.turn[0]), Deals(batch, decks)
    deals.play(batch.log.actions[0, : batch.log.counts[0]].tolist())
    assert len(deals.agreeing(batch, seat)) == len(decks)
    states = deals.batch.states
    assert (states["hands"][:, 1 - seat] & ~states["known"][:, 1 - seat]).tolist() == hidden_hands


@pytest.mark.parametrize("preset", OPEN)
@settings(max_examples=8)
@given(seed=seeds, steps=st.integers(0, 40))
def test_stratified_deals_agree_with_history(preset: str, seed: int, steps: int) -> None:
    batch = DealBatch(preset, 1, seed, history=True)
    play_randomly(batch, np.random.default_rng(seed), steps)
    if not batch.done[0]:
        samples = stratified(DealSampler(batch.history()[0][0], batch.rules), 8)
        check_hands(batch, [deck for _, deck in samples], [hand for hand, _ in samples])
