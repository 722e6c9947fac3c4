"""The engine against the plain-Python reference, and examples as a rule book would give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.game.rules import Rules, rule_names, rules
from tests.reference.compare import play_both
from tests.reference.plain import actions, dealt, number, plain, state_of
from tests.strategies import GAMES, games, seeds


@settings(max_examples=100)
@given(games(), seeds, st.integers(0, 2**64 - 2), st.integers(0, 2**32))
def test_any_game_matches_reference(rules: Rules, seed: int, first: int, choices: int) -> None:
    play_both(rules, 2, seed, first, np.random.default_rng(choices))


@pytest.mark.parametrize("name", [*GAMES, *(name for name in rule_names() if name not in GAMES)])
def test_presets_match_reference(name: str, rng: np.random.Generator) -> None:
    play_both(GAMES.get(name) or rules(name), 40, seed=3, first=0, rng=rng)


# The same in words of the rule book, which the reference must follow too: the cards as they are dealt, what is played,
# and then what may be played, and parts of the state. Seat 0 leads; the stock begins with the fifth card.

DECK = "CJ CQ DJ DQ CK DK CA DA"
TRUMPS = "classic:suits=3,ranks=2,hand=2,stock=2"
HUMBUG = "humbug:suits=2,ranks=4,hand=2,book=0"  # CJ CK for seat 0, CQ DK and DJ CA blind, DQ DA for the dealer
FIRST, SECOND = [[1, 0], [0, 0]], [[0, 1], [0, 0]]  # who took the first trick
EXAMPLES: dict[str, tuple[str, str, str, str, dict[str, Any]]] = {
    "the follower must follow suit": ("tiny", "CQ CJ DJ CA DQ CK DK DA", "CQ", "CJ CA", {"trump": "D"}),
    "and need not beat": ("tiny", "CQ CJ DJ CA DQ CK DK DA", "CQ CJ", "DJ DQ", {"tricks": FIRST}),
    "a void follower may play anything": (TRUMPS, "CK DA DK HK HA CA", "CK", "DA HK", {"trump": "H"}),
    "a discard never wins": (TRUMPS, "CK DA DK HK HA CA", "CK DA", "DK HA", {"tricks": FIRST}),
    "the lowest trump beats any ace": (TRUMPS, "CA DA DK HK HA CK", "CA HK", "DA HA", {"tricks": SECOND}),
    "the higher card of a suit wins, the winner takes the open card, the loser the next": (
        *("tiny", DECK, "CJ CQ", "DQ CK"),
        {"tricks": SECOND, "hands": [{"DJ", "DK"}, {"DQ", "CK"}], "known": [set(), {"CK"}], "face_up": {"CA"}},
    ),
    "nobody draws in the endgame": (
        *("tiny", DECK, "CJ CQ DQ DK CA CK", "DJ"),
        {"hands": [{"DJ"}, {"DA"}], "tricks": [[1, 1], [1, 0]]},
    ),
    "without trumps all lies face down": (
        *("tiny:open_stock=0,trump=none", DECK, "CJ CQ", "DQ CK"),
        {"trump": None, "hands": [{"DJ", "DK"}, {"DQ", "CK"}], "known": [set(), set()], "face_up": set()},
    ),
    "of an open stock the winner picks": ("tiny:open_stock=2", DECK, "CJ CQ", "CK DK", {"turn": 1, "trump": "C"}),
    "and the loser takes the top of the others": (
        *("tiny:open_stock=2", DECK, "CJ CQ DK", "DQ DK"),
        {"hands": [{"DJ", "CA"}, {"DQ", "DK"}], "known": [set(), {"DK"}], "face_up": {"CK", "DA"}},
    ),
    "or what is left": (
        *("tiny:open_stock=2", DECK, "CJ CQ CK DQ DJ DA", "CK DA"),
        {"hands": [{"CA", "DK"}, {"CK", "DA"}], "known": [{"DK"}, {"CK", "DA"}]},
    ),
    "or picks, too, if all are open": ("tiny:open_stock=4", DECK, "CJ CQ CA", "CK DK DA", {"turn": 0}),
    "of a draft the winner may take": ("tiny:draft=true", DECK, "CJ CQ", "take leave", {"turn": 1}),
    "or leave the open card": (
        *("tiny:draft=true", DECK, "CJ CQ leave", "DQ DK"),
        {"hands": [{"DJ", "CK"}, {"DQ", "DK"}], "known": [{"CK"}, set()], "face_up": {"CA"}, "turn": 1},
    ),
    "a race stops at once": ("tiny:counts=all,race=1", DECK, "CJ CQ", "", {"hands": [{"DJ"}, {"DQ"}], "done": True}),
    "that over the endgame after it": ("tiny:race=1", DECK, "CJ CQ CK DK CA DJ", "", {"done": True}),
    "black is played low": ("tiny:high_low=true", DECK, "", "CJ DJ", {"low": 1}),
    "and red is played high": ("tiny:high_low=true", "CJ CQ DJ DQ DK CK CA DA", "", "CJ DJ", {"low": 0}),
    "of humbug the last card is shown": (
        *(HUMBUG, DECK, "", "keep swap"),
        {"hands": [{"CJ", "CK"}, {"DQ", "DA"}], "known": [set(), {"DA"}], "trump": "D", "turn": 0},
    ),
    "the next blind is for the dealer": (
        *(HUMBUG, DECK, "swap swap", "CQ DK"),
        {"hands": [{"CQ", "DK"}, {"DJ", "CA"}], "discarded": [{"CJ", "CK", "DA"}, {"DQ", "DA"}]},
    ),
    "or the first if the other keeps": (HUMBUG, DECK, "keep swap", "CJ CK", {"hands": [{"CJ", "CK"}, {"CQ", "DK"}]}),
}


@pytest.mark.parametrize(("game", "deck", "played", "legal", "after"), EXAMPLES.values(), ids=EXAMPLES)
def test_rule_book_examples_are_played(game: str, deck: str, played: str, legal: str, after: dict[str, Any]) -> None:
    batch = dealt(deck, rules=game)
    for action in played.split():
        batch.step([number(action)])
    assert actions(batch.legal()[0], batch.rules) == set(legal.split())
    state = state_of(batch, 0)
    assert {name: state[name] for name in after} == after


@pytest.mark.parametrize("game", ["tiny:draft=true", "tiny:open_stock=2", HUMBUG])
def test_card_instead_of_choice(game: str) -> None:
    batch = dealt(DECK, rules=game)
    if not batch.rules.humbug:
        batch.step([number("CJ")])
        batch.step([number("CQ")])
    before = batch.states.copy()
    for card in plain(batch.states[0])["hands"][int(batch.turn[0])]:
        with pytest.raises(ValueError, match="is illegal in row 0"):
            batch.step([number(card)])
    np.testing.assert_array_equal(batch.states, before)
