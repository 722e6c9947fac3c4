"""Values of endgames: checked against brute force, and for the symmetries of the game."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from german_whist.game.cards import card_text, mask_of, parse_card
from german_whist.solver.endgames import solve_endgame, solve_endgames
from tests.solver.brute_force import card_values, value
from tests.solver.hands import Endgame, random_endgame, rows


def brute_force_value(endgame: Endgame) -> int:
    return value(endgame.kept, endgame.follower, endgame.trump, endgame.low, endgame.led)


def test_endgames_match_brute_force(rng):
    deck = [0, 1, 2, 3, 4, 13, 14, 15, 25, 26, 27, 28, 38, 39, 45, 51]
    dealt = [random_endgame(rng, 1 + i % 5, deck if i % 2 else None) for i in range(400)]
    assert solve_endgames(**rows(dealt)).tolist() == [brute_force_value(endgame) for endgame in dealt]


def test_all_endgames_of_tiny_deck():
    deck = ["D2", "D3", "DK", "S4", "SQ", "SA"]
    hands = [list(hand) for hand in itertools.combinations(deck, 3)]
    dealt = [
        Endgame(hand, [card for card in deck if card not in hand], trump, low, led)
        for hand, trump, low in itertools.product(hands, (None, "D", "S", "H"), (False, True))
        for led in (None, *hand)
    ]
    assert solve_endgames(**rows(dealt)).tolist() == [brute_force_value(endgame) for endgame in dealt]


def test_move_values_of_a_known_endgame(rng):
    dealt = [random_endgame(rng, 1 + i % 5) for i in range(200)]
    values = solve_endgames(**rows(dealt), by_card=True)
    for endgame, row in zip(dealt, values, strict=True):
        expected = card_values(endgame.kept, endgame.follower, endgame.trump, endgame.low, endgame.led)
        assert {card_text(card): row[card] for card in np.flatnonzero(row >= 0)} == expected


def test_value_is_best_card(rng):
    dealt = [random_endgame(rng, cards) for cards in range(1, 14) for _ in range(20)]
    values = solve_endgames(**rows(dealt), by_card=True).astype(int)
    for endgame, tricks, row in zip(dealt, solve_endgames(**rows(dealt)), values, strict=True):
        legal = row[row >= 0]
        best = legal.min() if endgame.low else legal.max()
        assert tricks == (best if endgame.led is None else len(endgame.follower) - best)


def test_at_least_compares_with_the_exact_value(rng):
    dealt = [random_endgame(rng, cards) for cards in range(1, 14) for _ in range(10)]
    tricks = solve_endgames(**rows(dealt))
    for threshold in (-3, 0, 1, 6, 7, 13, 14, 99):
        assert (solve_endgames(**rows(dealt), at_least=threshold) == (tricks >= threshold)).all()


@pytest.mark.parametrize("device", [None, "cpu"])
def test_at_least_or_by_card(rng, device):
    with pytest.raises(ValueError, match="do not go together"):
        solve_endgames(**rows([random_endgame(rng, 2)]), at_least=1, by_card=True, device=device)


def test_batch_is_solved_like_single_endgames(rng):
    dealt = [random_endgame(rng, 1 + i % 13) for i in range(150)]
    together = solve_endgames(**rows(dealt))
    for endgame, tricks in zip(dealt, together, strict=True):
        assert tricks == solve_endgame(
            endgame.leader, endgame.follower, endgame.trump, low=endgame.low, led=endgame.led
        )


FOURTEEN = "AKQJT98765432.2.."


@pytest.mark.parametrize(
    ("leader", "follower", "settings", "message"),
    [
        ("AKQ...", "32...", {}, "got 3 and 2"),
        ("AK...", "A2...", {}, "SA"),
        ("AA...", "32...", {}, "SA"),
        ("A..", "3...", {}, "'A..'"),
        (FOURTEEN, ".A9876543.65432.2", {}, "got 14 and 14"),
        ("...", "...", {}, "got 0 and 0"),
        ("A...", "2...", {"trump": "X"}, "'X'"),
        ("A...", "2...", {"led": "H9"}, "got 2 and 1"),
        (1 << 52, 1, {}, f"{1 << 52}"),
        ([99], [1], {}, "99"),
    ],
)
def test_impossible_endgame_is_refused(leader, follower, settings, message):
    with pytest.raises(ValueError, match=message):
        solve_endgame(leader, follower, **settings)


def test_hands_may_have_every_form():
    cards = ["SA", "HT"], ["S2", "HJ"]
    masks = mask_of(map(parse_card, cards[0])), mask_of(map(parse_card, cards[1]))
    numbers = [parse_card(card) for card in cards[0]], [parse_card(card) for card in cards[1]]
    assert solve_endgame(*cards) == solve_endgame(*masks) == solve_endgame(*numbers) == solve_endgame("A.T..", "2.J..")
    assert solve_endgame("K2...", "AQ...", led="SK") == solve_endgame("2...", "AQ...", led="SK") == 0
