"""Deals have addresses: the same numbers give the same cards everywhere, and every order is equally likely."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.game.cards import deck_text
from german_whist.game.dealing_kernels import philox
from german_whist.game.rules import Rules, rules
from german_whist.simulator.batch import DealBatch
from tests.dealing import deal_deck
from tests.reference import shuffle as reference_shuffle
from tests.reference.game import full_deck
from tests.reference.shuffle import shuffled
from tests.strategies import games, seeds

GOLDEN = Path(__file__).with_name("decks.txt")
TOP = 2**32 - 1

words = st.integers(0, TOP)


def block(counter: list[int], key: list[int]) -> list[int]:
    index, seed = counter[0] + (counter[1] << 32), key[0] + (key[1] << 32)
    return [int(word) for word in philox(*(np.uint64(number) for number in (seed, index, counter[2], counter[3])))]


# Philox4x32-10's known answers, from the kat_vectors of Random123 (Salmon et al., SC 2011).
KNOWN_ANSWERS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_philox_known_answers(counter: str, key: str, answer: str) -> None:
    counter_words, key_words = ([int(word, 16) for word in text.split()] for text in (counter, key))
    assert " ".join(f"{word:08x}" for word in block(counter_words, key_words)) == answer
    assert " ".join(f"{word:08x}" for word in reference_shuffle.philox(counter_words, key_words)) == answer


@given(st.tuples(words, words, words, words), st.tuples(words, words))
def test_philox_matches_reference(counter: tuple[int, ...], key: tuple[int, ...]) -> None:
    assert block([*counter], [*key]) == reference_shuffle.philox([*counter], [*key])


# Addresses.


@given(games(), seeds, seeds)
def test_shuffle_matches_reference(rules: Rules, seed: int, index: int) -> None:
    deck = deal_deck(rules.cards, seed, index)
    assert deck.dtype == np.int8
    assert deck_text(deck).split() == shuffled(full_deck(rules.suits, rules.ranks), seed, index)


def test_lemire_rejection_draws_again() -> None:
    # Deal 1323441 of seed 0 draws a word that Lemire's method rejects, as about one deal in three million does.
    deck = deal_deck(rules("classic").cards, 0, 1323441)
    assert deck_text(deck).split() == shuffled(full_deck(4, 13), 0, 1323441)


def test_decks_of_addresses_are_stable() -> None:
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        address, _, expected = line.partition(": ")
        name, seed, index = address.split()
        assert deck_text(deal_deck(rules(name).cards, int(seed), int(index))) == expected


# Uniformity. The addresses are fixed, so these either always pass or always fail.

DEALS = 20_000


def deviations(statistic: float, freedom: int) -> float:
    """The distance of a chi-square statistic from its mean, in standard deviations."""
    return (statistic - freedom) / (2 * freedom) ** 0.5


def decks_of(rules: str | Rules, seed: int) -> np.ndarray:
    batch = DealBatch(rules, DEALS, seed)
    return batch.states["deck"][:, : len(batch.rules.cards)]


@pytest.mark.parametrize("seed", [0, 1, 2**63])
@pytest.mark.parametrize("game_rules", ["classic", "tiny"])
def test_positions_are_uniform(game_rules: str, seed: int) -> None:
    decks = decks_of(game_rules, seed)
    size = decks.shape[1]
    number = np.full(52, -1)
    number[list(rules(game_rules).cards)] = np.arange(size)
    counts = np.zeros((size, size))
    np.add.at(counts, (np.arange(size), number[decks]), 1)
    expected = DEALS / size
    # Rows and columns both sum to the number of deals, which leaves (size - 1) ** 2 degrees of freedom.
    statistic = ((counts - expected) ** 2 / expected).sum() * (size - 1) / size
    assert abs(deviations(statistic, (size - 1) ** 2)) < 4
