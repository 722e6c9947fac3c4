"""Not one byte that the page gets before the deal ends depends on cards that the person's seat has not seen."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.session.coach.hints import hint
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.game_session import Session
from german_whist.session.settings import Settings
from german_whist.web import handlers
from german_whist.web.app import make_app
from german_whist.web.service import ServeOptions
from tests.redeal import Redeal
from tests.session.playing import Script
from tests.web.conftest import BASE, TOKEN

DEALS = 2


def answers(
    folder: Path, seed: int, game: str, deck: list[int], dealer: int, seat: int, actions: list[int]
) -> list[str]:
    """Everything that the page gets while these actions are played, without what is random: id and commitment."""
    app = make_app(ServeOptions(seed=seed), folder, TOKEN)
    made = rules(game)
    course = TableDeal(made, deck, dealer, actions)
    script = Script(action for step, action in enumerate(actions) if course.actor(step) != seat)
    session = Session(Settings(rules=game, agent="random", seat=seat), script, TableDeal(made, deck, dealer))
    found = []
    # Compressed, the length of an answer would depend on what is random in it.
    with TestClient(app, base_url=BASE, headers={"accept-encoding": "identity"}) as client:
        entry = app.application.state.service.store.add(session)
        masks = {entry.id: "ID", session.commitment: "COMMITMENT"}

        def keep(answer: Response) -> None:
            text = f"{answer.status_code} {sorted(answer.headers.items())} {answer.text}"
            for random, mask in masks.items():
                text = text.replace(random, mask)
            found.append(re.sub(r'"updated":"[^"]*"', "UPDATED", text))

        def keep_refusal(answer: Response) -> None:
            assert answer.status_code in {400, 404}, answer.text
            keep(answer)

        address = f"api/sessions/{entry.id}"
        keep(client.get("api/catalog"))
        keep(client.get(address))
        for step, action in enumerate(actions):
            if course.actor(step) != seat:
                continue
            keep(client.post(f"{address}/hint", json={"version": session.version}))
            body = {"version": session.version, "action": action_text(action, made)}
            keep(client.post(f"{address}/action", json=body))
        assert session.deal.actions == actions
        keep_refusal(client.post(f"{address}/action", json={"version": session.version, "action": "SZ"}))
        keep(client.post(f"{address}/take-back", json={"version": session.version}))
        for path in ("review", "recording", "review?deal=1"):
            keep_refusal(client.get(f"{address}/{path}"))
        for path, body in (("watch", {}), ("swap", {}), ("try", {"move": 1, "action": action_text(actions[0], made)})):
            for deal in ({}, {"deal": 1}):
                keep_refusal(client.post(f"{address}/{path}", json={**body, **deal}))
        keep(client.get("api/sessions"))
        keep(client.get("api/statistics"))
    return found


def likes(game: str, seat: int) -> tuple[list[list[int]], int, list[int]]:
    """Decks that a seat cannot tell apart, the dealer, and actions up to a decision of that seat."""
    for seed in range(20):
        redeal = Redeal(game, seed=seed, seat=seat, steps=min(12, rules(game).hand))
        dealer, actions = int(redeal.course.states["dealer"][0]), redeal.actions
        decks = redeal.others.states["deck"][:, : len(redeal.course.rules.cards)].tolist()
        different = [list(deck) for deck in dict.fromkeys(map(tuple, decks))][:DEALS]
        course = TableDeal(redeal.course.rules, decks[0], dealer, actions)
        while actions and course.turn != seat:  # the script of the agent ends there
            actions = actions[:-1]
            course.go_back(len(actions))
        if len(different) > 1 and actions:
            return different, dealer, actions
    raise AssertionError("no deals that the seat cannot tell apart")


@pytest.mark.parametrize(("seat", "game"), [(place % 2, game) for place, game in enumerate(rule_names())])
def test_the_page_gets_the_same_bytes_whatever_the_hidden_cards(
    seat: int, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "hint", partial(hint, worlds=3))
    decks, dealer, actions = likes(game, seat)
    found = [
        answers(tmp_path / str(place), place, game, deck, dealer, seat, actions)  # the seed would tell the deck
        for place, deck in enumerate(decks)
    ]
    assert len({len(texts) for texts in found}) == 1
    assert len(found[0]) > 8
    for texts in found[1:]:
        for mine, other in zip(found[0], texts, strict=True):
            assert mine == other
