"""The database file: made for this user alone, refused in one line if it is not one, and changed as a whole."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from german_whist.session.database import NAME, VERSION, Database, NotReadError, NotSavedError
from german_whist.session.saved import insert_session, list_sessions, load_session
from german_whist.session.statistics import Rating, Statistics
from tests.session.playing import play, session


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def some_database(path: Path) -> None:
    with closing(Database(path)) as database, database.write() as connection:
        for number in range(30):
            insert_session(connection, f"session {number}", play(session("tiny", "greedy")))


def half_of_it(path: Path) -> None:
    some_database(path)
    os.truncate(path, path.stat().st_size // 2)


def another_version(path: Path) -> None:
    some_database(path)
    run(path, f"PRAGMA user_version = {VERSION + 1}")


def another_type(path: Path) -> None:
    some_database(path)
    run(path, "PRAGMA ignore_check_constraints = ON", "UPDATE deals SET dealer = 7")


def altered(*statements: str) -> Callable[[Path], None]:
    def alter(path: Path) -> None:
        some_database(path)
        run(path, *statements)

    return alter


ENDLESS = """CREATE VIEW counted_deals AS
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT other.* FROM other, n"""


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.write_text("{}" * 1000), "file is not a database; move it away to begin anew"),
        (
            lambda path: run(path, "CREATE TABLE mine (name TEXT)"),
            "version 0 of the file is not supported: only 1 and 2 are; move it away to begin anew",
        ),
        (another_version, "version 3 of the file is not supported: only 1 and 2 are; move it away to begin anew"),
        (half_of_it, "(database disk image is malformed|damaged: .*); move it away to begin anew"),
        (another_type, "damaged: CHECK constraint failed in deals; move it away to begin anew"),
        *(
            (altered(*statements), "damaged: its tables are not those of this program; move it away to begin anew")
            for statements in (
                ["DROP TABLE counted_matches"],
                ["ALTER TABLE deals RENAME COLUMN salt TO other"],
                ["CREATE TRIGGER other AFTER UPDATE ON sessions BEGIN DELETE FROM deals; END"],
                ["ALTER TABLE counted_deals RENAME TO other", ENDLESS],
            )
        ),
        (lambda path: path.mkdir(), "cannot be opened: unable to open database file"),
    ],
)
def test_what_is_no_such_database_is_refused_in_one_line_and_left_alone(
    damage: Callable[[Path], None], message: str, tmp_path: Path
) -> None:
    path = tmp_path / NAME
    damage(path)
    content = path.read_bytes() if path.is_file() else None
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}: {message}$"):
        Database(path)
    assert (path.read_bytes() if path.is_file() else None) == content


def test_tables_and_views_beside_its_own_do_not_matter(tmp_path: Path) -> None:
    altered("CREATE TABLE mine (name TEXT)", "CREATE VIEW wins AS SELECT * FROM counted_deals WHERE margin > 0")(
        tmp_path / NAME
    )
    with closing(Database(tmp_path / NAME)) as database:
        assert len(list_sessions(database, 100)) == 30


VERSION_1 = """
BEGIN;
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    rules TEXT NOT NULL,
    agent TEXT NOT NULL,
    match TEXT,
    day TEXT,
    seed TEXT NOT NULL, -- an INTEGER has a bit too few
    seat INTEGER NOT NULL,
    title TEXT NOT NULL,
    person TEXT NOT NULL,
    earlier_text TEXT,
    earlier_swapped INTEGER,
    version INTEGER NOT NULL,
    updated REAL NOT NULL, -- seconds since 1970
    finished INTEGER NOT NULL,
    in_play INTEGER NOT NULL
);
CREATE TABLE deals (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    deck TEXT NOT NULL,
    dealer INTEGER NOT NULL CHECK (dealer IN (0, 1)),
    actions TEXT NOT NULL,
    forfeit_seat INTEGER CHECK (forfeit_seat IN (0, 1)),
    forfeit_reason TEXT,
    salt TEXT NOT NULL,
    assisted INTEGER NOT NULL,
    ended TEXT,
    PRIMARY KEY (session, number)
);
CREATE TABLE counted_deals (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    deal INTEGER NOT NULL,
    time TEXT NOT NULL,
    rules TEXT NOT NULL,
    agent TEXT NOT NULL,
    margin INTEGER NOT NULL,
    points REAL NOT NULL,
    slam INTEGER NOT NULL,
    assisted INTEGER NOT NULL,
    day TEXT,
    accuracy REAL,
    luck REAL,
    UNIQUE (session, deal)
);
CREATE TABLE counted_matches (
    session TEXT PRIMARY KEY,
    rules TEXT NOT NULL,
    agent TEXT NOT NULL,
    match TEXT NOT NULL,
    won INTEGER NOT NULL,
    assisted INTEGER NOT NULL,
    time TEXT NOT NULL
);
PRAGMA user_version = 1;
COMMIT;
"""


def version_1(path: Path, *statements: str) -> None:
    """A file of version 1 with one counted deal."""
    deals = "id, session, deal, time, rules, agent, margin, points, slam, assisted, day, accuracy, luck"
    row = "7, 'one', 1, '2026-01-02T03:04:05+00:00', 'tiny', 'greedy', 2, 2.0, 1, 0, NULL, 97.5, 0"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1)
    run(path, f"INSERT INTO counted_deals ({deals}) VALUES ({row})", *statements)


def test_a_file_of_the_version_before_is_converted(tmp_path: Path) -> None:
    """It has another accuracy, of which nothing is kept; all else is."""
    path, made = tmp_path / NAME, play(session("tiny", "greedy"))
    version_1(path)
    for _ in range(2):  # the second time it is of this version
        with closing(Database(path)) as database:
            (group,) = Statistics(database).summary()["groups"]
            assert (group["deals"], group["won"], group["accuracy"]) == (1, 1, None)
            assert (group["luck"], group["skill"]) == (1, 1)
    with closing(Database(path)) as database:
        with database.write() as connection:
            insert_session(connection, "two", made)
        assert load_session(database, "two").deal.actions == made.deal.actions
        Statistics(database).rate("one", 1, Rating(0.5, 1.0))
        assert Statistics(database).summary()["groups"][0]["deals"] == 2


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("DROP TABLE counted_matches", "damaged: its tables are not those of this program"),
        ("DROP TABLE deals", "cannot be opened: no such table: deals"),
        ("CREATE TRIGGER other AFTER UPDATE ON sessions BEGIN DELETE FROM deals; END", "damaged: its tables"),
    ],
)
def test_a_damaged_file_of_the_version_before_is_refused_and_left_alone(
    statement: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / NAME
    version_1(path, statement)
    content = path.read_bytes()
    with pytest.raises(ValueError, match=re.escape(f"{path}: {message}")):
        Database(path)
    assert path.read_bytes() == content


def test_only_this_user_can_read_it(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        insert_session(connection, "one", session("tiny"))
    files = list(tmp_path.iterdir())
    assert {path.name for path in files} == {NAME, f"{NAME}-wal", f"{NAME}-shm"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)


def test_a_closed_one_is_a_single_file(tmp_path: Path) -> None:
    some_database(tmp_path / NAME)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_a_transaction_that_fails_leaves_nothing_and_does_not_stop_the_next(database: Database) -> None:
    def fail(statement: str) -> None:
        with database.write() as connection:
            insert_session(connection, "one", session("tiny"))
            connection.execute(statement)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail("DELETE FROM deals")
    with pytest.raises(NotSavedError, match="no such table"):
        fail("DELETE FROM mine")
    with database.write() as connection:
        insert_session(connection, "two", session("tiny"))
    with database.read() as connection:
        assert [row["id"] for row in connection.execute("SELECT id FROM sessions")] == ["two"]


def test_a_full_disk_is_said_and_what_is_saved_can_be_read(database: Database) -> None:
    with database.write() as connection:
        insert_session(connection, "one", session("tiny"))
    with database.read() as connection:
        connection.execute("PRAGMA max_page_count = 1")  # which SQLite raises to those there are

    def fill() -> None:
        with database.write() as connection:
            for number in range(100):
                insert_session(connection, f"another {number}", session("tiny"))

    with pytest.raises(NotSavedError, match=r"^database or disk is full$"):
        fill()
    assert [one.id for one in list_sessions(database, 9)] == ["one"]
    assert load_session(database, "one").settings.rules == "tiny"


def test_what_comes_after_the_end_is_an_error_that_is_not_logged(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    database.close()
    with pytest.raises(NotSavedError, match="closed"), database.write():
        pass
    with pytest.raises(NotReadError, match="closed"):
        load_session(database, "one")
    assert caplog.records == []
