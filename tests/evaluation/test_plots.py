"""Learning curves as pictures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest
from matplotlib import image

from german_whist.evaluation.plots import COLORS, draw_curve
from tests.pictures import colours_in, points


def test_curve_has_a_colour_for_each_opponent(tmp_path: Path) -> None:
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


def test_settings_of_the_process(tmp_path: Path) -> None:
    rows = points({"random": [0.5, 0.8]})
    draw_curve(rows, tmp_path / "usual.png", "A run")
    with matplotlib.rc_context({"text.usetex": True, "savefig.dpi": 20, "font.size": 40, "axes.facecolor": "red"}):
        draw_curve(rows, tmp_path / "other.png", "A run")
        assert matplotlib.rcParams["font.size"] == 40
    assert (tmp_path / "other.png").read_bytes() == (tmp_path / "usual.png").read_bytes()


@pytest.mark.parametrize(("backend", "kept"), [("svg", "svg"), ("of-another-machine", "agg")])
def test_backend_of_the_environment(backend: str, kept: str) -> None:
    code = (
        "import os, german_whist.evaluation.plots, matplotlib; matplotlib.use(matplotlib.get_backend());"
        "print(os.environ['MPLBACKEND'], matplotlib.get_backend())"
    )
    command = [sys.executable, "-c", code]
    environment = os.environ | {"MPLBACKEND": backend}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [backend, kept]
