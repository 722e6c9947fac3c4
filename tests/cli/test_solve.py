"""``german-whist solve``."""

from __future__ import annotations

import json

import pytest

from german_whist.solver.endgames import solve_endgame
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
    assert report["tricks"] == solve_endgame(*HANDS, trump, low=low, led=led)
    taken = [trick["taken_by"] for trick in report["line"]]
    assert (taken.count("leader"), len(taken)) == (report["tricks"], 9)
    best = (min if low else max)(report["cards"].values())
    assert best == (report["tricks"] if report["to_play"] == "leader" else 9 - report["tricks"])
    if led:
        assert report["to_play"] == "follower"
        assert report["line"][0]["led"] == led
