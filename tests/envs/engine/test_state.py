"""The engine against the plain-Python reference, and examples as a rule book would give them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.envs.engine.rules import Rules, rule_names, rules
from tests.reference.compare import play_both
from tests.reference.plain import cards, dealt, plain, play, state_of
from tests.strategies import GAMES, games, seeds


@settings(max_examples=100)
@given(games(), seeds, st.integers(0, 2**64 - 2), st.integers(0, 2**32))
def test_engine_plays_any_game_like_the_reference(rules: Rules, seed: int, first: int, choices: int) -> None:
    play_both(rules, 2, seed, first, np.random.default_rng(choices))


@pytest.mark.parametrize("name", GAMES)
def test_engine_plays_many_deals_like_the_reference(name: str, rng: np.random.Generator) -> None:
    play_both(GAMES[name], 40, seed=3, first=0, rng=rng)


@pytest.mark.parametrize("name", rule_names())
def test_engine_plays_every_preset_like_the_reference(name: str, rng: np.random.Generator) -> None:
    play_both(rules(name), 40, seed=5, first=0, rng=rng)


# Single tricks by the rule book, with decks small enough to follow by hand.

TINY = GAMES["tiny"]
SIX_CARDS = Rules(suits=3, ranks=2, hand=2, stock=2)


@pytest.mark.parametrize("dealer", [0, 1])
def test_cards_are_dealt_one_at_a_time_from_the_non_dealer_who_leads(dealer: int) -> None:
    state = state_of(dealt("CJ DJ CQ DQ CK CA DK DA", dealer), 0)
    assert state["hands"][1 - dealer] == {"CJ", "CQ"}
    assert state["hands"][dealer] == {"DJ", "DQ"}
    assert (state["turn"], state["dealer"]) == (1 - dealer, dealer)


def test_first_card_of_the_stock_lies_face_up_and_names_trumps_for_the_whole_deal() -> None:
    batch = dealt("CJ DJ CQ DQ CK DA CA DK")
    view = plain(batch.views()[0])
    assert (view["trump"], view["face_up"], view["stock"]) == ("C", {"CK"}, 4)
    play(batch, "CJ", "DJ", "CQ", "DQ")
    assert plain(batch.views()[0])["trump"] == "C"


def test_follower_must_follow_suit_but_need_not_beat() -> None:
    batch = dealt("CQ CJ DJ CA DQ CK DK DA")
    play(batch, "CQ")
    assert cards(batch.legal()[0]) == {"CJ", "CA"}
    assert play(batch, "CJ")["tricks"][0] == [1, 0]


def test_void_follower_may_play_anything_and_need_not_trump() -> None:
    batch = dealt("CK DA DK HK HA CA", rules=SIX_CARDS)
    play(batch, "CK")
    assert cards(batch.legal()[0]) == {"DA", "HK"}


def test_a_discard_never_wins_however_high() -> None:
    state = play(dealt("CK DA DK HK HA CA", rules=SIX_CARDS), "CK", "DA")
    assert state["tricks"][0] == [1, 0]
    assert state["turn"] == 0


def test_the_lowest_trump_beats_the_ace_of_another_suit() -> None:
    state = play(dealt("CA DA DK HK HA CK", rules=SIX_CARDS), "CA", "HK")
    assert state["tricks"][0] == [0, 1]
    assert state["turn"] == 1


def test_an_ace_of_another_suit_does_not_beat_a_led_trump() -> None:
    assert play(dealt("HK DA DK CK HA CA", rules=SIX_CARDS), "HK", "DA")["tricks"][0] == [1, 0]


def test_the_higher_card_of_a_suit_wins_whoever_plays_it() -> None:
    assert play(dealt("CJ CQ DJ DQ CK DK CA DA"), "CJ", "CQ")["tricks"][0] == [0, 1]
    assert play(dealt("CQ CJ DJ DQ CK DK CA DA"), "CQ", "CJ")["tricks"][0] == [1, 0]


def test_winner_takes_the_face_up_card_loser_the_next_and_another_is_turned() -> None:
    batch = dealt("CJ CQ DJ DQ CK DK CA DA")
    state = play(batch, "CJ", "CQ")
    assert state["hands"] == [{"DJ", "DK"}, {"DQ", "CK"}]
    assert state["known"] == [set(), {"CK"}]
    assert plain(batch.views()[0])["face_up"] == {"CA"}


def test_winner_of_the_last_foreplay_trick_leads_the_endgame_where_nobody_draws() -> None:
    batch = dealt("CJ CQ DJ DQ CK DK CA DA")
    state = play(batch, "CJ", "CQ", "DQ", "DK")
    assert state["turn"] == 0
    assert state["hands"] == [{"DJ", "CA"}, {"CK", "DA"}]
    assert plain(batch.views()[0])["face_up"] == set()
    state = play(batch, "CA", "CK", "DJ", "DA")
    assert state["tricks"] == [[1, 1], [1, 1]]
    assert state["done"]
    assert batch.returns()[0].tolist() == [0, 0]
