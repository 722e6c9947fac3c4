"""The heuristic bot's endgame where blind hands keep cards hidden: which hands it plays against, and what it plays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from german_whist.agents.bots.heuristic.endgame_kernels import count_samples, hand_sample, held_unseen, possible_cards
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.cards import SUIT_MASKS, SUITS, card_text, cards_of
from german_whist.envs.simulator.batch import DealBatch
from tests.agents.endgame import reference_endgame as reference
from tests.agents.positions import choice

HEURISTIC = make_agent("heuristic")
BLIND_GAMES = [
    "humbug",
    "humbug:suits=3,ranks=8,hand=6,book=3",
    "humbug:suits=2,ranks=6,hand=3,book=1,trump=none",
    "humbug:suits=4,ranks=4,hand=4,book=2,high_low=true",
]


def endgames(game: str, deals: int, seed: int = 0) -> Iterator[tuple[DealBatch, np.ndarray[Any, Any]]]:
    """Random play: each position in which the hands are played out, and the views of the seats to act."""
    batch = DealBatch(game, deals, seed=seed)
    rng = np.random.default_rng(seed)
    while not batch.done.all():
        views = batch.views()
        if views["stock"][0] == 0 and not views["choice"][0]:
            yield batch, views
        batch.step(make_agent("random").act(views, rng))


def worlds_of(row: Any) -> list[int]:
    return [int(hand_sample(row, number, count_samples(row))) for number in range(count_samples(row))]


def hand_names(mask: int) -> list[str]:
    return [card_text(card) for card in cards_of(mask)]


@pytest.mark.parametrize("game", BLIND_GAMES)
def test_each_sample_is_a_hand_that_the_opponent_may_hold_and_shares_no_guess_with_another(game: str) -> None:
    several = voids = 0
    for _, views in endgames(game, 100):
        for row in views:
            known, unseen = int(row["opponent_known"]), int(row["unseen"])
            size = int(row["hand"]).bit_count() - (row["led"] >= 0)
            shown = sum(mask for suit, mask in enumerate(SUIT_MASKS) if row["void_opponent"][suit])
            samples = worlds_of(row)
            guessed = 0
            for sample in samples:
                assert sample.bit_count() == size
                assert sample & known == known
                guess = sample & ~known
                assert not guess & ~unseen
                assert not guess & shown
                assert not guess & guessed
                guessed |= guess
            several += len(samples) > 1
            voids += bool(shown)
    assert several > 100
    assert voids > 20


@pytest.mark.parametrize("game", BLIND_GAMES)
def test_the_hand_that_the_opponent_holds_is_never_ruled_out(game: str) -> None:
    for batch, views in endgames(game, 200, seed=1):
        truth = batch.states["hands"][np.arange(batch.size), 1 - batch.turn]
        for row, hand in zip(views, truth, strict=True):
            assert not int(hand) & ~int(row["opponent_known"] | possible_cards(row))
            assert held_unseen(row) == (int(hand) & ~int(row["opponent_known"])).bit_count()


@pytest.mark.parametrize("game", ["classic", "no_trump", "open_stock:open_stock=3", "draft", "high_low", "tiny"])
def test_where_no_card_stays_hidden_the_only_sample_is_the_opponents_hand(game: str) -> None:
    for batch, views in endgames(game, 40):
        truth = batch.states["hands"][np.arange(batch.size), 1 - batch.turn]
        for row, hand in zip(views, truth, strict=True):
            if row["turn"]:
                assert worlds_of(row) == [int(hand)]


@pytest.mark.parametrize("game", BLIND_GAMES)
def test_the_bot_plays_the_card_that_brings_most_over_all_samples(game: str) -> None:
    differs = 0
    for _, views in endgames(game, 25, seed=2):
        for row in views[views["turn"] > 0]:
            known, size = int(row["opponent_known"]), int(row["hand"]).bit_count() - int(row["led"] >= 0)
            shown = [suit for suit, trick in zip(SUITS, row["void_opponent"], strict=True) if trick]
            possible = [card for card in hand_names(int(row["unseen"])) if card[0] not in shown]
            samples = reference.even_samples(hand_names(known), possible, size)
            led = None if row["led"] < 0 else card_text(row["led"])
            trump = None if row["trump"] < 0 else SUITS[row["trump"]]
            rest = led, trump, bool(row["low"])
            hand = hand_names(int(row["hand"]))
            expected = reference.look_ahead_in_all(hand, samples, *rest)
            assert choice(HEURISTIC, row[None]) == expected
            differs += expected != reference.look_ahead(hand, samples[0], *rest)
    assert differs > 0  # the further samples matter
