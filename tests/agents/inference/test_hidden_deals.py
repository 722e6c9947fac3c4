"""Deals sampled in kernels: exactly those that agree with a history, each equally likely."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.agents.inference.deck_sampling import DeckSampler
from german_whist.agents.inference.hidden_deal_kernels import (
    HIDDEN_DEAL,
    count_ways,
    list_hands,
    read_history,
    sample_deal,
    sample_deal_of_hand,
    suit_limits,
)
from german_whist.envs.engine.cards import cards_of, mask_of
from german_whist.envs.engine.rules import Rules, rule_names, rules
from german_whist.envs.simulator.batch import DealBatch
from tests.conftest import play_randomly
from tests.strategies import seeds

OPEN = [name for name in rule_names() if not rules(name).humbug]


class Sampler(NamedTuple):
    """The deals that agree with the history of the seat to act in row 0 of a batch."""

    hidden: Any
    ways: Any
    hands: Any
    cumulative: Any
    combinations: int

    @classmethod
    def of(cls, batch: DealBatch, row: int = 0) -> Sampler:
        tokens, lengths = batch.history(rows=[row])
        hidden, limits = np.zeros(1, HIDDEN_DEAL), np.empty(4, np.int64)
        assert read_history(tokens[0], int(lengths[0]), np.uint64(mask_of(batch.rules.cards)), hidden[0])
        suit_limits(hidden[0], limits)
        ways = np.empty((int(hidden["items"][0]) + 1, *limits[:3].tolist()))
        hands, cumulative = np.empty((int(limits[:3].prod()), 4), np.int8), np.empty(int(limits[:3].prod()))
        return cls(hidden, ways, hands, cumulative, count_ways(hidden[0], limits, ways, hands, cumulative))

    def sample(self, number: int, numbers: int, key: int = 5) -> tuple[int, list[int]]:
        deck = np.zeros(52, np.int8)
        hand = sample_deal(self.hidden[0], *self[1:], np.uint64(key), number, numbers, deck)
        return int(hand), deck[deck >= 0].tolist()


def orders(batch: DealBatch, sampler: Sampler) -> float:
    """The number of deck orders: the ways, and the orders of both first hands and of the cards not yet dealt."""
    hand = batch.rules.hand
    taken = int(
        (sampler.hidden["deck"][0] >= 0).sum() + (sampler.hidden["kind"][0][: sampler.hidden["items"][0]] == 0).sum()
    )
    free = len(batch.rules.cards) - 2 * hand - taken
    factorial = [1.0, *itertools.accumulate(range(1, 53), lambda a, b: a * b)]
    return float(sampler.cumulative[sampler.combinations - 1] * factorial[hand] ** 2 * factorial[free])


@pytest.mark.parametrize("preset", OPEN)
@settings(max_examples=4)
@given(seed=seeds, steps=st.integers(0, 40))
def test_the_deals_are_as_many_as_the_exact_count(preset: str, seed: int, steps: int) -> None:
    batch = DealBatch(preset, 1, seed, history=True)
    play_randomly(batch, np.random.default_rng(seed), steps)
    if not batch.done[0]:
        exact = DeckSampler(batch.history()[0][0], batch.rules).count()
        assert orders(batch, Sampler.of(batch)) == pytest.approx(exact, rel=1e-12)


def late_position(seed: int, stock: int, preset: str = "classic") -> tuple[DealBatch, Sampler]:
    batch, rng = DealBatch(preset, 1, seed, history=True), np.random.default_rng(seed)
    while batch.views()["stock"][0] > stock:
        play_randomly(batch, rng, 1)
    return batch, Sampler.of(batch)


def listed(sampler: Sampler, most: int = 3000) -> tuple[Any, Any]:
    hands, weights = np.empty(most, np.uint64), np.empty(most)
    count = list_hands(sampler.hidden[0], sampler.ways, hands, weights)
    return hands[:count], weights[:count]


@settings(max_examples=20)
@given(seed=seeds, stock=st.sampled_from([2, 4]))
def test_listed_hands_are_all_hands_with_the_ways_to_each(seed: int, stock: int) -> None:
    _, sampler = late_position(seed, stock)
    hands, weights = listed(sampler)
    assert len(set(hands.tolist())) == len(hands) > 0
    assert weights.sum() == pytest.approx(sampler.cumulative[sampler.combinations - 1], rel=1e-12)
    drawn = Counter(sampler.sample(number, 4000)[0] for number in range(4000))
    assert set(drawn) <= set(hands.tolist())
    expected = 4000 * weights / weights.sum()
    found = np.array([drawn[hand] for hand in hands.tolist()])
    assert (np.abs(found - expected) < 6 * np.sqrt(expected) + 6).all()
    if len(hands) > 1:
        assert not len(listed(sampler, len(hands) - 1)[0])


def test_too_many_hands_are_not_looked_through() -> None:
    _, sampler = late_position(3, 26)
    assert not len(listed(sampler, 10**6)[0])


@settings(max_examples=5)
@given(seed=seeds, stock=st.sampled_from([2, 4]))
def test_deals_of_a_listed_hand_agree_with_the_history(seed: int, stock: int) -> None:
    batch, sampler = late_position(seed, stock)
    hands, _ = listed(sampler)
    count = len(hands)
    seat, decks = int(batch.turn[0]), np.zeros((count, 52), np.int8)
    for number in range(count):
        sample_deal_of_hand(sampler.hidden[0], sampler.ways, hands[number], np.uint64(9), number, 1, decks[number])
    others = DealBatch("classic", count, history=True)
    others.deal_decks(decks.tolist(), np.repeat(batch.states["dealer"], count))
    assert batch.log is not None
    for action in batch.log.actions[0, : batch.log.counts[0]]:
        others.step(np.full(count, action))
    assert (others.history(seats=np.full(count, seat))[0] == batch.history()[0]).all()
    assert (others.states["hands"][:, 1 - seat] & ~others.states["known"][:, 1 - seat] == hands).all()


@pytest.mark.parametrize("preset", OPEN)
@settings(max_examples=8)
@given(seed=seeds, steps=st.integers(0, 40))
def test_every_sampled_deal_agrees_with_the_history(preset: str, seed: int, steps: int) -> None:
    batch = DealBatch(preset, 1, seed, history=True)
    play_randomly(batch, np.random.default_rng(seed), steps)
    if batch.done[0]:
        return
    assert batch.log is not None
    sampler, seat = Sampler.of(batch), int(batch.turn[0])
    samples = [sampler.sample(number, 8) for number in range(8)]
    others = DealBatch(preset, 8, history=True)
    size = len(batch.rules.cards)
    others.deal_decks([[*deck[:size]] for _, deck in samples], np.repeat(batch.states["dealer"], 8))
    for action in batch.log.actions[0, : batch.log.counts[0]]:
        others.step(np.full(8, action))
    assert (others.history(seats=np.full(8, seat))[0] == batch.history()[0]).all()
    hidden = others.states["hands"][:, 1 - seat] & ~others.states["known"][:, 1 - seat]
    assert hidden.tolist() == [hand for hand, _ in samples]


def test_every_deal_is_equally_likely() -> None:
    """All decks of a small game that agree with a history are found by trying every order of the cards not located."""
    small = Rules(suits=2, ranks=5, hand=2, stock=6)
    rng = np.random.default_rng(3)
    checked = 0
    while checked < 3:
        batch = DealBatch(small, 1, int(rng.integers(2**32)), history=True)
        play_randomly(batch, rng, 4)
        view = batch.views()[0]
        if not (view["void_opponent"].any() and view["drawn_opponent"].any()):
            continue
        sampler, numbers = Sampler.of(batch), 3000
        expected = consistent_deals(batch, sampler)
        found = Counter(places(batch, sampler.sample(number, numbers)[1]) for number in range(numbers))
        assert set(found) == set(expected)
        total = sum(expected.values())
        for place, count in expected.items():
            share = count / total
            assert abs(found[place] / numbers - share) < 5 * np.sqrt(share * (1 - share) / numbers) + 1e-9
        checked += len(expected) > 2


def places(batch: DealBatch, deck: list[int]) -> tuple[Any, ...]:
    """What a seat cares about in a deck: the opponent's first hand as a set, and the cards it drew unseen."""
    hand = batch.rules.hand
    other = 1 - int(batch.turn[0])
    first = 1 if other == int(batch.states["dealer"][0]) else 0
    drawn = int(batch.states["top"][0])
    return frozenset(deck[first : 2 * hand : 2]), tuple(deck[2 * hand : drawn])


