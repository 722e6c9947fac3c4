"""Bots in other processes at the table: a deal that such a bot forfeits, and one that cannot be started."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from german_whist.session.opponent import agent_named
from german_whist.web.app import make_app
from german_whist.web.service import ServeOptions
from tests.web.conftest import BASE, TOKEN, Table

READY = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif len(message["view"]["hand"]) < 6:
        sys.exit(3)
    else:
        print(json.dumps({"id": message["id"], "action": message["view"]["legal"][0]}), flush=True)
"""


def served(folder: Path, agent: str) -> TestClient:
    return TestClient(make_app(ServeOptions(agent=agent, rules="small"), folder, TOKEN), base_url=BASE)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_that_crashes_loses_the_deal_and_the_page_is_told(seat: int, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(READY, encoding="utf-8")
    spec = f"process:{shlex.join([sys.executable, str(path)])}"
    with served(folder, spec) as client:
        made = Table(client, client.post("api/sessions", json={"seed": 2, "seat": seat}).json())
        made.play()
        text = made.session["position"]["result"]["text"]
        assert text == f"You win: {spec} forfeits the deal (crash: it ended with exit code 3)"
        assert made.session["events"][-1]["text"] == f"{text}."
        review = client.get(f"{made.address}/review")
        assert (review.status_code, review.json()["result"]["winner"]) == (200, "you")
        refused = (
            client.get(f"{made.address}/recording"),
            client.get(f"{made.address}/recording?deal=1"),
            client.post(f"{made.address}/watch", json={"deal": 1}),
        )
        for answer in refused:
            assert answer.status_code == 400
            assert "forfeited" in answer.json()["error"]["message"]
        assert made.post("next")["deal"]["number"] == 2
        assert client.get(made.address).json() == made.session
    with served(folder, "greedy") as client:  # as after a restart
        assert client.get(made.address).json()["deals"][0]["text"] == text


@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_that_cannot_be_started_is_said_and_leaves_no_session(seat: int, folder: Path) -> None:
    with served(folder, "process:no-such-program") as client:
        answer = client.post("api/sessions", json={"seat": seat})
        assert answer.status_code == 400
        assert "'no-such-program' cannot be started" in answer.json()["error"]["message"]
        assert client.get("api/sessions").json()["sessions"] == []


def test_a_bot_that_can_no_longer_be_started_loses_the_deal_and_the_card_is_kept(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(READY, encoding="utf-8")
    spec = f"process:{shlex.join([sys.executable, str(path)])}"
    with served(folder, spec) as client:
        made = Table(client, client.post("api/sessions", json={"seed": 2, "seat": 1}).json())
    path.unlink()
    agent_named.cache_clear()
    with served(folder, spec) as client:  # as after a restart
        made.client = client
        card = made.session["position"]["decision"]["actions"][0]["action"]
        shown = made.post("action", action=card)
        assert shown["position"]["played"]["you"] == [card]
        assert shown["position"]["result"]["winner"] == "you"
        assert "no start: crash: it ended with exit code 2" in shown["position"]["result"]["text"]
        assert shown["can"]["next"]
        assert client.get(made.address).json() == shown
        assert made.post("next")["deal"]["number"] == 2
        assert made.session["position"]["result"]["winner"] == "you"  # it leads the second deal
