"""``german-whist curve``: the learning curves of several runs in one picture."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import add_worker_options, chosen_executor, parse_whole_number
from german_whist.cli.terminal import progress_bar
from german_whist.envs.utils.specs import integers, must_be, printable

if TYPE_CHECKING:
    from german_whist.training.elo import EloCurves
    from german_whist.training.run import RunDirectory

DEFAULT_OUT = "curves.png"
_AGAINST = "heuristic"


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "curve",
        help="draw the learning curves of runs side by side",
        description="Draw the win rates of training runs over time, with a panel for each opponent that all of them "
        "met. With --elo, play a tournament of their checkpoints and draw the ratings.",
        epilog="example: german-whist curve runs/ppo runs/sb3 --out curves.png",
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run directories of german-whist train")
    parser.add_argument(
        "--by", choices=("seconds", "decisions"), help="horizontal axis (default seconds; with --elo decisions)"
    )
    parser.add_argument("--out", metavar="FILE", default=DEFAULT_OUT, help=f"the PNG file (default {DEFAULT_OUT})")
    elo = parser.add_argument_group("ratings of checkpoints")
    elo.add_argument("--elo", action="store_true", help="play a tournament of the checkpoints and draw their Elo")
    elo.add_argument(
        "--against",
        metavar="AGENT",
        action="append",
        help=f"another agent in the tournament; may be repeated (default {_AGAINST})",
    )
    elo.add_argument(
        "--checkpoints",
        type=parse_whole_number,
        metavar="N",
        default=8,
        help="checkpoints per run: the first, the last, and others evenly spaced between them (default 8)",
    )
    elo.add_argument(
        "--deals", type=parse_whole_number, metavar="N", default=200, help="mirrored deals per pair (default 200)"
    )
    elo.add_argument("--seed", type=parse_whole_number, metavar="N", default=0, help="seed of the deals (default 0)")
    elo.add_argument("--json", action="store_true", help="print the ratings as JSON")
    add_worker_options(elo)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Draw, and print the path of the picture."""
    from german_whist.training.curve import draw_comparison, draw_elo
    from german_whist.training.run import RunDirectory

    runs: dict[str, RunDirectory] = {}
    for folder in options.runs:
        path = Path(folder)
        name = printable(path.name)
        runs[printable(folder) if name in runs else name] = RunDirectory(path)
    if options.elo:
        found = _rated(runs, options)
        draw_elo(found.runs, found.against, options.out)
        _print_ratings(found, options)
        return 0
    for folder, one in zip(options.runs, runs.values(), strict=True):
        if not one.evaluations.is_file():
            raise ValueError(f"{folder!r} holds no run with evaluations: it has no evaluations.csv")
    evaluations = {name: one.read_evaluations() for name, one in runs.items()}
    draw_comparison(evaluations, options.out, options.by or "seconds")
    print(f"curves: {printable(options.out)}")
    return 0


def _rated(runs: dict[str, RunDirectory], options: argparse.Namespace) -> EloCurves:
    from german_whist.training.elo import checkpoint_elo

    if options.by == "seconds":
        raise ValueError("curve: --elo goes by decisions: leave out --by")
    if options.checkpoints < 1:
        raise ValueError(must_be("--checkpoints", integers(1), options.checkpoints))
    against = tuple(options.against or [_AGAINST])
    agents = sum(min(len(one.checkpoint_paths()), options.checkpoints) for one in runs.values()) + len(against)
    with (
        progress_bar("deals", agents * (agents - 1) // 2 * options.deals) as progress,
        chosen_executor(options) as executor,
    ):
        return checkpoint_elo(
            runs,
            against=against,
            most=options.checkpoints,
            deals=options.deals,
            seed=options.seed,
            progress=progress,
            executor=executor,
        )


def _print_ratings(found: EloCurves, options: argparse.Namespace) -> None:
    """Print a line for each checkpoint."""
    from german_whist.cli.results import print_report
    from german_whist.evaluation.match import game_title
    from german_whist.evaluation.report import Table
    from german_whist.evaluation.statistics import finite_ends
    from german_whist.evaluation.tournament.standings import rating_interval

    rows = [{"run": name, **row} for name, points in found.runs.items() for row in points]
    rows += [{"run": name, "decisions": None, **rated} for name, rated in found.against.items()]
    if options.json:
        for row in rows:
            row["low"], row["high"] = finite_ends((row["low"], row["high"]))
        print(json.dumps({"ratings": rows, "picture": options.out}))
        return
    cells = [
        (
            row["run"],
            "" if row["decisions"] is None else f"{row['decisions']:,}",
            f"{row['rating']:+z.0f}",
            rating_interval((row["low"], row["high"])),
        )
        for row in rows
    ]
    title = game_title(found.standings.rules, found.standings.endgame)
    note = f"{options.deals:,} mirrored deals of seed {options.seed} for each pair; Elo by Bradley-Terry, mean 0"
    print_report([Table(title, ("agent", "decisions", "Elo", "95 % interval"), cells, [note])])
    print(f"curves: {printable(options.out)}")
