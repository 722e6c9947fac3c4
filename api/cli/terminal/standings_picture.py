"""Standings of a tournament as a picture: the ratings on one scale, and who beats whom."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from german_whist.arena.tournament.standings import Standings
from german_whist.envs.utils.files import write_atomically

COLOR = "#264653"
LONGEST_NAME = 28  # characters of an agent's name
LARGEST_LABELLED = 14  # agents; in larger matrices the numbers would not be readable


def draw_standings(standings: Standings, path: str | Path, title: str) -> None:
    """Draw ratings with 95 % intervals, and the matrix of win rates, as a PNG.

    Args:
        standings: what to draw.
        path: the PNG file.
        title: title of the picture.

    Raises:
        OSError: when the file cannot be written.
    """
    size = len(standings.agents)
    height = 2.2 + 0.45 * size
    figure = Figure(figsize=(4.5 + 2.2 + height, height), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    scale, matrix = figure.subplots(1, 2, width_ratios=(4.5, height - 0.5))
    names = [name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…" for name in standings.agents]
    _draw_scale(scale, standings, names)
    _draw_matrix(matrix, standings)
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold", parse_math=False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomically(path, picture.getvalue())


def _draw_scale(axes: Axes, standings: Standings, names: list[str]) -> None:
    places = np.arange(len(names))
    low, high = np.array(standings.intervals).T
    bounded = np.isfinite(high - low)
    axes.hlines(places[bounded], low[bounded], high[bounded], color=COLOR, linewidth=2)
    axes.plot(standings.ratings, places, "o", color=COLOR)
    axes.set_yticks(places, [f"{name}  {i + 1}" for i, name in enumerate(names)], parse_math=False)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("Elo (Bradley-Terry, mean 0, 95 % interval)")
    axes.grid(axis="x", color="0.92")
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_matrix(axes: Axes, standings: Standings) -> None:
    size = len(standings.agents)
    rates = np.full((size, size), np.nan)
    for (i, j), pair in standings.pairs.items():
        rates[i, j] = pair.win_rate
    axes.imshow(rates, cmap="RdBu", vmin=0, vmax=1)
    for i, j in standings.pairs if size <= LARGEST_LABELLED else ():
        color = "white" if abs(rates[i, j] - 0.5) > 0.28 else "black"
        axes.text(j, i, f"{100 * rates[i, j]:.0f}", ha="center", va="center", color=color, fontsize=9)
    axes.set_xticks(range(size), [str(j + 1) for j in range(size)])
    axes.set_yticks(range(size), [str(i + 1) for i in range(size)])
    axes.set_xlabel("games won by the agent of the row, in %")
    axes.spines[:].set_visible(False)
