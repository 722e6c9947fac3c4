"""Positions described in words are the views of the deals that they describe."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.endgame.open_hands import exact_margins
from german_whist.agents.inference.sampling import check_consistent
from german_whist.game.cards import cards_of, parse_card, parse_hand
from german_whist.game.rules import rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.position import endgame_view, foreplay_view
from tests.players import play_randomly


def described(view: Any, game: str) -> np.ndarray[Any, Any]:
    """What a player who sees this would say of it."""
    led = int(view["led"])
    tricks = int(view["tricks_self"].sum()), int(view["tricks_opponent"].sum())
    if not view["stock"]:
        hidden = int(view["unseen"] | view["opponent_known"])
        counted = tricks if view["all_count"] else (int(view["tricks_self"][1]), int(view["tricks_opponent"][1]))
        return endgame_view(rules(game), int(view["hand"]), hidden, trump=int(view["trump"]), led=led, tricks=counted)
    return foreplay_view(
        rules(game),
        int(view["hand"]),
        next(cards_of(int(view["face_up"]))),
        trump=int(view["trump"]),
        led=led,
        mine=int(view["played_self"]),
        theirs=int(view["played_opponent"]) & ~(0 if led < 0 else 1 << led),
        taken=int(view["opponent_known"]),
        shown=int(view["own_known"]),
        tricks=tricks,
        dealer=bool(view["dealer"]),
        voids=voids(view, "opponent"),
        own_voids=voids(view, "self"),
    )


def voids(view: Any, whose: str) -> dict[int, tuple[int, int]]:
    tricks, drawn = view[f"void_{whose}"].tolist(), view[f"drawn_{whose}"].tolist()
    return {suit: (tricks[suit], drawn[suit]) for suit in range(4) if tricks[suit]}


@pytest.mark.parametrize("game", ["classic", "small", "high_low", "all", "short", "draft"])
def test_described_position_is_the_view(game: str, rng: np.random.Generator) -> None:
    batch = DealBatch(game, 20)
    seen = 0
    while not batch.done.all():
        for view in batch.views(np.flatnonzero(~batch.done)):
            if view["choice"]:
                continue  # hint describes positions in which a card is played
            found = described(view, game)
            seen += 1
            if view["stock"]:
                assert [name for name in view.dtype.names if not np.array_equal(view[name], found[name][0])] == []
                check_consistent(found, batch.rules)
            else:
                np.testing.assert_array_equal(exact_margins(found), exact_margins(np.atleast_1d(view)))
        play_randomly(batch, rng, 1)
    assert seen > 300


HAND = parse_hand("AQ2.K84.T953.J76")
UP = parse_card("H5")
PLAYED: dict[str, Any] = {"mine": parse_hand("3..."), "theirs": parse_hand("4..."), "tricks": (0, 1)}
LATER = {**PLAYED, "trump": 2, "dealer": True}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hand": parse_hand("AQ2.K84.T953.J7")}, "13 cards, got 12"),
        ({"up": parse_card("SA")}, "SA"),
        ({"led": parse_card("H5")}, "H5"),
        ({"trump": 3}, "trump S"),  # the first card turned up is a heart
        ({**LATER, "tricks": (1, 1)}, "1-1"),
        ({**LATER, "trump": None}, "trump"),
        ({**LATER, "dealer": None}, "dealer"),
        ({**LATER, "taken": parse_hand(".A.."), "tricks": (1, 0)}, "taken .*, got 1"),
        ({**LATER, "shown": parse_hand("K..."), "tricks": (1, 0)}, "SK"),
        ({**LATER, "voids": {0: (2, 0)}}, r"C@2\+0"),
        ({"game": "no_trump"}, "one card of the stock turned up"),
        ({"game": "high_low:trump=none"}, "low"),
        ({**LATER, "game": "all:race=1"}, "race to 1"),
    ],
)
def test_impossible_position_is_refused(changes: dict[str, Any], message: str) -> None:
    described = {"game": "classic", "hand": HAND, "up": UP, **changes}
    with pytest.raises(ValueError, match=message):
        foreplay_view(rules(described.pop("game")), **described)


@pytest.mark.parametrize(
    ("game", "tricks", "message"),
    [
        ("classic", (12, 0), "12-0"),
        ("classic", (-1, 0), "-1-0"),
        ("classic", (200, 0), "200-0"),
        ("race", (7, 0), "race to 7"),
        ("humbug", (0, 0), "humbug"),
    ],
)
def test_impossible_endgame_is_refused(game: str, tricks: tuple[int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        endgame_view(rules(game), parse_hand("AK..."), parse_hand(".AK.."), trump=0, tricks=tricks)
