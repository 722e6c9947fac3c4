"""``german-whist curve``: the learning curves of several runs in one picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from german_whist.training.run.directory import RunDirectory


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "curve",
        help="draw the learning curves of runs side by side",
        description="Draw the win rates of training runs over time, with a panel for each opponent that all of them "
        "met.",
        epilog="example: german-whist curve runs/mine runs/other --out curves.png",
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run directories of german-whist train")
    parser.add_argument(
        "--by", choices=("seconds", "decisions"), default="seconds", help="horizontal axis (default seconds)"
    )
    parser.add_argument("--out", metavar="FILE", default="curves.png", help="the PNG file (default curves.png)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Draw, and print the path of the picture."""
    from german_whist.evaluation.plots import draw_comparison
    from german_whist.training.run.directory import RunDirectory

    runs: dict[str, RunDirectory] = {}
    for folder in map(Path, options.runs):
        run = runs[str(folder) if folder.name in runs else folder.name] = RunDirectory(folder)
        run.check_exists()
    draw_comparison({name: run.read_evaluations() for name, run in runs.items()}, options.out, options.by)
    print(f"curves: {options.out}")
    return 0
