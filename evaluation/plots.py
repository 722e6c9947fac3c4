"""Pictures: learning curves of one run or of several side by side, and the standings of a tournament, as PNG files."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from german_whist.evaluation.tournament.standings import Standings
from german_whist.game.utils.files import write_atomically
from german_whist.simulator.text.words import percent_text


@contextlib.contextmanager
def _no_backend() -> Iterator[None]:
    """Import matplotlib although ``$MPLBACKEND`` may name a backend that this environment lacks, as a notebook's."""
    named = None if "matplotlib" in sys.modules else os.environ.pop("MPLBACKEND", None)
    try:
        yield
    finally:
        if named is not None:
            os.environ["MPLBACKEND"] = named
    if named is not None:
        with contextlib.suppress(ValueError):
            rcParams["backend"] = named  # matplotlib would have set it, too


with _no_backend():
    from matplotlib import rcParams, style
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, PercentFormatter

COLORS = ("#2a9d8f", "#e76f51", "#264653", "#e9c46a", "#8d6a9f")
LINE_HEIGHT = 0.042  # height of a line's label, relative to the axes
_EARLY = 0.85  # a line that ends before this share of the longest one ends early
_MAX_NAME = 16  # characters of an opponent's name beside its line
_MAX_STANDING = 28  # characters of an agent's name beside its rating
_MAX_LABELLED = 14  # agents; in larger matrices the numbers would not be readable


@style.context("default")
def draw_curve(rows: list[dict[str, Any]], path: str | Path, title: str) -> None:
    """Draw a run's win rate against each opponent by decisions, with 95 % intervals, as a PNG.

    Args:
        rows: evaluations, as ``RunDirectory.read_evaluations`` returns them.
        path: the PNG file.
        title: title of the picture.
    """
    figure, (axes,) = _panels(1)
    opponents = list(dict.fromkeys(row["opponent"] for row in rows))
    _draw_lines(axes, {name: [row for row in rows if row["opponent"] == name] for name in opponents}, "decisions")
    axes.set_ylabel("games won (mirrored deals, 95 % interval)")
    axes.set_title(title, loc="left", fontweight="bold")
    _save(figure, path)


@style.context("default")
def draw_comparison(runs: Mapping[str, list[dict[str, Any]]], path: str | Path, by: str = "seconds") -> None:
    """Draw the win rates of several runs, with a panel for each opponent that all of them met, as a PNG.

    Args:
        runs: evaluations by the run's name.
        path: the PNG file.
        by: the horizontal axis, ``"seconds"`` of training or ``"decisions"``.

    Raises:
        ValueError: if the runs have no opponent in common, or a run has no evaluations.
    """
    for name, rows in runs.items():
        if not rows:
            raise ValueError(f"run {name!r} has no evaluations yet")
    first, *others = ([row["opponent"] for row in rows] for rows in runs.values())
    opponents = [name for name in dict.fromkeys(first) if all(name in met for met in others)]
    if not opponents:
        raise ValueError(f"the runs {', '.join(runs)} have no opponent in common")
    figure, panels = _panels(len(opponents))
    for axes, opponent in zip(panels, opponents, strict=True):
        lines = {name: [row for row in rows if row["opponent"] == opponent] for name, rows in runs.items()}
        _draw_lines(axes, lines, by)
        axes.set_title(f"against {_short(opponent)}", loc="left", fontweight="bold")
    panels[0].set_ylabel("games won (mirrored deals, 95 % interval)")
    _save(figure, path)