def consistent_deals(batch: DealBatch, sampler: Sampler) -> Counter[tuple[Any, ...]]:
    """All decks that leave the seat to act the same history, by :func:`places`; its own hand in one order."""
    assert batch.log is not None
    hidden = sampler.hidden[0]
    deck = hidden["deck"][: len(batch.rules.cards)].tolist()
    deck[int(hidden["is_dealer"]) : 2 * batch.rules.hand : 2] = cards_of(int(hidden["own"]))
    free = [place for place, card in enumerate(deck) if card < 0]
    orders = list(itertools.permutations(card for card in batch.rules.cards if card not in deck))
    chosen = np.tile(np.array(deck), (len(orders), 1))
    chosen[:, free] = orders
    seat = int(batch.turn[0])
    others = DealBatch(batch.rules, len(chosen), history=True)
    others.deal_decks(chosen.tolist(), np.repeat(batch.states["dealer"], len(chosen)))
    rows = np.arange(len(chosen))
    for action in batch.log.actions[0, : batch.log.counts[0]]:
        rows = rows[(others.legal()[rows] >> np.uint64(action)) & np.uint64(1) == 1]
        others.step(np.full(len(rows), action), rows)
    tokens = others.history(seats=np.full(len(rows), seat), rows=rows)[0]
    same = rows[(tokens == batch.history()[0]).all(axis=(1, 2))]
    return Counter(places(batch, chosen[row].tolist()) for row in same)


def test_a_history_of_another_deck_does_not_add_up() -> None:
    batch = DealBatch("small", history=True)
    tokens, lengths = batch.history()
    hidden = np.zeros(1, HIDDEN_DEAL)
    assert not read_history(tokens[0], int(lengths[0]) - 6, np.uint64(mask_of(batch.rules.cards)), hidden[0])
    tokens[0, 1:20, 2] = 99
    assert not read_history(tokens[0], int(lengths[0]), np.uint64(mask_of(batch.rules.cards)), hidden[0])


def test_the_shares_of_the_suits_are_stratified() -> None:
    batch = DealBatch("classic", seed=3, history=True)
    sampler = Sampler.of(batch)
    numbers = 600
    combination = Counter(
        tuple(sum(1 for card in cards_of(hand) if card // 13 == suit) for suit in range(4))
        for hand, _ in (sampler.sample(number, numbers) for number in range(numbers))
    )
    before = 0.0
    for hand, until in zip(sampler.hands[: sampler.combinations], sampler.cumulative, strict=False):
        share = (until - before) / sampler.cumulative[sampler.combinations - 1] * numbers
        assert abs(combination[tuple(hand.tolist())] - share) < 2
        before = until
