"""Reviews, shared deals and other ways to play a deal, through the API."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from german_whist.cli import main
from german_whist.evaluation.recording import Recording
from german_whist.session.shared_deals import MAX_DEALS
from tests.web.conftest import Table
from tests.web.test_api import Make, error


def test_reviews_feed_the_statistics(table: Make, client: TestClient) -> None:
    client.app.application.state.service.rater.close()  # type: ignore[attr-defined]
    made = table(rules="tiny")
    made.play()
    assert client.get("api/statistics").json()["groups"][0]["luck"] is None
    review = client.get(f"{made.address}/review").json()
    assert review["deal"] == 1
    assert client.get(f"{made.address}/review?deal=1").json() == review
    statistics = client.get("api/statistics").json()
    assert statistics["groups"][0]["luck"] == review["par"]["tricks"]["you"]
    assert statistics["recent"][0]["accuracy"] == review["accuracy"]["you"]
    exported = client.get("api/statistics/export")
    assert "attachment" in exported.headers["content-disposition"]
    assert len(exported.json()["deals"]) == 1
    assert client.delete("api/statistics").json() == {}
    assert client.get("api/statistics").json()["deals"] == 0
    assert error(client.get(f"{made.address}/review?deal=2"))[0] == 404


def test_a_deal_is_shared_and_opened_again(table: Make, client: TestClient) -> None:
    made = table(rules="tiny", seat=0)
    made.play()
    shared = client.get(f"{made.address}/recording").json()
    assert Recording.from_line(shared["recording"]).deal is None
    for text in shared.values():
        answer = client.post("api/recordings", json={"recording": text})
        assert answer.status_code == 201
        opened = Table(client, answer.json())
        assert opened.session["kind"] == "recording"
        assert opened.session["position"]["result"] == made.session["position"]["result"]
        reviews = [client.get(f"{one.address}/review").json() for one in (opened, made)]
        assert reviews[0]["moves"] == reviews[1]["moves"]
        assert error(client.post(f"{opened.address}/next", json={"version": opened.session["version"]}))[0] == 409


def test_the_command_line_reviews_a_shared_deal_as_the_page_does(
    table: Make, client: TestClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = table(rules="tiny", seat=1)
    made.play()
    page = client.get(f"{made.address}/review").json()
    path = tmp_path / "deal.jsonl"
    path.write_text(client.get(f"{made.address}/recording").json()["recording"])
    assert main(["review", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(page) - set(found) == {"deal", "rules", "agent"}
    assert {name: page[name] for name in found} == found


def test_a_game_that_is_shared_can_be_opened(table: Make, client: TestClient) -> None:
    made = table(rules="draft", seat=0, agent="heuristic+exact")
    made.play()
    with client.app.application.state.service.store.open(made.session["id"]) as entry:  # type: ignore[attr-defined]
        finished = entry.session.finished
        finished += finished * (MAX_DEALS - 1)
    shared = client.get(f"{made.address}/recording").json()
    for text in shared.values():
        answer = client.post("api/recordings", json={"recording": text})
        assert len(answer.json()["deals"]) == MAX_DEALS
    finished.append(finished[0])
    status, code, message = error(client.get(f"{made.address}/recording"))
    assert (status, code) == (400, "bad_request")
    assert message == "A game of 101 deals cannot be shared as one, 100 are the most: share single deals."
    assert client.get(f"{made.address}/recording?deal=101").status_code == 200


def test_another_card_the_other_side_and_the_agent_at_work(table: Make, client: TestClient) -> None:
    made = table(rules="small", seat=0)
    made.play()
    moves = client.get(f"{made.address}/review").json()["moves"]
    move = next(move for move in moves if move["by"] == "you" and len(move["options"]) > 1)
    other = next(option["action"] for option in move["options"] if option["action"] != move["action"])
    tried = client.post(f"{made.address}/try", json={"deal": 1, "move": move["number"], "action": other})
    assert tried.status_code == 201
    assert tried.json()["kind"] == "practice"
    assert Table(client, tried.json()).play()["position"]["result"]
    swapped = client.post(f"{made.address}/swap", json={})
    assert swapped.json()["deal"]["seat"] == 1
    seen = client.post(f"{made.address}/watch", json={"deal": 1}).json()
    assert Recording.from_line(seen["recording"]).replay()
    assert client.get("api/statistics").json()["deals"] == 1


def test_the_memory_quiz_is_answered_once(table: Make, client: TestClient) -> None:
    made = table(rules="small", seat=0)
    while not made.session["can"]["recall"]:
        assert made.session["recall"] is None
        made.play(1)
    count = made.session["position"]["opponent"]["cards"]
    own = {card["card"] for card in made.session["position"]["hand"]}
    others = [suit + rank for suit in "CDHS" for rank in "89TJQKA" if suit + rank not in own]
    version = made.session["version"]
    for cards, words in ((others[: count - 1], f"{count} different cards"), (["XX"], "'XX' is not a card")):
        refused = client.post(f"{made.address}/recall", json={"version": version, "cards": cards})
        assert error(refused)[0] == 400
        assert words in error(refused)[2]
    answered = made.post("recall", cards=others[:count])
    assert not answered["can"]["recall"]
    assert answered["recall"]["held"] == count
    assert answered["recall"]["cards"] is None
    made.play()
    named = [one["card"] for one in made.session["recall"]["cards"] if one["recalled"]]
    assert sorted(named) == sorted(others[:count])
    assert client.get("api/statistics").json()["memory"]["deals"] == 1


def test_the_best_line_of_an_endgame_can_be_watched(table: Make, client: TestClient) -> None:
    made = table(rules="small", seat=0, agent="random", seed=4)
    made.play()
    moves = client.get(f"{made.address}/review").json()["moves"]
    (move, *_) = [move for move in moves if move["line"]]
    seen = client.post(f"{made.address}/watch", json={"move": move["number"]}).json()
    assert [one["action"] for one in seen["moves"]] == move["line"]
    assert seen["moves"][0]["number"] == move["number"]
    assert len(seen["positions"]) == len(seen["moves"]) + 1
    assert seen["title"] == "Perfect play"
    assert seen["moves"][0]["yours"] == move["action"]
    for number in (0, 1, 999):
        refused = client.post(f"{made.address}/watch", json={"move": number})
        assert error(refused)[2] == f"move {number} is not one at which both hands are known"


def test_practice_knows_the_way_back(table: Make, client: TestClient) -> None:
    made = table(rules="small", seat=0)
    made.play()
    moves = client.get(f"{made.address}/review").json()["moves"]
    move = next(move for move in moves if move["by"] == "you")
    tried = client.post(f"{made.address}/try", json={"move": move["number"], "action": move["action"]}).json()
    swapped = client.post(f"{made.address}/swap", json={}).json()
    for one, number in ((tried, move["number"]), (swapped, None)):
        again = client.get(f"api/sessions/{one['id']}").json()
        assert again["earlier"] == one["earlier"]
        assert (one["earlier"]["session"], one["earlier"]["deal"]) == (made.session["id"], 1)
        assert one["earlier"]["move"] == number


def test_the_agent_at_work_on_an_earlier_deal_has_the_trumps_of_that_deal(table: Make, client: TestClient) -> None:
    made = table(rules="tiny", seat=0, seed=1)
    trumps = []
    for number in (1, 2, 3):
        trumps.append(made.play()["position"]["trump"])
        assert client.post(f"{made.address}/watch", json={"deal": number}).json()["trump"] == trumps[-1]
        made.post("next")
    assert len(set(trumps)) > 1
    seen = [client.post(f"{made.address}/watch", json={"deal": number}).json() for number in (1, 2, 3)]
    assert [one["trump"] for one in seen] == trumps
    text = client.get(f"{made.address}/recording?deal=1").json()["recording"].replace('"greedy"', '"Ann"')
    opened = client.post("api/recordings", json={"recording": text}).json()
    assert opened["agent"]["title"] == "Ann"
    seen = client.post(f"api/sessions/{opened['id']}/watch", json={}).json()
    assert seen["title"] == "Textbook, perfect endgame"  # it plays where Ann did
