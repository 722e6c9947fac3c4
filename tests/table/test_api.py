"""What the page may ask: an agent's action and the worth of actions, from what a seat has seen and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from german_whist.agents.judge import advise
from german_whist.agents.registry import make_agent
from german_whist.game.actions import action_text
from german_whist.game.cards import cards_of
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.text.rules_text import rules_spec
from german_whist.table.api import Api
from german_whist.table.page_data import ServeOptions
from german_whist.table.server import make_app
from tests.presets import PRESETS
from tests.table.conftest import BASE, TOKEN

API = Api(ServeOptions())

Question = dict[str, Any]


def question(batch: DealBatch, agent: str | None = "heuristic", row: int = 0) -> Question:
    """What the page asks about the seat to act in a deal."""
    tokens, lengths = batch.history(rows=[row])
    spec = {} if agent is None else {"agent": agent}
    return {"rules": rules_spec(batch.rules), **spec, "history": tokens[0, : lengths[0]].tolist()}


def course(game: str, seed: int, steps: int = 1000) -> Iterator[DealBatch]:
    """A deal with random actions, before each of them."""
    batch, rng = DealBatch(game, 1, seed, history=True), np.random.default_rng(seed)
    while not batch.done[0] and steps:
        yield batch
        batch.step([int(rng.choice(list(cards_of(int(batch.legal()[0])))))])
        steps -= 1


@pytest.mark.parametrize("game", PRESETS)
def test_an_agent_plays_what_it_plays_at_any_other_table(game: str) -> None:
    agent = make_agent("heuristic", game)
    for seed in range(3):
        for batch in course(game, seed):
            played = action_text(int(agent.act(batch.decisions())[0]), batch.rules)
            assert API.act(question(batch)) == {"action": played}


@pytest.mark.parametrize("game", ["tiny", "humbug"])
def test_advice_is_that_of_the_judge(game: str) -> None:
    for batch in course(game, 5, steps=4):
        (wanted,) = advise(batch.decisions())
        found = API.advise(question(batch, None))
        assert found["actions"] == [action_text(action, batch.rules) for action in wanted.actions]
        assert (found["wins"], found["lost"], found["judge"]) == (wanted.wins, wanted.lost, wanted.judge)
        json.dumps(found, allow_nan=False)


def test_an_agent_with_a_network_judges_and_another_one_does_not() -> None:
    api = Api(ServeOptions("tiny", ("champion:search=4",)))
    (batch,) = course("tiny", 5, steps=1)
    found = api.advise(question(batch, "champion:search=4"))
    assert found["judge"] == "champion:search=4"
    network = make_agent("champion:temperature=1", "tiny")
    (chances,) = network.evaluate(batch.decisions(), "policy").policy
    played = {action_text(action, batch.rules): chances[action] for action in np.flatnonzero(chances)}
    assert dict(zip(found["actions"], found["policy"], strict=True)) == pytest.approx(played)
    assert api.advise(question(batch, None))["policy"] is None
    with pytest.raises(ValueError, match="greedy"):
        api.advise(question(batch, "greedy"))


def test_it_is_warm_once_its_agents_have_decided(tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(_BOTS, encoding="utf-8")
    specs = tuple(f"python:{tmp_path / 'bots.py'}:{name}" for name in ("Fails", "Plays"))
    api = Api(ServeOptions("tiny", specs))
    with TestClient(make_app(api, TOKEN), base_url=BASE) as client:
        assert client.get("api/warm").json() == {"warm": False}
        api.warm_up()
        assert client.get("api/warm").json() == {"warm": True}
    assert (tmp_path / "played").exists()


_BOTS = """
from pathlib import Path

class Fails:
    def act(self, decisions):
        raise RuntimeError("no card")

class Plays:
    def act(self, decisions):
        Path(__file__).with_name("played").touch()
        return decisions.action_masks.argmax(axis=1)
"""


@settings(max_examples=150, deadline=None)
@given(
    data=st.data(), seed=st.integers(0, 50), game=st.sampled_from(["tiny", "small", "draft", "open_stock", "humbug"])
)
def test_a_history_that_was_changed_is_refused_or_is_another_one_that_can_happen(
    data: st.DataObject, seed: int, game: str
) -> None:
    batches = course(game, seed, steps=data.draw(st.integers(1, 12)))
    *_, batch = batches
    asked = question(batch)
    row = data.draw(st.integers(0, len(asked["history"]) - 1))
    asked["history"][row][data.draw(st.integers(0, 3))] = data.draw(st.integers(-2, 130))
    with suppress(ValueError):  # the server answers it
        assert set(API.act(asked)) == {"action"}


def test_a_history_is_played_again_and_has_to_come_out_the_same() -> None:
    *_, batch = course("classic", 3, steps=6)
    asked = question(batch)
    tokens = asked["history"]
    played = next(row for row in reversed(tokens) if row[0] == 4)
    for spoiled in (
        [*tokens, played],  # a card played twice
        tokens[:-1],  # an event too few
        tokens[1:],  # no dealer
        [*tokens, [0, 0, 0, 0]],  # padding
        [[1, 3 - tokens[0][1], 0, 0], *tokens[1:]],  # the other dealer
    ):
        with pytest.raises(ValueError, match=r"^history"):
            API.act({**asked, "history": spoiled})
    every = list(course("tiny", 4))
    assert every[-1].done[0]
    with pytest.raises(ValueError, match="history: the seat is not to act after it"):
        API.act(question(every[-1]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agent": "python:os:abort"}, "agent: 'python:os:abort' is not offered here"),
        ({"agent": "checkpoint:/etc/passwd"}, "agent: 'checkpoint:/etc/passwd' is not offered here"),
        ({"agent": "mc:worlds=9999"}, "is not offered here"),
        ({"agent": 3}, "agent must be a specification, got 3"),
        ({"rules": None}, "rules must be a specification, got None"),
        ({"seed": 3}, "body must be an object with rules, agent, history"),
        ({"history": []}, "history must be 1 to "),
        ({"history": [[1, 1, 0, 0]] * 500}, "history must be 1 to "),
        ({"history": [[1, 1, 0]]}, "history must be 1 to "),
        ({"history": [[1, 1, 0, True]]}, "history: [1, 1, 0, True] is not an event of this game"),
        ({"history": "AAAA"}, "history must be 1 to "),
    ],
)
def test_what_is_not_offered_or_no_history_is_refused(change: Question, message: str, client: TestClient) -> None:
    (batch,) = course("tiny", 1, steps=1)
    answer = client.post("api/act", json={**question(batch), **change})
    assert answer.status_code == 400
    assert message in answer.json()["error"]


def test_a_body_that_is_no_json_is_refused(client: TestClient) -> None:
    for body in (b"", b"{", b"[1]", b"\xff", b'{"rules":NaN}', b'{"a":1,"a":2}'):
        answer = client.post("api/advise", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400
        assert "error" in answer.json()


def test_the_judge_of_the_page_answers_by_its_name() -> None:
    batch = DealBatch("tiny", history=True)
    answers = [API.advise(question(batch, "network")) for _ in range(2)]
    assert answers[0]["judge"] == "network"
    assert answers[0]["actions"] == answers[1]["actions"]
    assert answers[0]["wins"] == answers[1]["wins"]
