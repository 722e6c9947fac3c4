"""``german-whist bench``: speed, compared with other libraries in the same run."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from german_whist.benchmarks.catalog import SUBJECTS
from german_whist.cli.options import parse_number

if TYPE_CHECKING:
    from german_whist.benchmarks.harness import Figure, Skipped

_LIMIT = "limit"
_HEADINGS = ("benchmark", "figure", "ours", "compared with", "theirs", "ratio")
_NUMBERS = ("ours", "theirs", "ratio", _LIMIT)


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    measured = "\n".join(f"  {name:<11} {meaning}" for name, meaning in SUBJECTS.items())
    parser = subparsers.add_parser(
        "bench",
        help="measure speed",
        description="Measure speed, and compare it with other libraries and baselines in the same run.",
        epilog=f"benchmarks:\n{measured}\n\nexample:\n  german-whist bench aec batch --seconds 5",
    )
    parser.add_argument("subjects", nargs="*", metavar="NAME", help="benchmark to run (default: all)")
    parser.add_argument("--seconds", type=parse_number, default=2.0, help="seconds per figure (default 2)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    from german_whist.benchmarks.catalog import check_request
    from german_whist.benchmarks.harness import Figure, describe_machine

    lines = _measure(check_request(options.subjects, options.seconds), options.seconds)
    figures = [line for line in lines if isinstance(line, Figure)]
    skipped = [line for line in lines if not isinstance(line, Figure)]
    machine = describe_machine()
    if options.json:
        report = {
            "machine": machine,
            "seconds": options.seconds,
            "figures": [figure.to_dict() for figure in figures],
            "skipped": [line.to_dict() for line in skipped],
        }
        print(json.dumps(report))
        return 0
    _print(figures, skipped, machine)
    return 0


def _measure(names: list[str], seconds: float) -> list[Figure | Skipped]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from german_whist.benchmarks.catalog import run_subjects
    from german_whist.cli.terminal import progress_console

    console = progress_console()
    columns = (TextColumn("measuring {task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=console.quiet) as progress:
        task = progress.add_task("", total=len(names))

        def tick(name: str, share: float) -> None:
            if progress.disable and share == 0.0:  # no terminal to draw a bar in
                Console(stderr=True).print(f"measuring {name} …", highlight=False)
            progress.update(task, description=name, completed=names.index(name) + share)

        return list(run_subjects(names, seconds, tick))


def _print(figures: list[Figure], skipped: list[Skipped], machine: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if figures:
        table = Table(
            title="German Whist benchmarks",
            title_justify="left",
            title_style="bold",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
            collapse_padding=True,
        )
        limited = any(figure.limit is not None for figure in figures)
        for heading in (*_HEADINGS, *([_LIMIT] if limited else [])):
            table.add_column(heading, justify="right" if heading in _NUMBERS else "left")
        for figure in figures:
            table.add_row(
                figure.subject,
                figure.name,
                amount(figure.ours, figure.unit),
                figure.peer or "—",
                "—" if figure.theirs is None else amount(figure.theirs, figure.unit),
                "—" if figure.ratio is None else f"{figure.ratio:.3g} ×",
                *([_limit(figure)] if limited else []),
            )
        console.print(table)
    notes = [f"limit missed: {figure.subject}, {figure.name}" for figure in figures if figure.missed]
    notes += [f"skipped: {line.subject}, {line.name}: {line.reason}" for line in skipped]
    notes.append(f"{machine['cores']} cores, {machine['cpu']}, {machine['system']}, Python {machine['python']}")
    notes.append(", ".join(f"{name} for {kind}" for name, kind in machine["instruction_sets"].items()))
    notes.append(", ".join(f"{name} {version}" for name, version in machine["versions"].items()))
    for note in notes:
        console.print(note, style="dim", markup=False, highlight=False, soft_wrap=True)


def _limit(figure: Figure) -> str:
    """Return the limit of a figure for display; one that is missed says so."""
    if figure.limit is None:
        return "—"
    return f"{amount(figure.limit, figure.unit)}{', missed' if figure.missed else ''}"


def amount(number: float, unit: str) -> str:
    """Return a rate, a time or a size for display: ``51.2 M/s``, ``8.12 k/s``, ``0.213 s``, ``4.1 µs``, ``443 B``."""
    if unit == "s":
        return (
            f"{number:.3f} s"
            if number >= 0.1
            else f"{number * 1e3:.3g} ms"
            if number >= 1e-3
            else f"{number * 1e6:.3g} µs"
        )
    if unit == " B":
        return f"{number:.0f} B"
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {letter}{unit}"
    return f"{number:.3g}{unit}"
