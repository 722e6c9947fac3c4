"""Mistakes come back for practice, by a calendar that the tests set."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from german_whist.table.page_data import page_constants
from tests.table.node import needs_node

PAGE = Path(__file__).parents[2] / "table/page"
PRACTICE, CONSTANTS = PAGE / "game/practice.js", PAGE / "engine/constants.js"
CALL = """
const [practice, constants, json, name, calls] = process.argv.slice(1);
(await import(constants)).setConstants(JSON.parse(json));
const ask = (await import(practice))[name];
console.log(JSON.stringify(JSON.parse(calls).map((given) => ask(...given))));
"""
NEW = {"kind": "trumps", "box": 0, "due": "2026-11-30"}
VIEW = {"choice": 0, "stock": 9, "led": 41, "trump": 0, "tricksSelf": [2, 0], "tricksOpponent": [1, 0]}


def answers(name: str, *calls: list[Any]) -> list[Any]:
    """Return what a function of ``practice.js`` answers to some calls."""
    command = ["node", "--input-type=module", "--eval", CALL, PRACTICE.as_uri(), CONSTANTS.as_uri()]
    command += [json.dumps(page_constants()), name, json.dumps(calls)]
    return list(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


@needs_node
def test_right_answers_put_a_position_off_for_longer_and_a_wrong_one_brings_it_back_tomorrow() -> None:
    calls = [[{**NEW, "box": box}, right, "2026-11-30"] for right in (True, False) for box in range(5)]
    found = [(one["box"], one["due"]) for one in answers("answered", *calls)]
    right = [(1, "2026-12-03"), (2, "2026-12-07"), (3, "2026-12-14"), (4, "2026-12-30"), (4, "2026-12-30")]
    assert found == [*right, *[(0, "2026-12-01")] * 5]


@needs_node
def test_a_position_is_due_from_its_day_on() -> None:
    exercises = [{**NEW, "due": day} for day in ("2026-12-02", "2026-11-30", "2026-12-01")]
    days = {"2026-11-29": 0, "2026-11-30": 1, "2026-12-01": 2, "2027-01-01": 3}
    calls = [[exercises, today] for today in days]
    ordered = sorted(one["due"] for one in exercises)
    assert [[one["due"] for one in found] for found in answers("dueOf", *calls)] == [
        ordered[:due] for due in days.values()
    ]
    queues = [
        {"kinds": [{"kind": "trumps", "due": due, "all": 3}], "due": due, "next": ordered[0]} for due in days.values()
    ]
    assert answers("queueOf", *calls, [[], "2026-11-30"]) == [*queues, {"kinds": [], "due": 0, "next": None}]


@needs_node
def test_positions_have_their_kinds() -> None:
    cases: list[tuple[str, dict[str, Any], tuple[int, int]]] = [
        ("opening", {"led": -1, "tricksSelf": [0, 0], "tricksOpponent": [0, 0]}, (39, 40)),
        ("trumps", {}, (0, 39)),
        ("trumps", {"led": -1, "stock": 0}, (39, 0)),
        ("prize", {}, (39, 40)),
        ("prize", {"choice": 1, "led": -1}, (52, 53)),
        ("lead", {"led": -1}, (39, 40)),
        ("endgame", {"stock": 0}, (39, 40)),
        ("endgame", {"stock": 0, "led": -1}, (39, 40)),
        ("exchange", {"choice": 1, "led": -1, "stock": 0}, (54, 55)),
    ]
    found = answers("kindOf", *([{**VIEW, **changes}, *cards] for _, changes, cards in cases))
    assert found == [kind for kind, _, _ in cases]
