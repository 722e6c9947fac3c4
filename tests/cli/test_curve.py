"""``german-whist curve``: several runs on one picture."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib import image

from german_whist.training.curve import COLORS
from german_whist.training.run import RunDirectory
from tests.agents.networks import some_network
from tests.cli.commands import Run
from tests.training.test_records import colours_in, points


def made(folder: str, opponents: tuple[str, ...]) -> Path:
    path = Path(folder)
    path.mkdir(parents=True)
    rows = points({name: [0.3, 0.5, 0.6] for name in opponents})
    for row in rows:
        row.update({"deals": 10, "margin": 0.5, "seconds": row["decisions"] / 50})
    RunDirectory(path).add_evaluations(rows)
    return path


@pytest.fixture(autouse=True)
def two_runs(here: Path) -> None:
    made("runs/a", ("random", "greedy"))
    made("runs/b", ("greedy", "heuristic", "random"))
    made("other/a", ("heuristic",))


def test_runs_are_compared_on_their_common_opponents(run: Run) -> None:
    assert run("curve", "runs/a", "runs/b") == (0, "curves: curves.png\n", "")
    picture = image.imread("curves.png")
    assert picture.shape[:2] == (675, 2 * 780)
    for half in np.split(picture, 2, axis=1):
        assert set(COLORS[:2]) <= colours_in(half)


def test_checkpoints_are_rated_by_a_tournament(run: Run) -> None:
    for name, count in (("a", 4), ("b", 1)):
        folder = Path("runs", name, "checkpoints")
        folder.mkdir()
        for number in range(count):
            some_network(number, game="tiny").save(folder / f"{100 * number:012d}.safetensors")
    words = ("curve", "runs/a", "runs/b", "--elo", "--checkpoints", "3", "--deals", "5", "--against", "random")
    found = json.loads(run(*words, "--json").out)["ratings"]
    assert [(row["run"], row["decisions"]) for row in found] == [
        *(("a", 0), ("a", 200), ("a", 300), ("b", 0)),
        ("random", None),
    ]
    assert sum(row["rating"] for row in found) == pytest.approx(0, abs=1e-6)
    assert set(COLORS[:2]) <= colours_in(image.imread("curves.png"))
    shown = run(*words)
    assert (shown.code, "curves: curves.png" in shown.out) == (0, True)
    assert "5 mirrored deals of seed 0 for each pair" in shown.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["runs/a", "--elo"], "run 'a' has no checkpoints yet"),
        (["runs/a", "--elo", "--by", "seconds"], "--elo goes by decisions"),
        (["runs/a", "--elo", "--checkpoints", "0"], "--checkpoints must be an integer >= 1, got 0"),
        (["runs/a", "other/a"], "the runs a, other/a have no opponent in common"),
        (["runs/a", "--out", "absent/x.png"], "No such file or directory"),
    ],
)
def test_undrawable_runs_are_refused_in_one_line(run: Run, words: list[str], expected: str) -> None:
    answer = run("curve", *words)
    assert (answer.code, answer.out) == (2, "")
    assert expected in answer.err
    assert answer.err.count("\n") == 1
