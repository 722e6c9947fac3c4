"""``german-whist arena``: a tournament, with ratings on one scale, as tables and as a picture."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from german_whist.cli.options import add_agents, add_json_option, add_match_options, add_worker_options, chosen_executor
from german_whist.cli.terminal import print_report, progress_bar
from german_whist.game.utils.files import check_folder

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from german_whist.evaluation.tournament.standings import Standings

_COLOR = "#264653"
_MAX_NAME = 28  # characters of an agent's name
_MAX_LABELLED = 14  # agents; in larger matrices the numbers would not be readable


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "arena",
        help="rate several agents on one scale",
        description="Play a tournament: every pair of agents on the same mirrored deals. Print Bradley-Terry ratings "
        "in Elo, and who beats whom.",
        epilog="example: german-whist arena random greedy heuristic small --deals 200",
    )
    add_agents(parser, "two or more agents")
    parser.add_argument("--deals", type=int, metavar="N", default=1000, help="mirrored deals per pair (default 1000)")
    add_match_options(parser)
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="also draw the ratings and the matrix of win rates as this PNG file",
    )
    add_worker_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the tournament, and print and draw its standings."""
    from german_whist.evaluation.match import game_title
    from german_whist.evaluation.tournament.play import play_tournament
    from german_whist.game.rules import rules

    if options.out is not None:
        check_folder(Path(options.out))  # before the first game
    game = rules(options.rules)
    pairs = len(options.agents) * (len(options.agents) - 1) // 2
    with progress_bar("deals", pairs * options.deals) as progress, chosen_executor(options) as executor:
        found = play_tournament(
            options.agents,
            deals=options.deals,
            seed=options.seed,
            rules=game,
            endgame=options.endgame,
            progress=progress,
            executor=executor,
        )
    if options.json:
        print(json.dumps(found.to_dict()))
    else:
        print_report(found.report())
    if options.out is not None:
        draw_standings(found, options.out, game_title(found.rules, found.endgame))
        if not options.json:
            print(f"picture: {options.out}")
    return 0


def draw_standings(standings: Standings, path: str | Path, title: str) -> None:
    """Draw ratings with 95 % intervals, and the matrix of win rates, as a PNG.

    Args:
        standings: what to draw.
        path: the PNG file.
        title: title of the picture.

    Raises:
        OSError: if the file cannot be written.
        ModuleNotFoundError: if matplotlib is not installed.
    """
    from german_whist.training.curve import new_figure, save_figure, usual_style

    size = len(standings.agents)
    height = 2.2 + 0.45 * size
    names = [name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1]}…" for name in standings.agents]
    with usual_style():
        figure = new_figure(4.5 + 2.2 + height, height)
        scale, matrix = figure.subplots(1, 2, width_ratios=(4.5, height - 0.5))
        _draw_scale(scale, standings, names)
        _draw_matrix(matrix, standings)
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold", parse_math=False)
        save_figure(figure, path)


def _draw_scale(axes: Axes, standings: Standings, names: list[str]) -> None:
    ranks = np.arange(len(names))
    low, high = np.array(standings.intervals).T
    bounded = np.isfinite(high - low)
    axes.hlines(ranks[bounded], low[bounded], high[bounded], color=_COLOR, linewidth=2)
    axes.plot(standings.ratings, ranks, "o", color=_COLOR)
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
