"""Learning curves as pictures."""

from __future__ import annotations

from pathlib import Path

from matplotlib import image

from german_whist.training.curve import COLORS, draw_curve
from tests.pictures import colours_in, points


def test_curve(tmp_path: Path) -> None:
    path = tmp_path / "curve.png"
    draw_curve(points({"random": [0.5, 0.6, 0.8], "greedy": [0.2, 0.3, 0.5]}), path, "Two opponents")
    picture = image.imread(path)
    assert picture.shape[:2] == (675, 1200)
    assert set(COLORS[:2]) <= colours_in(picture)
    assert COLORS[2] not in colours_in(picture)


def test_long_names_that_begin_alike(tmp_path: Path) -> None:
    path = tmp_path / "curve.png"
    draw_curve(points({"heuristic+exact, tiny": [0.5, 0.8], "heuristic+exact, small": [0.2, 0.5]}), path, "Two games")
    assert set(COLORS[:2]) <= colours_in(image.imread(path))
