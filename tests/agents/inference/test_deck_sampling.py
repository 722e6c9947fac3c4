"""Sampled decks are those that agree with a history, all of them, each as likely as any other."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.agents.inference.deck_sampling import DeckSampler, sample_decks
from german_whist.envs.engine.rules import Rules, rule_names
from german_whist.envs.observation.history import EVENTS
from german_whist.envs.simulator.batch import DealBatch

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
    rng = np.random.default_rng(seed)
    batch = DealBatch(rules, 1, seed=seed, first=seed % 2, history=True)
    actions: list[int] = []
    while len(actions) < steps and not batch.done[0]:
        actions.append(int(rng.choice(np.flatnonzero(batch.action_mask()[0]))))
        batch.step(actions[-1:])
    return batch, actions


def history_of(batch: DealBatch, seat: int) -> npt.NDArray[np.int8]:
    return batch.history(seats=[seat] * batch.size)[0]


class Deals:
    """Deals of many decks in which the same actions are played, as long as they are legal."""

    def __init__(self, batch: DealBatch, decks: Any) -> None:
        self.batch = DealBatch(batch.rules, len(decks), history=True)
        self.batch.deal_decks(decks, np.full(len(decks), batch.states["dealer"][0]))
        self.rows = np.arange(len(decks))  # of the deals that are still played

    def play(self, actions: list[int]) -> None:
        for action in actions:
            self.rows = self.rows[(self.batch.legal()[self.rows] >> np.uint64(action) & np.uint64(1)).astype(np.bool_)]
            self.batch.step(np.full(len(self.rows), action), self.rows)

    def agreeing(self, batch: DealBatch, seat: int) -> npt.NDArray[np.int64]:
        """Return the rows of the deals that leave the seat the history of a deal."""
        histories = self.batch.history(seats=np.full(len(self.rows), seat), rows=self.rows)[0]
        return self.rows[(histories == history_of(batch, seat)).all(axis=(1, 2))]


def chi_square_limit(cells: int) -> float:
    """Return what uniform draws exceed once in 3 million times: five standard deviations (Wilson and Hilferty)."""
    freedom = cells - 1
    if freedom == 0:
        return 0.0
    deviation: float = (2 / (9 * freedom)) ** 0.5
    return freedom * (1 - deviation**2 + 5 * deviation) ** 3


@pytest.mark.parametrize("name", SMALL)
def test_the_decks_are_counted_and_each_is_as_likely_as_any_other(name: str) -> None:
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
                assert DeckSampler(history, rules).count() == len(found)
                if len(found) > 200:
                    continue
                decks, times = np.unique(
                    sample_decks(history, rules, 30 * len(found), seed), axis=0, return_counts=True
                )
                assert {tuple(deck) for deck in decks.tolist()} == found
                assert ((times - 30) ** 2 / 30).sum() <= chi_square_limit(len(found))
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
def test_the_same_course_can_be_played_with_every_deck(name: str, seed: int, steps: int, seat: int) -> None:
    batch, actions = random_course(name, seed, steps)
    decks = sample_decks(history_of(batch, seat)[0], name, 8, seed)
    deals = Deals(batch, decks.tolist())
    deals.play(actions)
    assert len(deals.agreeing(batch, seat)) == len(decks)


def test_a_card_of_a_void_suit_came_with_the_draws_since() -> None:
    """After a void the opponent's hands differ in the number of decks that lead to them, and so in their frequency."""

    def is_uneven(seed: int) -> bool:
        batch, actions = random_course(SMALL["two suits"], seed, 2)
        [view] = batch.views(seats=[0])
        if not (view["void_opponent"].any() and view["drawn_opponent"].any()):
            return False
        decks = sample_decks(history_of(batch, 0)[0], batch.rules, 2000, seed)
        others = DealBatch(batch.rules, len(decks))
        others.deal_decks(decks.tolist(), np.full(len(decks), batch.states["dealer"][0]))
        for action in actions:
            others.step(np.full(len(decks), action))
        _, times = np.unique(others.states["hands"][:, 1], return_counts=True)
        return bool(times.max() > 1.5 * times.min())

    assert any(map(is_uneven, range(60)))


def test_a_history_that_no_deck_agrees_with_is_refused() -> None:
    """The opponent discards, and then plays a card of the suit in which it was void, without a draw between."""
    rules = SMALL["two suits"]
    batch, _ = random_course(rules, 0, 0)
    history = history_of(batch, 0)[0]
    dealt = history[history[:, 0] > 0].tolist()
    played = next(number for number, event in enumerate(EVENTS) if event.name == "played")
    first, second = (card - 1 for _, who, card, _ in dealt if who == 1 and card)
    hidden = [card for card in rules.cards if card + 1 not in {token for _, _, token, _ in dealt}]
    discard = next(card for card in hidden if card // 13 != first // 13)
    follows = next(card for card in hidden if card // 13 == first // 13)
    tricks = [[played, 1, first, 1], [played, 2, discard, 1], [played, 1, second, 2], [played, 2, follows, 2]]
    events = [*dealt, *([event, who, card + 1, trick] for event, who, card, trick in tricks)]
    with pytest.raises(ValueError, match="no deck agrees"):
        sample_decks(np.array(events, np.int8), rules)


def test_decks_are_those_of_the_generator_or_seed() -> None:
    batch, _ = random_course("classic", 1, 20)
    history, length = batch.history(seats=[0])
    first = sample_decks(history[0], "classic", 5, 7)
    np.testing.assert_array_equal(sample_decks(history[0, : length[0]], "classic", 5, np.random.default_rng(7)), first)
    assert (sample_decks(history[0], "classic", 5, 8) != first).any()
    assert first.dtype == np.int8
    assert len(np.unique(first, axis=0)) == 5


@pytest.mark.parametrize(
    ("history", "rules", "word"),
    [
        (np.zeros(4, np.int8), "classic", "shape"),
        (np.zeros((3, 4)), "classic", "dtype float64"),
        (np.zeros((3, 4), np.int8), "classic", "not complete"),
        (np.array([[99, 0, 0, 0]]), "classic", "not one of these rules"),
        ("classic", "tiny", "is not in the deck"),
        ("tiny", "classic", "not one of these rules"),
    ],
)
def test_what_is_no_history_of_these_rules_is_refused(history: Any, rules: str, word: str) -> None:
    if isinstance(history, str):
        history = history_of(random_course(history, 1, 3)[0], 0)[0]
    with pytest.raises(ValueError, match=word):
        sample_decks(history, rules)
