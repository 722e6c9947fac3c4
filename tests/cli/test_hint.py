"""``german-whist hint``: the best card of a position that a player types."""

from __future__ import annotations

import json

from german_whist.solver.endgames import solve_endgame
from tests.cli.commands import Run

TRICK_4 = (  # of deal 7:0 between two heuristic bots
    *("753.KJ876.T2.AK9", "--up", "H5", "--led", "S6", "--trump", "H"),
    *("--mine", "A2...2", "--theirs", "K8...3", "--taken", ".3..", "--shown", ".6..", "--tricks", "1-2"),
    *("--dealer", "me"),
)
ENDGAME = ("AK4.T9..J", "--opponent", "J7.AK.Q.T", "--trump", "S")


def test_the_prize_is_worth_a_seven(run: Run) -> None:
    done = run("hint", *TRICK_4)
    assert done.code == 0
    assert done.out.startswith("stock 20, hearts are trumps, H5 face up, S6 led\n  you       ♠ 753")
    assert "Play S7 (by champion:search=256).\n" in done.out
    assert sum(line.startswith("  S") for line in done.out.splitlines()) == 3


def test_the_first_trick_needs_no_more_than_the_hand_and_the_card_turned_up(run: Run) -> None:
    report = json.loads(run("hint", "AQ2.K84.T953.J76", "--up", "H5", "--json").out)
    assert len(report["options"]) == 13
    assert not report["exact"]


def test_an_endgame_is_solved(run: Run) -> None:
    report = json.loads(run("hint", *ENDGAME, "--json").out)
    assert report["exact"]
    tricks = solve_endgame("AK4.T9..J", "J7.AK.Q.T", "S")
    assert report["options"][0]["tricks"] == tricks
    ahead = json.loads(run("hint", *ENDGAME, "--tricks", "5-2", "--json").out)
    assert ahead["options"][0]["tricks"] == tricks + 5
    led = json.loads(run("hint", "AK4.T9..J", "--opponent", "J7.AK.Q.T", "--trump", "S", "--led", "HA", "--json").out)
    assert {option["action"] for option in led["options"]} == {"HT", "H9"}
