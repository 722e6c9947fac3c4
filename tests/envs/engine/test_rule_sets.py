"""The rules of each variation, on decks small enough to follow by hand."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.envs.engine.rules import Rules, rules
from german_whist.envs.engine.scoring import REWARDS
from german_whist.envs.simulator.batch import DealBatch
from tests.reference.plain import actions, dealt, number, plain, play, state_of

TINY = Rules(suits=2, ranks=4, hand=2, stock=4)
FACE_DOWN = Rules(suits=2, ranks=4, hand=2, stock=4, open_stock=0, trump="none")
TWO_OPEN = Rules(suits=2, ranks=4, hand=2, stock=4, open_stock=2)
THREE_OPEN = Rules(suits=2, ranks=4, hand=2, stock=4, open_stock=3)
FOUR_OPEN = Rules(suits=2, ranks=4, hand=2, stock=4, open_stock=4)
DRAFT = Rules(suits=2, ranks=4, hand=2, stock=4, draft=True)
RACE = Rules(suits=2, ranks=4, hand=2, stock=4, counts="all", race=1)
HUMBUG = Rules(suits=2, ranks=4, hand=2, stock=0, humbug=True)
DECK = "CJ CQ DJ DQ CK DK CA DA"  # seat 0 leads from CJ DJ, seat 1 holds CQ DQ, the stock is CK DK CA DA


def view(batch: DealBatch, seat: int) -> dict:
    return plain(batch.views(seats=[seat])[0], batch.rules)


def legal(batch: DealBatch) -> set[str]:
    return actions(batch.legal()[0], batch.rules)


def wins_a_trick(rules: Rules) -> DealBatch:
    """Seat 1 has just won the first trick of the foreplay."""
    batch = dealt(DECK, rules=rules)
    play(batch, "CJ", "CQ")
    return batch


# No trump: the stock lies face down.


def test_without_trumps_nothing_is_turned_and_no_suit_is_trump() -> None:
    known = view(dealt(DECK, rules=FACE_DOWN), 0)
    assert (known["face_up"], known["trump"], known["stock"]) == (set(), None, 4)
    assert known["unseen"] == {"CQ", "DQ", "CK", "DK", "CA", "DA"}


def test_without_trumps_the_winner_takes_the_top_card_and_the_loser_the_next_both_unseen() -> None:
    batch = wins_a_trick(FACE_DOWN)
    assert state_of(batch, 0)["hands"] == [{"DJ", "DK"}, {"DQ", "CK"}]
    assert state_of(batch, 0)["known"] == [set(), set()]
    assert "CK" in view(batch, 0)["unseen"]
    assert "DK" in view(batch, 1)["unseen"]


def test_without_trumps_the_leader_wins_whenever_the_follower_is_void() -> None:
    state = play(dealt("CJ DQ DJ DA CK DK CA CQ", rules=FACE_DOWN), "CJ", "DA")
    assert state["tricks"][0] == [1, 0]


def test_the_turned_card_may_name_no_trumps_and_still_be_the_prize() -> None:
    batch = dealt(DECK, rules=Rules(suits=2, ranks=4, hand=2, stock=4, trump="none"))
    assert (view(batch, 0)["face_up"], view(batch, 0)["trump"]) == ({"CK"}, None)


# Open stock.


def test_the_first_card_turned_of_an_open_stock_names_trumps() -> None:
    known = view(dealt(DECK, rules=TWO_OPEN), 0)
    assert (known["face_up"], known["trump"], known["stock"]) == ({"CK", "DK"}, "C", 4)
    assert view(dealt("CJ CQ DJ DQ DK CK CA DA", rules=TWO_OPEN), 0)["trump"] == "D"


@pytest.mark.parametrize(("picked", "left"), [("CK", "DK"), ("DK", "CK")])
def test_the_winner_picks_an_open_card_and_the_loser_takes_the_top_face_down_one(picked: str, left: str) -> None:
    batch = wins_a_trick(TWO_OPEN)
    assert legal(batch) == {"CK", "DK"}
    assert (batch.turn[0], view(batch, 0)["choice"], view(batch, 1)["choice"]) == (1, 1, 1)
    state = play(batch, picked)
    assert state["hands"] == [{"DJ", "CA"}, {"DQ", picked}]
    assert state["known"] == [set(), {picked}]
    assert view(batch, 1)["face_up"] == {left, "DA"}  # two lie face up again
    assert (batch.turn[0], view(batch, 1)["choice"]) == (1, 0)


def test_of_two_open_cards_the_loser_of_the_last_foreplay_trick_takes_what_the_winner_left() -> None:
    batch = wins_a_trick(TWO_OPEN)
    play(batch, "CK", "DQ", "DJ")
    assert legal(batch) == {"DK", "DA"}
    state = play(batch, "DA")
    assert state["hands"] == [{"CA", "DK"}, {"CK", "DA"}]
    assert state["known"] == [{"DK"}, {"CK", "DA"}]
    assert view(batch, 1)["stock"] == 0


def test_of_three_open_cards_the_loser_takes_the_last_face_down_one_while_there_is_one() -> None:
    batch = wins_a_trick(THREE_OPEN)
    assert legal(batch) == {"CK", "DK", "CA"}
    state = play(batch, "CA")
    assert state["hands"][0] == {"DJ", "DA"}
    assert state["known"][0] == set()
    assert view(batch, 0)["face_up"] == {"CK", "DK"}


def test_with_no_face_down_card_left_and_several_open_the_loser_picks_after_the_winner() -> None:
    batch = wins_a_trick(FOUR_OPEN)
    play(batch, "CA")
    assert (batch.turn[0], legal(batch)) == (0, {"CK", "DK", "DA"})
    state = play(batch, "CK")
    assert state["hands"] == [{"DJ", "CK"}, {"DQ", "CA"}]
    assert state["known"] == [{"CK"}, {"CA"}]
    assert batch.turn[0] == 1  # the winner of the trick leads
    assert view(batch, 1)["choice"] == 0


# Draft.


def test_the_winner_of_a_draft_may_take_the_face_up_card() -> None:
    batch = wins_a_trick(DRAFT)
    assert (batch.turn[0], legal(batch)) == (1, {"take", "leave"})
    state = play(batch, "take")
    assert state["hands"] == [{"DJ", "DK"}, {"DQ", "CK"}]
    assert state["known"] == [set(), {"CK"}]


def test_the_winner_of_a_draft_may_leave_it_for_the_face_down_card_unseen() -> None:
    batch = wins_a_trick(DRAFT)
    state = play(batch, "leave")
    assert state["hands"] == [{"DJ", "CK"}, {"DQ", "DK"}]
    assert state["known"] == [{"CK"}, set()]
    assert "DK" in view(batch, 0)["unseen"]
    assert (batch.turn[0], view(batch, 1)["face_up"]) == (1, {"CA"})


# Race.


def test_a_race_stops_at_once() -> None:
    batch = wins_a_trick(RACE)
    state = state_of(batch, 0)
    assert state["done"]
    assert state["hands"] == [{"DJ"}, {"DQ"}]  # no more cards are drawn
    assert legal(batch) == set()
    assert batch.returns()[0].tolist() == [-1, 1]


@pytest.mark.parametrize(("name", "target"), [("race", 7), ("race9", 9)])
def test_a_race_ends_with_exactly_so_many_tricks_for_one_seat(name: str, target: int) -> None:
    batch = DealBatch(name, 200, seed=1)
    rng = np.random.default_rng(0)
    while not batch.done.all():
        batch.step((rng.random((batch.size, batch.num_actions)) * batch.action_mask()).argmax(axis=1))
    won = batch.states["tricks"].sum(axis=1)
    assert (won.max(axis=1) == target).all()
    assert (won.min(axis=1) < target).all()
    np.testing.assert_array_equal(batch.returns()[:, 0], won[:, 0] - won[:, 1])
    assert (np.abs(batch.returns("win")) == 1).all()


def test_a_race_over_the_endgame_counts_no_foreplay_trick() -> None:
    batch = wins_a_trick(Rules(suits=2, ranks=4, hand=2, stock=4, race=1))
    assert not batch.done[0]
    play(batch, "CK", "DK", "CA", "DJ")
    assert state_of(batch, 0)["tricks"][1] != [0, 0]
    assert batch.done[0]


# High and low.


@pytest.mark.parametrize(
    ("deck", "low"), [(DECK, 1), ("CJ CQ DJ DQ DK CK CA DA", 0)], ids=["black is low", "red is high"]
)
def test_red_is_played_high_and_black_low_and_the_card_still_names_trumps(deck: str, low: int) -> None:
    batch = dealt(deck, rules=Rules(suits=2, ranks=4, hand=2, stock=4, high_low=True))
    assert [view(batch, seat)["low"] for seat in (0, 1)] == [low, low]
    assert view(batch, 0)["trump"] == "CD"[1 - low]


@pytest.mark.parametrize(("suit", "low"), [("C", 1), ("D", 0), ("H", 0), ("S", 1)])
def test_clubs_and_spades_are_black(suit: str, low: int) -> None:
    rules = Rules(suits=4, ranks=2, hand=1, stock=6, high_low=True)
    rest = [card for card in ["CK", "CA", "DK", "DA", "HK", "HA", "SK", "SA"] if card != f"{suit}A"]
    deck = [*rest[:2], f"{suit}A", *rest[2:]]
    assert view(dealt(" ".join(deck), rules=rules), 0)["low"] == low


@pytest.mark.parametrize("reward", REWARDS)
def test_a_low_game_is_won_by_the_fewest_endgame_tricks_and_a_high_one_by_the_most(reward: str) -> None:
    high, either = DealBatch("classic", 60, seed=2), DealBatch("high_low", 60, seed=2)
    rng = np.random.default_rng(1)
    while not high.done.all():
        cards = (rng.random((60, 52)) * high.action_mask()).argmax(axis=1)
        high.step(cards)
        either.step(cards)
    low = np.isin(high.states["trump"], (0, 3))
    assert 10 < low.sum() < 50
    np.testing.assert_array_equal(either.returns(reward), np.where(low, -1, 1)[:, None] * high.returns(reward))


# Humbug. Of the deck, seat 0 (the non-dealer) gets CJ CK, the blinds are CQ DK and DJ CA, and the dealer gets DQ DA.


def test_humbug_deals_non_dealer_blind_blind_dealer_and_turns_the_last_card() -> None:
    batch = dealt(DECK, rules=HUMBUG)
    state = state_of(batch, 0)
    assert state["hands"] == [{"CJ", "CK"}, {"DQ", "DA"}]
    assert state["known"] == [set(), {"DA"}]
    assert state["trump"] == "D"
    assert view(batch, 0)["opponent_known"] == {"DA"}
    assert view(batch, 0)["unseen"] == {"CQ", "DK", "DJ", "CA", "DQ"}
    assert (batch.turn[0], legal(batch)) == (0, {"keep", "swap"})


def test_humbug_lets_the_non_dealer_choose_first_then_the_dealer_and_the_non_dealer_leads() -> None:
    batch = dealt(DECK, dealer=0, rules=HUMBUG)
    assert batch.turn[0] == 1
    play(batch, "keep")
    assert (batch.turn[0], legal(batch)) == (0, {"keep", "swap"})
    state = play(batch, "keep")
    assert (batch.turn[0], legal(batch)) == (1, {"CJ", "CK"})
    assert state["hands"] == [{"DQ", "DA"}, {"CJ", "CK"}]


def test_a_swapped_hand_is_the_next_blind_and_the_old_one_is_out_of_play_unseen() -> None:
    batch = dealt(DECK, rules=HUMBUG)
    state = play(batch, "swap")
    assert state["hands"][0] == {"CQ", "DK"}
    assert view(batch, 0)["discarded"] == {"CJ", "CK"}
    other = view(batch, 1)
    assert (other["discarded"], other["opponent_known"], other["exchanged_opponent"]) == (set(), set(), 1)
    assert other["unseen"] == {"CJ", "CK", "CQ", "DK", "DJ", "CA"}
    assert play(batch, "swap")["hands"][1] == {"DJ", "CA"}


def test_the_dealer_gets_the_first_blind_when_the_non_dealer_keeps() -> None:
    batch = dealt(DECK, rules=HUMBUG)
    assert play(batch, "keep", "swap")["hands"] == [{"CJ", "CK"}, {"CQ", "DK"}]


def test_the_turned_card_is_known_to_be_out_when_the_dealer_swaps() -> None:
    batch = dealt(DECK, rules=HUMBUG)
    play(batch, "keep", "swap")
    assert view(batch, 0)["discarded"] == {"DA"}
    assert view(batch, 0)["opponent_known"] == set()
    assert view(batch, 1)["discarded"] == {"DQ", "DA"}
    assert view(batch, 0)["trump"] == "D"


def test_untouched_blinds_stay_hidden_to_the_end() -> None:
    batch = dealt(DECK, rules=HUMBUG)
    play(batch, "keep", "keep", "CJ", "DQ", "DA", "CK")
    assert batch.done[0]
    assert [view(batch, seat)["unseen"] for seat in (0, 1)] == [{"CQ", "DK", "DJ", "CA"}] * 2
    assert batch.returns()[0].tolist() == [-2, 2]


def test_humbug_scores_a_point_for_each_trick_over_six() -> None:
    batch = DealBatch("humbug", 2)
    batch.states["tricks"][:, 1] = [[8, 5], [0, 13]]
    batch.states["done"] = True
    assert batch.returns("points").tolist() == [[2, -2], [-7, 7]]


# Choices have numbers of their own, in games that have such choices.


def test_actions_of_choices_follow_the_cards_where_there_are_choices() -> None:
    sizes = {name: rules(name).num_actions for name in ("classic", "open_stock", "draft", "humbug")}
    assert sizes == {"classic": 52, "open_stock": 52, "draft": 54, "humbug": 54}
    assert [number(word) for word in ("take", "leave", "keep", "swap")] == [52, 53, 52, 53]


@pytest.mark.parametrize("rules", [DRAFT, HUMBUG, TWO_OPEN])
def test_a_card_of_the_hand_is_refused_where_a_choice_is_due(rules: Rules) -> None:
    batch = dealt(DECK, rules=rules) if rules.humbug else wins_a_trick(rules)
    before = batch.states.copy()
    held = plain(batch.states[0])["hands"][int(batch.turn[0])]
    for card in held:
        with pytest.raises(ValueError, match="is illegal in row 0"):
            batch.step([number(card)])
    np.testing.assert_array_equal(batch.states, before)
