"""``german-whist curve``: the learning curves of several runs in one picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.envs.utils.specs import printable

if TYPE_CHECKING:
    from german_whist.training.run import RunDirectory

DEFAULT_OUT = "curves.png"


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "curve",
        help="draw the learning curves of runs side by side",
        description="Draw the win rates of training runs over time, with a panel for each opponent that all of them "
        "met.",
        epilog="example: german-whist curve runs/ppo runs/sb3 --out curves.png",
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run directories of german-whist train")
    parser.add_argument(
        "--by", choices=("seconds", "decisions"), default="seconds", help="horizontal axis (default seconds)"
    )
    parser.add_argument("--out", metavar="FILE", default=DEFAULT_OUT, help=f"the PNG file (default {DEFAULT_OUT})")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Draw, and print the path of the picture."""
    from german_whist.training.curve import draw_comparison
    from german_whist.training.run import RunDirectory

    runs: dict[str, RunDirectory] = {}
    for folder in options.runs:
        path = Path(folder)
        name = printable(path.name)
        runs[printable(folder) if name in runs else name] = RunDirectory(path)
    for folder, one in zip(options.runs, runs.values(), strict=True):
        if not one.evaluations.is_file():
            raise ValueError(f"{folder!r} holds no run with evaluations: it has no evaluations.csv")
    evaluations = {name: one.read_evaluations() for name, one in runs.items()}
    draw_comparison(evaluations, options.out, options.by)
    print(f"curves: {printable(options.out)}")
    return 0
