"""Learning curves as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import image

from german_whist.training.curve import COLORS, draw_curve


def points(rates: dict[str, list[float]], width: float = 0.1) -> list[dict[str, Any]]:
    return [
        {"decisions": 1000 * i, "opponent": name, "win_rate": rate, "low": rate - width, "high": rate + width}
        for name, of_name in rates.items()
        for i, rate in enumerate(of_name)
    ]


def colours_in(picture: np.ndarray) -> set[str]:
    pixels = np.unique((picture[..., :3] * 255).round().astype(int).reshape(-1, 3), axis=0)
    return {"#{:02x}{:02x}{:02x}".format(*pixel) for pixel in pixels}


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
