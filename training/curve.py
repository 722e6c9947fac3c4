"""The learning curve as a picture."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

from german_whist.agents.checkpoint import write_atomically

COLOURS = ("#2a9d8f", "#e76f51", "#264653", "#e9c46a", "#8d6a9f")
LINE_HEIGHT = 0.042  # of a name beside its line, as a share of the axes
LONGEST_NAME = 12  # letters of an opponent's name beside its line


def draw_curve(rows: list[dict[str, Any]], path: str | Path, title: str) -> None:
    """Draw win rates against each opponent over the decisions trained on, with 95 % intervals, as a PNG.

    Args:
        rows: evaluations, as ``RunDirectory.read_evaluations`` returns them.
        path: where the picture goes.
        title: what stands above it.
    """
    figure = Figure(figsize=(8, 4.5), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    opponents = list(dict.fromkeys(row["opponent"] for row in rows))
    lines = [[row for row in rows if row["opponent"] == opponent] for opponent in opponents]
    heights = _spread([points[-1]["win_rate"] for points in lines])
    for i, (opponent, points) in enumerate(zip(opponents, lines, strict=True)):
        x = [row["decisions"] for row in points]
        colour = COLOURS[i % len(COLOURS)]
        axes.fill_between(x, [row["low"] for row in points], [row["high"] for row in points], color=colour, alpha=0.18)
        axes.plot(x, [row["win_rate"] for row in points], color=colour, marker="o", markersize=3.5)
        axes.annotate(
            f"{_short(opponent)} {points[-1]['win_rate']:.0%}",
            (x[-1], heights[i]),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontweight="bold",
            parse_math=False,  # names of files may hold dollar signs
        )
    axes.axhline(0.5, color="0.6", linewidth=1, linestyle=":")
    axes.set_ylim(0, 1)
    axes.margins(x=0.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.set_xlabel("decisions trained on")
    axes.set_ylabel("games won (mirrored deals, 95 % interval)")
    axes.set_title(title, loc="left", fontweight="bold")
    axes.grid(axis="y", color="0.92")
    axes.spines[["top", "right"]].set_visible(False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomically(path, picture.getvalue())


def _spread(rates: list[float]) -> list[float]:
    """Return heights for the names beside the lines, as near to the lines as leaves each its own height."""
    heights = list(rates)
    order = sorted(range(len(rates)), key=lambda i: rates[i])
    for below, above in pairwise(order):
        heights[above] = max(heights[above], heights[below] + LINE_HEIGHT)
    # What was pushed out at the top pushes back from there.
    ceiling = 1.0
    for i in reversed(order):
        heights[i] = min(heights[i], ceiling)
        ceiling = heights[i] - LINE_HEIGHT
    return heights


def _short(opponent: str) -> str:
    """Return a name that fits beside the axes: of a file, its own name without folders."""
    name = opponent.rpartition("/")[2].replace(".safetensors", "")
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
