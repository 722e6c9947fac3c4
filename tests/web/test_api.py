"""The API as ``docs/reference/web-api.md`` describes it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from german_whist.envs.engine.rules import rule_names
from german_whist.session.database import NAME
from german_whist.web.app import make_app
from german_whist.web.service import ServeOptions
from tests.web.conftest import BASE, TOKEN, Table

Make = Callable[..., Table]


def error(answer: Any) -> tuple[int, str, str]:
    body = answer.json()["error"]
    return answer.status_code, body["code"], body["message"]


def test_the_catalogue_offers_every_game(client: TestClient) -> None:
    found = client.get("api/catalog").json()
    assert {game["id"] for game in found["games"]} == set(rule_names())
    assert found["defaults"] == {"rules": "small", "agent": "greedy", "match": None}
    assert [match["match"] for match in found["matches"]][:2] == [None, "first_to:10"]


def test_the_catalogue_does_not_tell_the_seed(folder: Path) -> None:
    found = set()
    for seed in (7, 8):
        with TestClient(make_app(ServeOptions(seed=seed), folder, TOKEN), base_url=BASE) as client:
            found.add(client.get("api/catalog").text)
            asked = {"rules": "tiny", "agent": "greedy", "seat": 0}
            dealt = client.post("api/sessions", json=asked).json()  # the seed of the command line all the same
            assert dealt["position"]["hand"] == client.post("api/sessions", json=asked).json()["position"]["hand"]
    assert len(found) == 1


def test_without_a_choice_the_strongest_agent_plays(folder: Path) -> None:
    with TestClient(make_app(ServeOptions(), folder, TOKEN), base_url=BASE) as client:
        assert client.get("api/catalog").json()["defaults"]["agent"] == "champion"
        assert client.post("api/sessions", json={}).json()["agent"]["title"] == "Champion"
        assert client.post("api/sessions", json={"rules": "small"}).json()["agent"]["spec"] == "champion"


@pytest.mark.parametrize("game", ["tiny", "draft", "humbug", "open_stock"])
def test_a_deal_is_played_through_the_api(game: str, table: Make) -> None:
    made = table(rules=game, seat=1)
    events = made.session["events"]
    assert all(event["table"] for event in events)
    while made.session["position"]["decision"]:
        made.play(1)
        known = [{**event, "table": None} for event in events]
        events = made.session["events"]
        assert events[: len(known)] == known
        assert all(event["table"] for event in events[len(known) :])
        assert [card["card"] for card in made.session["position"]["hand"]] == events[-1]["table"]["hand"]
    session = made.session
    assert [event["number"] for event in events] == list(range(len(events)))
    assert session["can"]["next"]
    assert session["can"]["review"]
    assert session["deals"][0]["text"] == session["position"]["result"]["text"]
    disclosure, commitment = session["deal"]["disclosure"], session["deal"]["commitment"]
    assert hashlib.sha256(disclosure["text"].encode()).hexdigest() == commitment
    assert made.post("next")["deal"]["number"] == 2


def test_an_illegal_action_is_refused_with_the_reason_and_changes_nothing(table: Make, client: TestClient) -> None:
    made = table(rules="classic", seat=0, seed=2)
    wrong = next(card for card in made.session["position"]["hand"] if not card["playable"])
    assert wrong["reason"].startswith("You must follow")
    answer = client.post(f"{made.address}/action", json={"version": made.session["version"], "action": wrong["card"]})
    status, code, message = error(answer)
    assert (status, code) == (400, "illegal_action")
    assert message.startswith("You must follow")
    assert client.get(made.address).json() == made.session


def test_a_second_window_is_told_that_the_session_has_moved_on(table: Make, client: TestClient) -> None:
    made = table()
    old = made.session["version"]
    made.play(1)
    for name, fields in (("action", {"action": "SA"}), ("hint", {}), ("take-back", {}), ("next", {})):
        answer = client.post(f"{made.address}/{name}", json={"version": old, **fields})
        assert error(answer)[:2] == (409, "conflict")
        assert answer.json()["session"] == made.session


def test_hint_and_take_back_mark_the_deal(table: Make) -> None:
    made = table()
    assert not made.session["deal"]["assisted"]
    hinted = made.post("hint")
    assert hinted["deal"]["assisted"]
    assert hinted["hint"]["options"][0]["action"] == hinted["hint"]["action"]
    legal = [one["action"] for one in hinted["position"]["decision"]["actions"]]
    assert sorted(one["action"] for one in hinted["hint"]["options"]) == sorted(legal)
    made.play(1)
    back = made.post("take-back")
    assert back["position"] == hinted["position"]
    assert back["hint"] is None


def test_what_does_not_fit_the_stage_is_a_conflict(table: Make, client: TestClient) -> None:
    made = table(rules="tiny")
    assert error(client.post(f"{made.address}/next", json={"version": made.session["version"]}))[0] == 409
    assert error(client.get(f"{made.address}/review"))[:2] == (404, "not_found")
    made.play()
    for name in ("hint", "take-back"):
        assert error(client.post(f"{made.address}/{name}", json={"version": made.session["version"]}))[0] == 409


def test_the_deal_of_a_day(client: TestClient) -> None:
    decks = []
    for agent in ("greedy", "random"):
        made = Table(client, client.post("api/sessions", json={"day": "2026-11-21", "agent": agent}).json())
        assert made.session["day"] == "2026-11-21"
        session = made.play()
        decks.append(session["deal"]["disclosure"]["deck"])
        assert not session["can"]["next"]
    assert decks[0] == decks[1]
    for fields in ({"day": "2026-02-30"}, {"day": "2026-11-21", "seed": 5}):
        assert error(client.post("api/sessions", json=fields))[:2] == (400, "bad_request")


def test_the_lesson(client: TestClient) -> None:
    made = Table(client, client.post("api/lesson", json={}).json())
    while not made.session["lesson"]["done"]:
        lesson, decision = made.session["lesson"], made.session["position"]["decision"]
        made.post("action", action=(lesson["wanted"] or [decision["actions"][-1]["action"]])[0])
    assert made.session["position"]["result"]["winner"] == "you"
    assert made.session["can"]["review"]
    assert not made.session["can"]["swap"]
    for name, fields in (("try", {"move": 1, "action": "SJ"}), ("swap", {}), ("watch", {})):
        answer = client.post(f"{made.address}/{name}", json=fields)
        assert error(answer) == (409, "conflict", "The teacher plays this deal only as the lesson goes.")


def test_sessions_are_listed_and_deleted(table: Make, client: TestClient) -> None:
    first, second = table(rules="tiny"), table(rules="small", match="first_to:10")
    listed = client.get("api/sessions").json()["sessions"]
    assert {one["id"] for one in listed} == {first.session["id"], second.session["id"]}
    assert {one["match"] for one in listed} == {None, "first_to:10"}
    assert client.delete(first.address).json() == {}
    assert error(client.get(first.address))[:2] == (404, "not_found")
    assert len(client.get("api/sessions").json()["sessions"]) == 1


BAD_BODIES: list[tuple[str, Any, str]] = [
    ("api/sessions", {"rules": "clasic"}, "did you mean 'classic'"),
    ("api/sessions", {"rules": 5}, "body.rules must be `str | null`, got `int`"),
    ("api/sessions", {"rules": "x" * 201}, "body.rules must be `str` of length <= 200"),
    ("api/sessions", {"agent": "grady"}, "did you mean 'greedy'"),
    ("api/sessions", {"agent": "champion", "rules": "humbug"}, "humbug has none"),
    ("api/sessions", {"agent": "checkpoint:/etc/passwd"}, "from files"),
    ("api/sessions", {"agent": " checkpoint:/etc/passwd"}, "from files"),
    ("api/sessions", {"agent": "checkpoint:/etc/passwd+exact"}, "from files"),
    ("api/sessions", {"agent": "process:touch /tmp/x"}, "from files and programs"),
    ("api/sessions", {"agent": "process:time=1,touch /tmp/x+exact"}, "from files and programs"),
    ("api/sessions", {"agent": "python:my_bot.py:Bot"}, "from files and programs"),
    ("api/sessions", {"agent": "mc:worlds=1_000_000"}, "'mc': worlds must be at most 10000 at this table, got 1000000"),
    ("api/sessions", {"agent": "ismcts:iterations=10001"}, "iterations must be at most 10000 at this table"),
    ("api/sessions", {"agent": "champion:search=10001,threads=2"}, "search must be at most 10000 at this table"),
    ("api/sessions", {"day": "2026-11-21", "agent": "heuristic:search=10001"}, "search must be at most 10000"),
    ("api/sessions", {"agent": "mc:worlds=many"}, "worlds must be an integer, got 'many'"),
    ("api/sessions", {"match": "first_to:0"}, "match first_to:N: N must be an integer from 1 to 1000, got 0"),
    ("api/sessions", {"seat": 2}, "seat must be 0 or 1, got 2"),
    ("api/sessions", {"seed": -1}, "seed must be an integer from 0 to 2**64 - 1, got -1"),
    ("api/sessions", {"seed": True}, "body.seed must be `int | null`, got `bool`"),
    ("api/sessions", {"player": "me"}, "body: Object contains unknown field `player`"),
    ("api/sessions", [], "body must be `object`, got `array`"),
    ("api/recordings", {"recording": "x"}, "neither a recording"),
    ("api/recordings", {}, "body: Object missing required field `recording`"),
    ("api/lesson", {"step": 3}, "body: Object contains unknown field `step`"),
]


@pytest.mark.parametrize(("address", "body", "message"), BAD_BODIES)
def test_bad_requests_say_what_is_wrong(address: str, body: Any, message: str, client: TestClient) -> None:
    status, code, text = error(client.post(address, json=body))
    assert (status, code) == (400, "bad_request")
    assert message in text
    assert client.get("api/sessions").json()["sessions"] == []


def test_a_long_search_that_the_command_line_names_may_play(folder: Path) -> None:
    agent = "mc:worlds=10001"
    with TestClient(make_app(ServeOptions(agent=agent, rules="tiny"), folder, TOKEN), base_url=BASE) as client:
        for body in ({}, {"agent": agent}):
            assert client.post("api/sessions", json=body).json()["agent"]["spec"] == agent


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"version":1,"version":2}', '{"version":NaN}', '{"version":1e400}', "\x00", "[" * 9999]
)
def test_what_is_no_json_object_is_refused(text: str, table: Make, client: TestClient) -> None:
    made = table()
    answer = client.post(f"{made.address}/take-back", content=text, headers={"content-type": "application/json"})
    assert error(answer)[:2] == (400, "bad_request")
    assert client.get(made.address).json() == made.session


def test_bad_input_is_logged_with_the_place_where_it_was_found(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "german_whist.web.service")
    assert client.post("api/sessions", json={"rules": "clasic"}).status_code == 400
    (record,) = [one for one in caplog.records if one.name == "german_whist.web.service"]
    assert record.levelname == "INFO"
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ValueError)


def test_a_damaged_session_is_a_fault_of_the_server_and_new_games_begin(table: Make, folder: Path) -> None:
    made = table()
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as connection:
        connection.execute("UPDATE sessions SET rules = 'clasic'")
    with TestClient(make_app(ServeOptions(rules="small", agent="greedy"), folder, TOKEN), base_url=BASE) as other:
        status, code, message = error(other.get(made.address))
        assert (status, code) == (500, "server_error")
        assert message.startswith("The session cannot be read: ")
        assert other.get("api/sessions").json() == {"sessions": []}
        assert other.post("api/sessions", json={}).status_code == 201


def test_a_killed_server_loses_no_card(table: Make, client: TestClient, folder: Path) -> None:
    made = table(match="first_to:10")
    made.play(3)
    with TestClient(make_app(ServeOptions(), folder, TOKEN), base_url=BASE) as other:
        assert other.get(made.address).json() == made.session
        again = Table(other, made.session)
        again.play()
        assert other.get("api/statistics").json()["deals"] == 1


def test_a_server_stopped_while_the_agent_was_thinking_thinks_again(
    table: Make, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from german_whist.session.game_session import Session

    made = table(seat=1)

    def stopped(self: Session) -> None:
        raise RuntimeError("power failure")

    monkeypatch.setattr(Session, "reply", stopped)
    with pytest.raises(RuntimeError, match="power failure"):
        made.play(1)
    monkeypatch.undo()
    with TestClient(make_app(ServeOptions(), folder, TOKEN), base_url=BASE) as other:
        session = other.get(made.address).json()
        assert session["position"]["turn"] == "you"
        assert session["version"] > made.session["version"] + 1


def test_json_is_what_every_answer_is(table: Make, client: TestClient) -> None:
    made = table()
    for answer in (client.get(made.address), client.get("api/nothing"), client.put(made.address, json={})):
        assert answer.headers["content-type"] == "application/json"
        json.loads(answer.text, parse_constant=pytest.fail)
