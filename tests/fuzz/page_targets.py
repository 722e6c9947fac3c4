"""The target of the page: requests to its server."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.testclient import TestClient

from german_whist.cli import MAX_ERROR
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.cards import cards_of
from german_whist.session.shared_deals import code_of
from german_whist.session.warm_up import warm_up
from german_whist.web.app import make_app
from german_whist.web.service import ServeOptions, Service
from german_whist.web.session_json import session_json
from german_whist.web.store import Entry
from tests.fuzz.contract import BrokenError, limits
from tests.fuzz.mutations import HOSTILE_VALUES, HOSTILE_WORDS, Rng, as_json, mutate_bytes, mutate_json, mutate_text
from tests.session.playing import play, session

Case = Callable[[Rng], None]
Request = tuple[str, str, dict[str, Any] | None]  # method, address, body

TOKEN = "t" * 22
BASE = f"http://127.0.0.1:8917/{TOKEN}/"
JSON = {"content-type": "application/json"}
HEADERS = ["content-type", "content-length", "host", "origin", "range", "accept-encoding", "cookie"]
TABLES = ["sessions", "deals", "counted_deals", "counted_matches"]
METHODS = ["GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"]


class Page:
    """A server without a network, with a session in play and a finished one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        app = make_app(ServeOptions(rules="tiny", agent="greedy"), folder, TOKEN)
        self.client = TestClient(app, base_url=BASE, raise_server_exceptions=False)
        self.service: Service = app.application.state.service

    def add(self, seed: int, actions: int) -> Entry:
        entry = self.service.store.add(play(session("tiny", "greedy", seed=seed), actions))
        self.service.save(entry)
        return entry

    def ask(self, method: str, address: str, body: bytes | None, headers: dict[str, str]) -> None:
        """Require an answer that keeps the contract: a result, or an error of one line that changes nothing."""
        before = self.state()
        with limits():
            path = quote(address.lstrip("/"), safe="/?=&%.")
            answer = self.client.request(method, path, content=body, headers=headers, follow_redirects=False)
        if answer.status_code < 400:
            return
        said = f"{method} {address!r:.80}: status {answer.status_code}: {answer.text:.200}"
        # The files of the page are served by Starlette, which refuses a range of bytes in plain text.
        message = answer.json()["error"]["message"] if address.startswith("api/") else answer.text
        if answer.status_code >= 500 or not message or "\n" in message or len(message) > MAX_ERROR:
            raise BrokenError(said)
        if self.state() != before:
            raise BrokenError(f"{said}, and yet it changed something")

    def state(self) -> tuple[list[Any], dict[str, str]]:
        """Return all that is kept, in the database and in memory."""
        with self.service.database.read() as connection:
            rows = [[tuple(row) for row in connection.execute(f"SELECT * FROM {table}")] for table in TABLES]
        entries = self.service.store._entries.values()
        return rows, {entry.id: as_json(session_json(entry.session)) for entry in entries}


def known_requests(playing: Entry, finished: Entry) -> list[Request]:
    """Return requests that the page sends."""
    version, deal = {"version": playing.session.version}, playing.session.deal
    word = action_text(next(cards_of(deal.legal)), deal.rules)
    here, there = f"api/sessions/{playing.id}", f"api/sessions/{finished.id}"
    line = finished.session.recording(0).to_line()
    turn = 1 + next(step for step in range(9) if finished.session.deal.actor(step) == finished.session.seat)
    return [
        *(("GET", address, None) for address in ("", "static/js/main.js", "api/catalog", "api/sessions", here, there)),
        *(("GET", f"api/statistics{rest}", None) for rest in ("", "/export")),
        ("POST", "api/sessions", {"rules": "tiny", "agent": "greedy", "match": "best_of:3", "seed": 1, "seat": 1}),
        ("POST", "api/sessions", {"agent": "greedy", "day": "2026-11-21"}),
        *(("POST", "api/lesson", {}), ("DELETE", here, None), ("DELETE", "api/statistics", None)),
        ("POST", f"{here}/action", {**version, "action": word}),
        *(("POST", f"{here}/{name}", version) for name in ("take-back", "hint")),
        ("POST", f"{there}/next", {"version": finished.session.version}),
        *(("GET", f"{there}/{name}?deal=1", None) for name in ("review", "recording")),
        *(("POST", f"{there}/{name}", {"deal": 1}) for name in ("swap", "watch")),
        ("POST", f"{there}/try", {"deal": 1, "move": turn, "action": word}),
        *(("POST", "api/recordings", {"recording": text, "seat": 0}) for text in (line, code_of(line))),
    ]


def mutate_request(rng: Rng, request: Request) -> tuple[str, str, bytes | None, dict[str, str]]:
    """Mutate the method, the address, a header or the body."""
    method, address, body = request
    headers = dict(JSON)
    content = None if body is None else as_json(body).encode()
    match int(rng.integers(8)):
        case 0:
            method = str(rng.choice(METHODS))
        case 1:
            address = mutate_text(rng, address)
        case 2:
            word = HOSTILE_WORDS[int(rng.integers(len(HOSTILE_WORDS)))]
            address = f"{address.partition('=')[0]}={word}" if "=" in address else f"{address}/{word}"
        case 3:
            value = HOSTILE_VALUES[int(rng.integers(len(HOSTILE_VALUES)))]
            headers[str(rng.choice(HEADERS))] = str(as_json(value))[:6000]
        case 4 if content is not None:
            content = mutate_bytes(rng, content)
        case 5:
            content = as_json(HOSTILE_VALUES[int(rng.integers(len(HOSTILE_VALUES)))]).encode()
        case _ if body:
            content = as_json(mutate_json(rng, body)).encode()
    return method, address, content, headers


def requests(folder: Path) -> Case:
    """Requests: answered, or refused with a status from 400 to 499 and one line, and nothing has changed."""
    data = folder / "data"
    warm_up("tiny", "greedy")  # what is compiled once counts for no case

    def case(rng: Rng) -> None:
        shutil.rmtree(data, ignore_errors=True)
        page = Page(data)
        known = known_requests(page.add(1, 1), page.add(2, 1000))
        for _ in range(3):
            page.ask(*mutate_request(rng, known[int(rng.integers(len(known)))]))
        page.service.database.close()  # afterwards it would delete a file of the next one

    return case
