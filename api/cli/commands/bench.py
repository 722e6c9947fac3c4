"""``german-whist bench``: speed, compared with other libraries in the same run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from german_whist.benchmarks.catalog import SUBJECTS
from german_whist.cli.options import parse_number

if TYPE_CHECKING:
    from german_whist.benchmarks.harness import Figure, Skipped

_INDENT = 2  # of figures below their benchmark


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
    from rich.padding import Padding
    from rich.table import Table

    from german_whist.cli.terminal import table_console

    console = table_console()
    if figures:
        table = Table(
            title="German Whist benchmarks",
            title_justify="left",
            title_style="bold",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
        )
        table.add_column("figure", min_width=_INDENT + _longest_word(figure.name for figure in figures))
        table.add_column("ours", justify="right", no_wrap=True)
        table.add_column("ratio", justify="right", no_wrap=True)
        table.add_column("compared with", min_width=_longest_word(_comparison(figure) for figure in figures))
        for subject, group in groupby(figures, lambda figure: figure.subject):
            table.add_row(subject, style="bold")
            for figure in group:
                ratio = "" if figure.ratio is None else f"{figure.ratio:.3g} ×"
                table.add_row(
                    Padding(figure.name, (0, 0, 0, _INDENT)),
                    amount(figure.ours, figure.unit),
                    ratio,
                    _comparison(figure),
                )
        console.print(table)
    notes = [f"limit missed: {figure.subject}, {figure.name}" for figure in figures if figure.missed]
    notes += [f"skipped: {line.subject}, {line.name}: {line.reason}" for line in skipped]
    sets = machine["instruction_sets"]
    notes.append(
        f"{machine['cores']} cores, {machine['cpu']} with {sets['processor']}, {machine['system']}, "
        f"Python {machine['python']}"
    )
    compiled = (f"{library} for {kind}" for library, kind in sets.items() if library != "processor")
    notes.append(f"compiled by {', by '.join(compiled)}")
    notes.append(", ".join(f"{name} {version}" for name, version in machine["versions"].items()))
    for note in notes:
        console.print(note, style="dim", markup=False, highlight=False, soft_wrap=True)


def _comparison(figure: Figure) -> str:
    """Return what a figure is compared with: a peer and its figure, a limit and whether it is missed, or nothing."""
    peer = "" if figure.theirs is None else f"{amount(figure.theirs, figure.unit)}, {figure.peer}"
    limit = "" if figure.limit is None else f"limit: {amount(figure.limit, figure.unit)}{', missed' * figure.missed}"
    return "; ".join(filter(None, (peer, limit)))


def _longest_word(texts: Iterable[str]) -> int:
    """Return the width below which a column would break a name."""
    return max(len(word) for text in texts for word in text.split() or [""])


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
