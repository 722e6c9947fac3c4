"""Targets of the page: requests to its server, and its database."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.testclient import TestClient

from german_whist.cli import MAX_ERROR
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.cards import cards_of
from german_whist.session.database import NAME
from german_whist.session.shared_deals import code_of
from german_whist.session.warm_up import warm_up
from german_whist.web.app import make_app
from german_whist.web.service import ServeOptions, Service
from german_whist.web.session_json import session_json
from german_whist.web.store import Entry
from tests.fuzz.contract import BrokenError, limits, refused_or
from tests.fuzz.mutations import HOSTILE_VALUES, HOSTILE_WORDS, Rng, as_json, mutate_bytes, mutate_json, mutate_text
from tests.session.playing import play, session

Case = Callable[[Rng], None]
Request = tuple[str, str, dict[str, Any] | None]  # method, address, body

TOKEN = "t" * 22
BASE = f"http://127.0.0.1:8917/{TOKEN}/"
JSON = {"content-type": "application/json"}
HEADERS = ["content-type", "content-length", "host", "origin", "range", "accept-encoding", "cookie"]
UNUSABLE = ("The session cannot be read: ", "The saved games cannot be read: ", "This cannot be saved, ")
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

    def ask(
        self,
        method: str,
        address: str,
        body: bytes | None = None,
        headers: dict[str, str] = JSON,
        *,
        damaged: bool = False,
    ) -> Any:
        """Return the answer if it keeps the contract: a result, or an error of one line that changes nothing.

        Only what is damaged may be answered with a status of 500 or more, and the message has to say so.
        """
        before = self.state()
        with limits():
            answer = self.client.request(
                method, quote(address.lstrip("/"), safe="/?=&%."), content=body, headers=headers, follow_redirects=False
            )
        if answer.status_code < 400:
            return answer
        said = any(f'"message":"{words}' in answer.text for words in UNUSABLE)
        if answer.status_code >= 500 and not (damaged and said):
            raise BrokenError(f"{method} {address!r:.80}: status {answer.status_code}: {answer.text:.200}")
        # The files of the page are served by Starlette, which refuses a range of bytes in plain text.
        message = answer.json()["error"]["message"] if address.startswith("api/") else answer.text
        if not message or "\n" in message or len(message) > MAX_ERROR:
            raise BrokenError(f"{method} {address!r:.80}: an error of {len(message)} characters: {message!r:.200}")
        if self.state() != before:
            raise BrokenError(
                f"{method} {address!r:.80}: refused with {answer.status_code}, and yet it changed something"
            )
        return answer

    def state(self) -> Any:
        """Return all that is kept, in the database and in memory."""
        rows: list[Any] = []
        with suppress(sqlite3.Error), self.service.database.read() as connection:  # it may be damaged
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


def database(folder: Path) -> Case:
    """The database: damaged bytes are refused or told, and a damaged row spoils no session but its own."""
    path = folder / "data" / NAME

    def damage_row(rng: Rng, entry: Entry) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            table = TABLES[int(rng.integers(3))]
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            column, key = str(rng.choice(columns)), "id" if table == "sessions" else "session"
            (old,) = connection.execute(f"SELECT {column} FROM {table} WHERE {key} = ?", (entry.id,)).fetchone()
            value = mutate_text(rng, old) if isinstance(old, str) else mutate_json(rng, old)
            with suppress(sqlite3.Error, ValueError, OverflowError):  # which the types of the columns refuse
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (value, entry.id))

    def case(rng: Rng) -> None:
        shutil.rmtree(path.parent, ignore_errors=True)
        page = Page(path.parent)
        entries = [page.add(1, 1000), page.add(2, 1)]
        wanted = [page.ask("GET", f"api/sessions/{entry.id}").json() for entry in entries]
        page.service.database.close()
        spoils_all = rng.random() < 0.5
        if spoils_all:
            path.write_bytes(mutate_bytes(rng, path.read_bytes()))
        else:
            damage_row(rng, entries[0])
        opened = refused_or(lambda: Page(path.parent))
        if opened is None:
            return
        for address in ("api/sessions", "api/statistics", "api/statistics/export"):
            opened.ask("GET", address, damaged=spoils_all)
        for entry, before in zip(entries, wanted, strict=True):
            damaged = spoils_all or entry is entries[0]
            found = opened.ask("GET", f"api/sessions/{entry.id}", damaged=damaged)
            if not damaged and found.json() != before:
                raise BrokenError("another session is served otherwise")
            if found.status_code == 200:
                body = as_json({"version": found.json()["version"]}).encode()
                for name in ("take-back", "next"):
                    opened.ask("POST", f"api/sessions/{entry.id}/{name}", body, damaged=damaged)
                opened.ask("GET", f"api/sessions/{entry.id}/recording", damaged=damaged)
        opened.service.database.close()

    return case
