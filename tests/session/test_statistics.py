"""Statistics: every deal counted once, groups and streaks, and what reviews add."""

from __future__ import annotations

import dataclasses
import json

import pytest

from german_whist.session.database import Database
from german_whist.session.game_session import Session
from german_whist.session.saved import NoSessionError, delete_session, insert_session, update_session
from german_whist.session.statistics import Rating, Statistics
from tests.session.playing import play, session


@pytest.fixture
def statistics(database: Database) -> Statistics:
    return Statistics(database)


def save(database: Database, identifier: str, made: Session) -> None:
    with database.write() as connection:
        try:
            update_session(connection, identifier, made)
        except NoSessionError:
            insert_session(connection, identifier, made)


def several(deals: int = 6, agent: str = "greedy") -> Session:
    made = session("tiny", agent, seed=4)
    for number in range(deals):
        if number:
            made.next_deal()
            made.reply()
        play(made)
    return made


def test_every_deal_is_counted_once_however_often_it_is_saved(database: Database, statistics: Statistics) -> None:
    made = several()
    for _ in range(3):
        save(database, "one", made)
    assert statistics.summary()["deals"] == 6
    save(database, "two", made)
    made.next_deal()
    save(database, "one", made)
    assert statistics.summary()["deals"] == 12
    made.reply()
    save(database, "one", play(made))
    assert statistics.summary()["deals"] == 13


def test_results_margins_and_streaks_add_up(database: Database, statistics: Statistics) -> None:
    made = several(12)
    save(database, "one", made)
    margins = [one.result.margin for one in made.finished]
    (group,) = statistics.summary()["groups"]
    assert (group["won"], group["drawn"], group["lost"]) == tuple(
        sum(sign(margin) == wanted for margin in margins) for wanted in (1, 0, -1)
    )
    assert type(group["won"]) is int
    assert group["tricks"] == pytest.approx(1 + sum(margins) / 24, abs=0.01)  # two tricks count
    longest = max(map(len, "".join("w" if margin > 0 else " " for margin in margins).split()), default=0)
    assert group["streak"]["longest"] == longest
    assert group["accuracy"] is group["luck"] is group["skill"] is None


def sign(margin: int) -> int:
    return (margin > 0) - (margin < 0)


def test_assisted_deals_and_other_opponents_are_groups_of_their_own(database: Database, statistics: Statistics) -> None:
    helped = session("tiny", "greedy", seed=4)
    helped.ask(lambda deal: {})
    save(database, "helped", play(helped))
    save(database, "plain", several(2))
    save(database, "other", several(2, "random"))
    groups = {(group["agent"], group["assisted"]): group["deals"] for group in statistics.summary()["groups"]}
    assert groups == {("greedy", True): 1, ("greedy", False): 2, ("random", False): 2}


def test_practice_is_not_counted(database: Database, statistics: Statistics) -> None:
    save(database, "one", play(session("tiny", kind="practice")))
    assert statistics.summary()["deals"] == 0


def test_a_review_separates_luck_from_skill(database: Database, statistics: Statistics) -> None:
    made = several(2)
    save(database, "one", made)
    statistics.rate("one", 2, Rating(par=2))
    statistics.rate("one", 2, Rating(0.5, 1.0, 0))  # the first par counts
    statistics.rate("one", 2, Rating(0.0, 1.0, 0))
    statistics.rate("one", 7, Rating(0.0, 9.0, 0))
    (group,) = statistics.summary()["groups"]
    assert (group["accuracy"], group["luck"]) == (65.0, 2)
    assert group["skill"] == made.finished[1].result.margin / 2 - 1
    assert statistics.missing("par") == statistics.missing("given_away") == [("one", 1)]


def test_the_accuracy_of_deals_weighs_them_by_what_was_at_stake(database: Database, statistics: Statistics) -> None:
    save(database, "one", several(3))
    statistics.rate("one", 1, Rating(0.0, 0.0))
    assert statistics.summary()["groups"][0]["accuracy"] is None
    statistics.rate("one", 2, Rating(1.0, 1.0))
    statistics.rate("one", 3, Rating(0.0, 3.0))
    found = statistics.summary()
    assert [deal["accuracy"] for deal in found["recent"]] == [None, 30.0, 100.0]
    assert found["groups"][0]["accuracy"] == 82.5


