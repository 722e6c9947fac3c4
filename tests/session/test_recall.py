"""The memory quiz: when it is time, what is right, how it could be known, and that it is kept."""

from __future__ import annotations

import pytest

from german_whist.envs.engine.cards import cards_of, parse_card
from german_whist.session.database import Database
from german_whist.session.deal.events import deal_events
from german_whist.session.game_session import Conflict, Session
from german_whist.session.recall import hand_to_recall, is_quiz_time, quiz_step, recall_data
from german_whist.session.saved import insert_session, load_session, update_session
from german_whist.session.statistics import Statistics
from tests.session.playing import play, session


def at_quiz_time(game: str = "small", seed: int = 1, seat: int = 0) -> Session:
    made = session(game, seed=seed, seat=seat)
    while not made.can_recall:
        play(made, 1)
    return made


@pytest.mark.parametrize("game", ["small", "classic", "draft", "open_stock"])
@pytest.mark.parametrize("seat", [0, 1])
def test_it_is_time_once_at_the_first_decision_without_a_stock(game: str, seat: int) -> None:
    made, asked = session(game, seed=3, seat=seat), []
    while not made.deal.done:
        if made.can_recall:
            asked.append(len(made.deal.actions))
            state = made.deal.state
            assert int(state["hands"][seat]).bit_count() == made.deal.rules.hand
            assert int(state["hands"][1 - seat]) == hand_to_recall(made.deal, seat)
        play(made, 1)
    assert asked == [quiz_step(made.deal, seat)]
    stages = [event.kind for event in deal_events(made.deal, seat, made.names) if event.step <= asked[0]]
    assert "endgame" in stages


@pytest.mark.parametrize("game", ["humbug", "classic:hand=14,stock=24"])
def test_where_nobody_can_know_the_hand_there_is_no_quiz(game: str) -> None:
    made = session(game, seed=3)
    while not made.deal.done:
        assert not is_quiz_time(made.deal, 0)
        play(made, 1)
    assert quiz_step(made.deal, 0) is None


def test_practice_has_no_quiz() -> None:
    made = session("small", kind="practice")
    while not made.deal.done:
        assert not made.can_recall
        play(made, 1)


def test_an_answer_has_as_many_different_cards_as_the_hand() -> None:
    made = at_quiz_time()
    hand = list(cards_of(hand_to_recall(made.deal, 0)))
    for cards in (hand[1:], [*hand, 0], [*hand[1:], hand[1]]):
        with pytest.raises(ValueError, match=f"cards must be {len(hand)} different cards, got "):
            made.recall(cards)
    made.recall(hand)
    with pytest.raises(Conflict, match="no quiz"):
        made.recall(hand)


def test_the_score_is_told_at_once_and_the_cards_after_the_deal() -> None:
    for seed in range(6):
        made = at_quiz_time("classic", seed)
        hand, own = hand_to_recall(made.deal, 0), int(made.deal.state["hands"][0])
        gone = [card for card in made.deal.rules.cards if not (hand | own) >> card & 1]
        answer = [*gone[:4], *list(cards_of(hand))[4:]]
        made.recall(answer)
        early = recall_data(made.deal, 0, made.names, answer)
        assert early == {"right": len(answer) - 4, "held": len(answer), "cards": None}
        play(made)
        late = recall_data(made.deal, 0, made.names, answer)
        assert (late["right"], late["held"]) == (early["right"], early["held"])
        cards = {parse_card(one["card"]): one for one in late["cards"] or ()}
        assert set(cards) == {*answer, *cards_of(hand)}
        events = deal_events(made.deal, 0, made.names)
        for card, one in cards.items():
            assert (one["held"], one["recalled"]) == (bool(hand >> card & 1), card in answer)
            trick = {event.kind: event.trick for event in events if event.card == card}
            seen = any(event.kind == "take" and event.seat == 1 and event.card == card for event in events)
            if not one["held"]:
                assert one["reason"].endswith(f" played it in trick {trick['play']}.")
            elif seen:
                assert one["reason"] == f"You saw it taken in trick {trick['take']}, and it was not played."
            else:
                assert "the opponent was left with it" in one["reason"]


def test_it_is_kept_and_counted(database: Database) -> None:
    made = at_quiz_time()
    hand = list(cards_of(hand_to_recall(made.deal, 0)))
    with database.write() as connection:
        insert_session(connection, "one", made)
    made.recall(hand)
    with database.write() as connection:
        update_session(connection, "one", made)
    loaded = load_session(database, "one")
    assert loaded.recalled == tuple(hand)
    assert not loaded.can_recall
    assert Statistics(database).summary()["memory"] is None
    play(loaded)
    assert not loaded.assisted
    with database.write() as connection:
        update_session(connection, "one", loaded)
    assert load_session(database, "one").finished[0].recalled == tuple(hand)
    assert Statistics(database).summary()["memory"] == {"deals": 1, "share": 1.0, "perfect": 1}
    loaded.next_deal()
    assert loaded.recalled is None


def test_an_answer_that_is_taken_back_past_the_end_of_the_stock_is_none() -> None:
    made = at_quiz_time()
    made.recall(list(cards_of(hand_to_recall(made.deal, 0))))
    play(made, 1)
    made.take_back()
    assert made.recalled is not None
    made.take_back()
    assert made.recalled is None
