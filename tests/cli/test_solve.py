"""``german-whist solve`` and ``german-whist table``."""

from __future__ import annotations

import json

import pytest

from german_whist.envs.utils.files import CACHE_VARIABLE
from german_whist.solver.endgames import solve_endgame
from german_whist.solver.tablebase.build import build_table
from german_whist.solver.tablebase.kinds import KINDS, table_path
from tests.cli.commands import Run

HANDS = "AKQ2.T98..J4", "J7.AK2.Q5.T8"


def test_value_cards_and_principal_variation_are_printed(run: Run) -> None:
    completed = run("solve", *HANDS, "--trump", "S")
    assert completed.code == 0
    assert "Endgame of 9 cards a hand, trumps ♠, the most tricks win" in completed.out
    assert "With perfect play the leader takes 6 of 9, the follower 3." in completed.out
    assert "   5  ♠2" in completed.out
    assert [line.split()[0] for line in completed.out.splitlines()[-9:]] == list("123456789")
    assert completed.out.splitlines()[-1].endswith("6-3")


@pytest.mark.parametrize("words", [(), ("--trump", "h"), ("--low",), ("--trump", "D", "--low", "--led", "HT")])
def test_json_holds_the_same_and_the_line_keeps_to_the_value(run: Run, words: tuple[str, ...]) -> None:
    report = json.loads(run("solve", *HANDS, *words, "--json").out)
    low, led = "--low" in words, report["led"]
    trump = words[words.index("--trump") + 1].upper() if "--trump" in words else None
    assert report["trump"] == trump
    assert report["tricks"] == solve_endgame(*HANDS, trump, low, led)
    taken = [trick["taken_by"] for trick in report["line"]]
    assert (taken.count("leader"), len(taken)) == (report["tricks"], 9)
    best = (min if low else max)(report["cards"].values())
    assert best == (report["tricks"] if report["to_play"] == "leader" else 9 - report["tricks"])
    if led:
        assert report["to_play"] == "follower"
        assert report["line"][0]["led"] == led


@pytest.fixture
def empty(here, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(here / "tables"))
    return here / "tables"


def test_tables_are_built_listed_and_verified(run: Run, empty) -> None:
    assert "no tables" in run("table", "info").out
    assert run("table", "verify").code == 0
    built = run("table", "build", "--cards", "4", "--kind", "notrump-low")
    assert built.out.startswith("notrump-low, up to 4 cards a hand, 0.0 MB, built in ")
    assert str(empty / "notrump-low-4.table") in built.out
    assert "exists already" in run("table", "build", "--cards", "4", "--kind", "notrump-low").out
    listed = json.loads(run("table", "info", "--json").out)
    assert [(table["kind"], table["cards"]) for table in listed["tables"]] == [("notrump-low", 4)]
    assert run("table", "verify").out == "notrump-low-4.table: checksum OK\n"
    assert json.loads(run("table", "verify", "--json").out) == {"verified": ["notrump-low-4.table"]}


def test_tables_of_every_kind_are_listed(run: Run, empty) -> None:
    for kind in KINDS.values():
        build_table(kind, 4)
    lines = run("table", "info").out.splitlines()
    assert [line.split(",")[0].strip() for line in lines[1:]] == list(KINDS)
    assert all("up to 4 cards" in line for line in lines[1:])


def test_a_damaged_table_is_reported_in_one_line(run: Run, empty) -> None:
    run("table", "build", "--cards", "3")
    path = table_path(KINDS["trump-high"], 3)
    path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    for words in (("table", "verify"), ("table", "build", "--cards", "3")):
        completed = run(*words)
        assert completed.code == 2
        assert "is damaged: its checksum is wrong" in completed.err
        assert completed.err.count("\n") == 1


def test_a_folder_that_is_a_file_is_reported_in_one_line(run: Run, here, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(here / "file"))
    completed = run("table", "build", "--cards", "3")
    assert completed.code == 2
    assert "the endgame table cannot be written to" in completed.err
    assert completed.err.count("\n") == 1


def test_without_a_folder_for_tables_endgames_are_solved_in_memory(
    run: Run, here, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(here / "file"))
    completed = run("solve", "A...", "2...")
    assert (completed.code, completed.err.count("\n")) == (0, 1)
    assert "cannot be written to" in completed.err
    assert "is built in memory" in completed.err
