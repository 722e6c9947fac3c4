"""The learning curve as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import EngFormatter, PercentFormatter

COLOURS = ("#2a9d8f", "#e76f51", "#264653", "#e9c46a", "#8d6a9f")


def draw_curve(rows: list[dict[str, Any]], path: str | Path, title: str) -> None:
    """Draw win rates against each opponent over the decisions trained on, with 95 % intervals, as a PNG.

    Args:
        rows: evaluations, as ``RunDirectory.read_evaluations`` returns them.
        path: where the picture goes.
        title: what stands above it.
    """
    room_for_names = ConstrainedLayoutEngine(rect=(0, 0, 0.86, 1))
    figure = Figure(figsize=(8, 4.5), dpi=150, layout=room_for_names)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    opponents = list(dict.fromkeys(row["opponent"] for row in rows))
    for i, opponent in enumerate(opponents):
        points = [row for row in rows if row["opponent"] == opponent]
        x = [row["decisions"] for row in points]
        colour = COLOURS[i % len(COLOURS)]
        axes.fill_between(x, [row["low"] for row in points], [row["high"] for row in points], color=colour, alpha=0.18)
        axes.plot(x, [row["win_rate"] for row in points], color=colour, marker="o", markersize=3.5, label=opponent)
        axes.annotate(
            f"{opponent} {points[-1]['win_rate']:.0%}",
            (x[-1], points[-1]["win_rate"]),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontweight="bold",
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
    temporary = Path(path).with_suffix(".tmp.png")
    figure.savefig(temporary)
    temporary.replace(path)
