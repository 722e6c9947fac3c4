"""``german-whist curve``: several runs on one picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib import image

from german_whist.training.curve import COLORS
from german_whist.training.run import RunDirectory
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


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["runs/a", "other/a"], "the runs a, other/a have no opponent in common"),
        (["runs/a", "--out", "absent/x.png"], "No such file or directory"),
    ],
)
def test_undrawable_runs_are_refused_in_one_line(run: Run, words: list[str], expected: str) -> None:
    answer = run("curve", *words)
    assert (answer.code, answer.out) == (2, "")
    assert expected in answer.err
    assert answer.err.count("\n") == 1