def test_accuracy_is_compared_with_that_of_the_agents_only_in_the_game_where_it_was_measured(
    database: Database, statistics: Statistics
) -> None:
    scored = "classic:points=over_book,slam=10"
    for name, rules, given_away in (("one", "tiny", 1.0), ("two", "classic", 0.25), ("three", scored, 0.25)):
        save(database, name, play(session(rules, "greedy")))
        statistics.rate(name, 1, Rating(given_away, 1.0))
    found = statistics.summary()
    nearest = {group["rules"]: group["plays_like"] for group in found["groups"]}
    assert (found["accuracy"], found["plays_like"]) == (82.5, "Textbook, perfect endgame")
    assert nearest == {"tiny": None, "classic": found["plays_like"], scored: found["plays_like"]}


def test_matches_are_counted_when_they_are_won(database: Database, statistics: Statistics) -> None:
    made = session("tiny", match="best_of:3", seed=3)
    while not made.over:
        if made.deal.done:
            made.next_deal()
            made.reply()
        play(made)
        save(database, "one", made)
    (match,) = statistics.summary()["matches"]
    assert (match["won"], match["lost"]) == ((1, 0) if made.winner == 0 else (0, 1))


def test_a_match_with_a_hint_in_one_deal_is_assisted(database: Database, statistics: Statistics) -> None:
    for name, helped in (("plain", False), ("helped", True)):
        made = session("tiny", match="best_of:3", seed=3)
        if helped:
            made.ask(lambda deal: {})
        while not made.over:
            if made.deal.done:
                made.next_deal()
                made.reply()
            play(made)
        save(database, name, made)
    assert [(group["assisted"], group["won"] + group["lost"]) for group in statistics.summary()["matches"]] == [
        (False, 1),
        (True, 1),
    ]


@pytest.mark.parametrize("time", ["1999-12-31T23:59:59+00:00", None], ids=["a clock that went back", "the same second"])
def test_what_is_cleared_does_not_come_back_and_all_that_follows_counts(
    time: str | None, database: Database, statistics: Statistics
) -> None:
    made = session("tiny", match="first_to:4", seed=4)
    save(database, "one", play(made))
    statistics.clear()
    save(database, "one", made)
    assert statistics.summary()["deals"] == 0
    assert json.loads(statistics.export()) == {"format": 2, "deals": [], "matches": []}
    while not made.over:
        made.next_deal()
        made.reply()
        play(made)
        made.finished[-1] = dataclasses.replace(made.finished[-1], time=time or made.finished[0].time)
        save(database, "one", made)
    found = statistics.summary()
    assert found["deals"] == len(made.finished) - 1 > 0
    assert len(found["matches"]) == 1


def test_the_statistics_of_a_deleted_session_stay(database: Database, statistics: Statistics) -> None:
    save(database, "one", several())
    before = statistics.summary()
    with database.write() as connection:
        delete_session(connection, "one")
    assert statistics.summary() == before
    assert before["deals"] == 6


def test_the_export_and_the_recent_deals_are_in_the_order_in_which_they_ended(
    database: Database, statistics: Statistics
) -> None:
    one, two = session("tiny", seed=1), session("tiny", "greedy", seed=2)
    for _ in range(2):
        for name, made in (("one", one), ("two", two)):
            if made.deal.done:
                made.next_deal()
                made.reply()
            save(database, name, play(made))
    exported = json.loads(statistics.export())["deals"]
    assert [(deal["session"], deal["deal"]) for deal in exported] == [("one", 1), ("two", 1), ("one", 2), ("two", 2)]
    recent = statistics.summary()["recent"]
    for deal, shown in zip(exported, recent, strict=True):
        both = set(deal) & set(shown)
        assert {name: deal[name] for name in both} == {name: shown[name] for name in both}
        assert set(shown) - both == {"accuracy"}
    assert {type(deal[flag]) for deal in exported for flag in ("slam", "assisted")} == {bool}
