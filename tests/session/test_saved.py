"""Sessions in the database: as they were, one or none of them, and damaged rows refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from german_whist.session.database import NAME, Database
from german_whist.session.game_session import Session
from german_whist.session.saved import (
    NoSessionError,
    delete_session,
    insert_session,
    list_sessions,
    load_session,
    update_session,
)
from german_whist.web.session_json import session_json
from tests.session.playing import play, session


def insert(database: Database, identifier: str, made: Session) -> Session:
    with database.write() as connection:
        insert_session(connection, identifier, made)
    return made


def update(database: Database, identifier: str, made: Session) -> Session:
    with database.write() as connection:
        update_session(connection, identifier, made)
    return made


def test_every_change_of_a_match_is_saved_over_the_one_before(database: Database) -> None:
    made = insert(database, "one", session("tiny", match="first_to:3", seed=3))
    while not made.over:
        if made.deal.done:
            made.next_deal()
            made.reply()
        update(database, "one", play(made, 1))
        if made.can_take_back:
            made.take_back()
            update(database, "one", made)
            update(database, "one", play(made, 1))
        assert session_json(load_session(database, "one")) == session_json(made)
    assert len(made.finished) > 1


def test_any_seed_is_kept(database: Database) -> None:
    insert(database, "one", session("tiny", seed=2**64 - 1))
    assert load_session(database, "one").settings.seed == 2**64 - 1


def test_what_is_deleted_is_gone_for_good(database: Database) -> None:
    made = insert(database, "one", play(session("tiny")))
    other = insert(database, "two", session("tiny"))
    with database.write() as connection:
        delete_session(connection, "one")
    for act in (load_session, lambda *_: update(database, "one", made)):
        with pytest.raises(NoSessionError):
            act(database, "one")
    with pytest.raises(NoSessionError), database.write() as connection:
        delete_session(connection, "one")
    assert session_json(load_session(database, "two")) == session_json(other)
    with database.read() as connection:
        assert [row["session"] for row in connection.execute("SELECT session FROM deals")] == ["two"]


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("sessions", "rules", "clasic"),
        ("sessions", "kind", "game"),
        ("sessions", "match", "best_of:0"),
        ("sessions", "seed", "x"),
        ("sessions", "seed", "-1"),
        ("sessions", "seat", 2),
        ("sessions", "day", "yesterday"),
        ("deals", "deck", "SA"),
        ("deals", "dealer", 2),
        ("deals", "actions", "x"),
        ("deals", "actions", "SA SA"),
        ("deals", "actions", b"\xff"),
        ("deals", "ended", "2026-11-21"),
        ("deals", "session", "two"),
    ],
)
def test_a_damaged_session_is_refused_and_no_other(
    database: Database, tmp_path: Path, table: str, column: str, value: object, caplog: pytest.LogCaptureFixture
) -> None:
    insert(database, "one", session("small"))
    with closing(sqlite3.connect(tmp_path / NAME, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        new = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
        connection.execute(f"UPDATE {table} SET {column} = {new}", (value,))
    other = insert(database, "other", session("tiny"))
    with pytest.raises(ValueError, match=r"\w"):
        load_session(database, "one")
    assert session_json(load_session(database, "other")) == session_json(other)
    damaged = table == "sessions"
    assert {one.id for one in list_sessions(database, 9)} == ({"other"} if damaged else {"one", "other"})
    assert ("session one is left out: " in caplog.text) == damaged
