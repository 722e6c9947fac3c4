"""Targets of the page: requests to its server, and its database."""

from __future__ import annotations

import os
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
from german_whist.session.database import NAME, NotReadError
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
        if not self.is_as(before):
            raise BrokenError(
                f"{method} {address!r:.80}: refused with {answer.status_code}, and yet it changed something"
            )
        return answer

    def is_as(self, before: Any) -> bool:
        """Return whether nothing has changed; a session that could not be saved has left the memory."""
        (rows, in_memory), (rows_before, in_memory_before) = self.state(), before
        return rows == rows_before and all(in_memory_before.get(key, one) == one for key, one in in_memory.items())

    def state(self) -> tuple[list[Any], dict[str, str]]:
        """Return all that is kept, in the database and in memory."""
        rows: list[Any] = []
        with suppress(NotReadError), self.service.database.read() as connection:  # it may be damaged
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


def damage_row(rng: Rng, path: Path, entry: Entry) -> None:
    """Change, remove or repeat one row of a session."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, suppress(sqlite3.IntegrityError):
        connection.execute("PRAGMA ignore_check_constraints = ON")
        table = TABLES[int(rng.integers(len(TABLES)))]
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        column, key = str(rng.choice(columns)), "id" if table == "sessions" else "session"
        where = f"FROM {table} WHERE {key} = ? ORDER BY rowid LIMIT 1"
        row = connection.execute(f"SELECT rowid, {column} {where}", (entry.id,)).fetchone()
        if row is None:
            return
        match int(rng.integers(6)):
            case 0:
                connection.execute(f"DELETE FROM {table} WHERE rowid = ?", row[:1])
            case 1:
                changed = ", ".join("number + 1" if name == "number" else name for name in columns)
                connection.execute(f"INSERT INTO {table} SELECT {changed} {where}", (entry.id,))
            case _:
                value = mutate_text(rng, row[1]) if isinstance(row[1], str) else mutate_json(rng, row[1])
                with suppress(sqlite3.Error, ValueError, OverflowError):  # which the types of the columns refuse
                    connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row[0]))


STATEMENTS = [
    "DROP TABLE {table}",
    "DELETE FROM {table}",
    "ALTER TABLE {table} RENAME TO {other}x",
    "ALTER TABLE {table} RENAME COLUMN {column} TO other",
    "ALTER TABLE {table} ADD COLUMN other TEXT",
    "UPDATE {table} SET {column} = (SELECT min({column}) FROM {table})",
    "CREATE INDEX other ON {table} ({column})",
    "CREATE VIEW other AS SELECT * FROM {table}",
    "CREATE TRIGGER other BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'one\ntwo'); END",
    "CREATE TRIGGER other AFTER UPDATE ON {table} BEGIN DELETE FROM {other}; END",
    "CREATE TRIGGER other AFTER UPDATE ON sessions BEGIN INSERT INTO deals WITH RECURSIVE n(x) AS "
    "(SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT old.id, x, '', 0, '', NULL, NULL, '', 0, NULL FROM n; END",
    "ALTER TABLE {table} RENAME TO a; CREATE VIEW {table} AS WITH RECURSIVE n(x) AS "
    "(SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT a.* FROM a, n ORDER BY x",
    "PRAGMA user_version = {number}",
    "PRAGMA journal_mode = {mode}",
    "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET {part} = {part} || 'x' WHERE name = '{table}'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = {number} WHERE name = '{table}'",
]


def damage_by_sql(rng: Rng, path: Path) -> None:
    """Run a statement, as another program might."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        table, other = (str(name) for name in rng.choice(TABLES, 2))
        words = {
            "table": table,
            "other": other,
            "column": str(rng.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])),
            "number": int(rng.choice([-1, 0, 1, 2, 3, 1000, 2**31 - 1])),
            "mode": str(rng.choice(["DELETE", "TRUNCATE", "PERSIST"])),
            "part": str(rng.choice(["type", "name", "tbl_name", "sql"])),
        }
        with suppress(sqlite3.Error):
            connection.executescript(STATEMENTS[int(rng.integers(len(STATEMENTS)))].format(**words))


def damage_files(rng: Rng, path: Path) -> None:
    """Change the file, or what a killed server left beside it, or put something else in its place."""
    beside = [path.with_name(f"{NAME}{end}") for end in ("", "-wal", "-shm", "-journal")]
    there = [one for one in beside if one.exists()]
    one = there[int(rng.integers(len(there)))]
    content = mutate_bytes(rng, one.read_bytes())
    match int(rng.integers(10)):
        case 0 | 1:
            one = beside[int(rng.integers(len(beside)))]
            one.unlink(missing_ok=True)
            which = int(rng.integers(4))
            if which == 0:
                one.mkdir()
            elif which == 1:
                os.mkfifo(one)
            elif which == 2:
                one.symlink_to("absent/absent")
        case 2:
            beside[int(rng.integers(len(beside)))].write_bytes(one.read_bytes())
        case 3:
            one.write_bytes(one.read_bytes()[: 512 * int(rng.integers(40))])  # at the end of a page
        case _:
            one.write_bytes(content)


def database(folder: Path) -> Case:
    """The database: what is damaged is refused or told, and a damaged row spoils no session but its own."""
    path, left = folder / "data" / NAME, folder / "left"

    def case(rng: Rng) -> None:
        shutil.rmtree(path.parent, ignore_errors=True)
        shutil.rmtree(left, ignore_errors=True)
        page = Page(path.parent)
        entries = [page.add(1, 1000), page.add(2, 1)]
        wanted = [page.ask("GET", f"api/sessions/{entry.id}").json() for entry in entries]
        is_killed = rng.random() < 0.5
        if is_killed:
            shutil.copytree(path.parent, left)
        page.service.database.close()
        if is_killed:  # what a server leaves that is killed: the last changes are in a file beside the database
            shutil.rmtree(path.parent)
            left.rename(path.parent)
        kind = int(rng.integers(3))
        if kind == 0:
            damage_row(rng, path, entries[0])
        elif kind == 1:
            damage_by_sql(rng, path)
        else:
            damage_files(rng, path)
        opened = refused_or(lambda: Page(path.parent))
        if opened is None:
            return
        for address in ("api/sessions", "api/statistics", "api/statistics/export"):
            opened.ask("GET", address, damaged=kind > 0)
        for entry, before in zip(entries, wanted, strict=True):
            damaged, address = kind > 0 or entry is entries[0], f"api/sessions/{entry.id}"
            found = opened.ask("GET", address, damaged=damaged)
            if not damaged and found.json() != before:
                raise BrokenError("another session is served otherwise")
            if found.status_code == 200:
                body = as_json({"version": found.json()["version"]}).encode()
                for name in ("take-back", "next"):
                    opened.ask("POST", f"{address}/{name}", body, damaged=damaged)
                opened.ask("GET", f"{address}/recording", damaged=damaged)
            if rng.random() < 0.5:
                opened.ask("DELETE", address, damaged=kind > 0)
        opened.ask("POST", "api/sessions", b"{}", damaged=kind > 0)
        opened.ask("DELETE", "api/statistics", damaged=kind > 0)
        opened.service.database.close()

    return case
