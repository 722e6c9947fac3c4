"""Sessions: whole deals of every game, taking back, matches, saving, and nothing that a seat must not see."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from german_whist.agents.registry import make_agent
from german_whist.envs.engine.actions import parse_action
from german_whist.envs.engine.cards import card_text
from german_whist.envs.engine.rules import rule_names
from german_whist.evaluation.match import play_match
from german_whist.session.coach.replays import swap_seats, try_action
from german_whist.session.game_session import Conflict, IllegalAction, Session
from german_whist.session.settings import Settings, day_settings
from german_whist.web.session_json import session_json
from tests.session.playing import play, reload, session


@pytest.mark.parametrize("game", rule_names())
def test_every_game_is_played_to_its_end_with_only_legal_actions_offered(game: str) -> None:
    made = session(game, "greedy", seed=len(game), seat=len(game) % 2)
    while not made.deal.done:
        decision = session_json(made)["position"]["decision"]
        offered = {parse_action(one["action"], made.deal.rules) for one in decision["actions"]}
        assert sum(1 << action for action in offered) == made.deal.legal
        play(made, 1)
    shown = session_json(made)
    assert shown["position"]["decision"] is None
    assert shown["position"]["result"]["text"] in shown["events"][-1]["text"]
    assert len(made.finished) == 1
    counted = shown["position"]["tricks"]
    assert shown["position"]["result"]["tricks"] == {side: counted[side]["counted"] for side in counted}


def test_the_agent_plays_as_in_evaluate() -> None:
    recordings: list[object] = []
    play_match("mc:worlds=4", "greedy", deals=3, seed=8, rules="tiny", record=recordings.append)
    for recorded in recordings:
        if recorded.names[0] != "mc:worlds=4":  # type: ignore[attr-defined]
            continue
        made = Session(Settings(rules="tiny", agent="mc:worlds=4", seed=8, seat=1))
        while len(made.finished) <= recorded.deal[1]:  # type: ignore[attr-defined]
            if made.deal.done:
                made.next_deal()
            made.reply()
            play(made)
        deal = made.finished[recorded.deal[1]].deal  # type: ignore[attr-defined]
        assert tuple(deal.actions) == recorded.actions  # type: ignore[attr-defined]


class Historian:
    """An agent that is given histories, and keeps their lengths."""

    name, uses_games = "historian", True

    def __init__(self) -> None:
        self.lengths: list[int] = []

    def act(self, views: Any, rng: Any, games: Any = None) -> Any:
        self.lengths.append(int(games.histories()[1][0]))
        return make_agent("greedy").act(views, rng)


def test_an_agent_that_uses_histories_gets_them_after_a_take_back_too() -> None:
    historian = Historian()
    made = Session(Settings(rules="small", agent="greedy", seed=3), historian)
    made.reply()
    play(made, 2)
    seen = list(historian.lengths)
    assert seen == sorted(set(seen))
    made.take_back()
    play(made, 1)
    assert historian.lengths[len(seen) :] == seen[-(len(historian.lengths) - len(seen)) :]


@pytest.mark.parametrize("game", ["small", "draft", "humbug", "open_stock"])
def test_a_session_saved_after_any_action_goes_on_as_if_nothing_had_happened(game: str) -> None:
    made = session(game, seed=5)
    while not made.deal.done:
        restored = reload(made)
        assert session_json(restored) == session_json(made)
        assert restored.salt == made.salt
        play(made, 1)
        play(restored, 1)
        assert restored.deal.actions == made.deal.actions
    restored = reload(made)
    assert session_json(restored) == session_json(made)
    restored.next_deal()
    assert restored.number == 2


def test_practice_remembers_what_the_same_deal_brought_before_also_when_saved() -> None:
    made = play(session(seed=6))
    text = session_json(made)["position"]["result"]["text"]
    own = next(step for step in range(len(made.deal.actions)) if made.deal.actor(step) == made.seat)
    action = made.deal.actions[own]
    made.next_deal()  # the deal that is played again need not be the last one
    made.reply()
    assert session_json(play(made))["position"]["result"]["text"] != text
    for practice, other_side in ((swap_seats(made, 0), True), (try_action(made, 0, own + 1, action), False)):
        restored = reload(practice)
        assert session_json(restored)["earlier"] == {
            "text": text,
            "swapped": other_side,
            "session": None,
            "deal": 1,
            "move": None if other_side else own + 1,
        }
    assert session_json(made)["earlier"] is None


def test_taking_back_returns_to_the_decision_and_marks_the_deal() -> None:
    made = play(session(seed=2), 3)
    before = session_json(made)["position"]
    version = made.version
    play(made, 1)
    made.take_back()
    assert session_json(made)["position"] == before
    assert made.assisted
    assert made.version > version + 1
    play(made)
    assert made.finished[0].assisted


def test_nothing_is_taken_back_at_the_start_or_after_the_end() -> None:
    made = session()
    with pytest.raises(Conflict, match="not played yet"):
        made.take_back()
    with pytest.raises(Conflict, match="over"):
        play(made).take_back()
    assert not made.assisted


def test_an_illegal_action_changes_nothing_and_says_why() -> None:
    made = session(seed=2, seat=1)
    follows = session("classic", seed=2, seat=0)
    assert follows.deal.state["led"] >= 0
    hand, legal = int(follows.deal.state["hands"][0]), follows.deal.legal
    wrong = next(card for card in range(52) if hand >> card & 1 and not legal >> card & 1)
    missing = next(card for card in follows.deal.rules.cards if not hand >> card & 1)
    before = session_json(follows)
    with pytest.raises(IllegalAction, match=r"^You must follow \w+: you may play [CDHS][2-9TJQKA]"):
        follows.act(wrong)
    with pytest.raises(IllegalAction, match="You do not hold the"):
        follows.act(missing)
    assert session_json(follows) == before
    play(made)
    with pytest.raises(IllegalAction, match="over"):
        made.act(0)


def test_hints_are_kept_until_the_position_changes() -> None:
    made = session()
    calls: list[object] = []

    def advise(deal: object) -> dict[str, object]:
        calls.append(deal)
        return {"number": len(calls)}

    assert made.ask(advise) == made.ask(advise) == {"number": 1}
    assert made.assisted
    play(made, 1)
    assert made.hint is None
    made.ask(advise)
    assert len(calls) == 2
    with pytest.raises(Conflict):
        play(made).ask(advise)


def test_a_match_adds_up_points_and_ends_when_it_is_won() -> None:
    made = session("tiny", match="first_to:5", seed=3)
    points = [0.0, 0.0]
    while not made.over:
        if made.deal.done:
            made.next_deal()
            made.reply()
        play(made)
        result = made.finished[-1].result
        points[result.margin < 0] += abs(result.points) * (result.margin != 0)
        assert made.score.points == tuple(points)
        assert (made.winner is not None) == (max(points) >= 5)
    assert points.index(max(points)) == made.winner
    assert session_json(made)["events"][-1]["kind"] == "match"
    with pytest.raises(Conflict):
        made.next_deal()


def test_best_of_counts_deals() -> None:
    made = session("tiny", match="best_of:3", seed=3)
    while not made.over:
        if made.deal.done:
            made.next_deal()
            made.reply()
        play(made)
    assert max(made.score.won) == 2
    assert made.score.in_match(made.settings.match_format) == made.score.won


def test_the_dealer_alternates() -> None:
    made = session("tiny", seed=3, seat=1)
    dealers = []
    for _ in range(3):
        play(made)
        dealers.append(made.deal.dealer)
        made.next_deal()
        made.reply()
    assert dealers == [0, 1, 0]


def test_the_commitment_is_the_hash_of_what_is_disclosed() -> None:
    made = session("tiny")
    promised = made.commitment
    assert made.disclosure is None
    play(made)
    assert made.disclosure is not None
    assert hashlib.sha256(made.disclosure.encode()).hexdigest() == promised == made.commitment
    salt, dealer, *deck = made.disclosure.split()
    assert len(bytes.fromhex(salt)) == 32
    assert int(dealer) == made.deal.dealer
    assert deck == [card_text(card) for card in made.deal.deck]


def test_the_deal_of_a_day_is_the_same_for_everybody_and_stands_alone() -> None:
    one, same = (Session(day_settings("2026-11-21", agent)) for agent in ("greedy", "random"))
    other = Session(day_settings("2026-11-22", "greedy"))
    assert one.deal.deck == same.deal.deck != other.deal.deck
    one.reply()
    play(one)
    assert one.over


@pytest.mark.parametrize("day", ["", "2026-13-01", "20261121", "yesterday", 5, None, "2026-W47-6"])
def test_what_is_no_date_is_refused(day: object) -> None:
    with pytest.raises(ValueError, match="a date such as"):
        day_settings(day, "greedy")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rules": "clasic"}, "classic"),
        ({"rules": 5}, "rules must be a name, got 5"),
        ({"match": "best_of:2"}, "match best_of:N: N must be an odd number of deals, got 2"),
        ({"seed": -1}, "seed"),
        ({"seat": 2}, "seat must be 0 or 1, got 2"),
        ({"kind": "plai"}, "play"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings(**wrong)  # type: ignore[arg-type]


def test_an_agent_of_another_game_is_refused(classic_agent: str) -> None:
    with pytest.raises(ValueError, match="trained for 'classic'"):
        Session(Settings(rules="small", agent=classic_agent))