def _figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches."""
    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _panels(number: int) -> tuple[Figure, list[Axes]]:
    figure = _figure(8 if number == 1 else 5.2 * number, 4.5)
    return figure, list(figure.subplots(1, number, squeeze=False)[0])


def _draw_lines(axes: Axes, lines: Mapping[str, list[dict[str, Any]]], by: str) -> None:
    """Draw a labelled line with its interval for each list of evaluations."""
    ends = [points[-1] for points in lines.values()]
    rightmost = max((end[by] for end in ends), default=0)
    # The label of a line that ends early stands above its end, where longer lines do not run through it.
    is_early = [end[by] < _EARLY * rightmost for end in ends]
    heights = _spread(
        [end["high"] + LINE_HEIGHT if early else end["win_rate"] for end, early in zip(ends, is_early, strict=True)]
    )
    unit = 60.0 if by == "seconds" else 1.0
    for i, (name, points) in enumerate(lines.items()):
        x = [row[by] / unit for row in points]
        color = COLORS[i % len(COLORS)]
        axes.fill_between(x, [row["low"] for row in points], [row["high"] for row in points], color=color, alpha=0.18)
        axes.plot(x, [row["win_rate"] for row in points], color=color, marker="o", markersize=3.5)
        axes.annotate(
            f"{_short(name)} {percent_text(points[-1]['win_rate'])}",
            (x[-1], heights[i]),
            xytext=(0 if is_early[i] else 6, 0),
            textcoords="offset points",
            va="center",
            color=color,
            fontweight="bold",
            parse_math=False,  # file names may contain dollar signs
        )
    axes.axhline(0.5, color="0.6", linewidth=1, linestyle=":")
    axes.set_ylim(0, 1)
    axes.margins(x=0.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    if by == "decisions":
        axes.xaxis.set_major_formatter(EngFormatter())
    axes.set_xlabel("decisions trained on" if by == "decisions" else "minutes of training")
    axes.grid(axis="y", color="0.92")
    axes.spines[["top", "right"]].set_visible(False)


def _save(figure: Figure, path: str | Path) -> None:
    """Write a figure as a PNG."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomically(path, picture.getvalue())


def _spread(rates: list[float]) -> list[float]:
    """Return heights for the labels: near the ends of their lines, without overlap."""
    heights = list(rates)
    order = sorted(range(len(rates)), key=lambda i: rates[i])
    for below, above in pairwise(order):
        heights[above] = max(heights[above], heights[below] + LINE_HEIGHT)
    # Labels pushed beyond the top push the others back down.
    ceiling = 1.0
    for i in reversed(order):
        heights[i] = min(heights[i], ceiling)
        ceiling = heights[i] - LINE_HEIGHT
    return heights


def _short(opponent: str) -> str:
    """Shorten a name to fit beside the axes; file names lose their folders."""
    name = opponent.rpartition("/")[2].replace(".safetensors", "")
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1]}…"


@style.context("default")
def draw_standings(standings: Standings, path: str | Path, title: str) -> None:
    """Draw ratings with 95 % intervals, and the matrix of win rates, as a PNG.

    Args:
        standings: what to draw.
        path: the PNG file.
        title: title of the picture.

    Raises:
        OSError: if the file cannot be written.
    """
    size = len(standings.agents)
    height = 2.2 + 0.45 * size
    names = [name if len(name) <= _MAX_STANDING else f"{name[: _MAX_STANDING - 1]}…" for name in standings.agents]
    figure = _figure(4.5 + 2.2 + height, height)
    scale, matrix = figure.subplots(1, 2, width_ratios=(4.5, height - 0.5))
    _draw_scale(scale, standings, names)
    _draw_matrix(matrix, standings)
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold", parse_math=False)
    _save(figure, path)


def _draw_scale(axes: Axes, standings: Standings, names: list[str]) -> None:
    ranks = np.arange(len(names))
    low, high = np.array(standings.intervals).T
    bounded = np.isfinite(high - low)
    axes.hlines(ranks[bounded], low[bounded], high[bounded], color=COLORS[2], linewidth=2)
    axes.plot(standings.ratings, ranks, "o", color=COLORS[2])
    axes.set_yticks(ranks, [f"{name}  {i + 1}" for i, name in enumerate(names)], parse_math=False)
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
    for i, j in standings.pairs if size <= _MAX_LABELLED else ():
        color = "white" if abs(rates[i, j] - 0.5) > 0.28 else "black"
        axes.text(j, i, f"{100 * rates[i, j]:.0f}", ha="center", va="center", color=color, fontsize=9)
    axes.set_xticks(range(size), [str(j + 1) for j in range(size)])
    axes.set_yticks(range(size), [str(i + 1) for i in range(size)])
    axes.set_xlabel("games won by the agent of the row, in %")
    axes.spines[:].set_visible(False)
