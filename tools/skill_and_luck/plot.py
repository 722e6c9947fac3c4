"""The picture of skill and luck: the agents' ratings, and what decides a game."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from german_whist.envs.utils.files import write_atomically

COLORS = {"cards": "#e76f51", "skill": "#264653", "play": "#a8c5bd"}
LABELS = {"cards": "the cards", "skill": "skill", "play": "play of these cards"}


def draw(figures: dict[str, Any], path: str | Path) -> None:
    """Draw the ratings with 95 % intervals, and the shares of what decides a game, as a PNG.

    Args:
        figures: what ``measure`` returns.
        path: the PNG file.

    Raises:
        OSError: if the file cannot be written.
    """
    agents = figures["standings"]["agents"]
    height = 1.9 + 0.36 * max(len(agents), len(figures["luck"]))
    figure = Figure(figsize=(12, height), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    ladder, luck = figure.subplots(1, 2)
    _draw_ladder(ladder, agents)
    _draw_luck(luck, figures["luck"])
    title = f"German Whist, {figures['game']}: {figures['deals']:,} mirrored deals of each pair, seed {figures['seed']}"
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold", parse_math=False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomically(path, picture.getvalue())


def _draw_ladder(axes: Axes, agents: list[dict[str, Any]]) -> None:
    places = range(len(agents))
    for place, one in enumerate(agents):
        if None not in one["interval"]:
            axes.hlines(place, *one["interval"], color="#264653")
    axes.plot([one["rating"] for one in agents], places, "o", color="#264653")
    axes.set_yticks(places, [one["agent"] for one in agents], parse_math=False)
    axes.set_ylim(len(agents) - 0.5, -0.5)
    axes.set_xlabel("Elo (Bradley-Terry, mean 0, 95 % interval)")
    axes.grid(axis="x", color="0.92")
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_luck(axes: Axes, rows: list[dict[str, Any]]) -> None:
    starts = [0.0] * len(rows)
    for name, color in COLORS.items():
        widths = [max(0.0, row["shares"][name]) for row in rows]
        axes.barh(range(len(rows)), widths, left=starts, color=color, label=LABELS[name])
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.set_yticks(range(len(rows)), [" – ".join(row["pair"]) for row in rows], parse_math=False, fontsize=8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel("share of the variance of a game's margin")
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=3)
    axes.spines[["top", "right"]].set_visible(False)
