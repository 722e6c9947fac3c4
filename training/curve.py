"""Learning curves as PNG files, of one run or of several side by side."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

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
            rcParams["backend"] = named  # as matplotlib would have set it


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
    save_figure(figure, path)


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
    save_figure(figure, path)


def usual_style() -> contextlib.AbstractContextManager[None]:
    """Draw with matplotlib's own settings, whatever the process or its user have set."""
    return style.context("default")


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches."""
    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _panels(number: int) -> tuple[Figure, list[Axes]]:
    figure = new_figure(8 if number == 1 else 5.2 * number, 4.5)
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


def save_figure(figure: Figure, path: str | Path) -> None:
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
