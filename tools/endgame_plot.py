"""A plot of the distribution of the leader's tricks in endgames."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from german_whist.envs.utils.files import write_atomically

COLORS = ("#264653", "#e76f51", "#2a9d8f")


def plot_tricks(values: dict[str, Any], path: str | Path) -> None:
    """Plot the distribution of the leader's tricks as a PNG, with a bar for each source of endgames.

    Args:
        values: for each source of endgames, the result of ``value_statistics``.
        path: the PNG file.
    """
    figure = Figure(figsize=(8, 4), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    width = 0.8 / len(values)
    for place, (name, stats) in enumerate(values.items()):
        shift = (place - (len(values) - 1) / 2) * width
        tricks = range(len(stats["tricks"]))
        label = f"{name}: {stats['mean_tricks']['mean']:.2f} tricks ± {stats['deviation']:.2f}"
        axes.bar([number + shift for number in tricks], stats["tricks"], width, color=COLORS[place], label=label)
    axes.axvline(len(tricks) / 2 - 0.5, color="0.6", linewidth=1, linestyle=":")
    axes.set_xticks(list(tricks))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel("tricks the leader takes, both playing perfectly")
    axes.set_title("Endgames of 13 cards, with mean and standard deviation", loc="left", fontweight="bold")
    axes.set_ylabel("endgames")
    axes.legend(frameon=False, loc="upper left")
    axes.grid(axis="y", color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomically(path, picture.getvalue())
