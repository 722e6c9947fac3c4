"""``german-whist table``: the endgame tables in the cache folder."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

_KINDS = "trump-high, trump-low, notrump-high or notrump-low"


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    from german_whist.cli.options import parse_whole_number

    parser = subparsers.add_parser(
        "table",
        help="build, list and verify endgame tables",
        description="Manage the endgame tables (the tablebase) in the cache folder. The solver builds the one it "
        "needs if there is none, and uses the largest one: with 13 cards every value is one lookup.",
        epilog="example: german-whist table build --cards 13",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    build = _add_action(
        actions,
        "build",
        "build a table",
        "Build the table of all endgames up to a number of cards per hand. An interrupted build is resumed.",
        "--cards 13",
    )
    build.add_argument(
        "--cards", type=parse_whole_number, metavar="N", help="cards in the largest hands, 1 to 13 (default 10)"
    )
    build.add_argument("--kind", metavar="KIND", default="trump-high", help=f"{_KINDS} (default trump-high)")
    build.set_defaults(run=run_build)
    info = _add_action(actions, "info", "list the tables", "List the tables in the cache folder.")
    info.set_defaults(run=run_info)
    verify = _add_action(
        actions,
        "verify",
        "verify the tables",
        "Read the tables, compare them with their names and checksums, and a sample of their values with a search.",
    )
    verify.set_defaults(run=run_verify)
    for action in (info, verify):
        action.add_argument("--kind", metavar="KIND", help=f"{_KINDS} (default all)")


def _add_action(
    actions: Any, name: str, what: str, description: str, example: str = "--kind trump-high"
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=what, description=description, epilog=f"example: german-whist table {name} {example}"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run_build(options: argparse.Namespace) -> int:
    """Build a table."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from german_whist.cli.terminal import progress_console
    from german_whist.solver.tablebase.build import build_table
    from german_whist.solver.tablebase.endgame_table import verify_table
    from german_whist.solver.tablebase.kinds import DEFAULT_CARDS, check_kind, table_path

    kind = check_kind(options.kind)
    cards = DEFAULT_CARDS if options.cards is None else options.cards
    path = table_path(kind, cards)
    if path.exists():
        verify_table(path)
        _report(path, options.json, "exists already")
        return 0
    console = progress_console()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    began = time.monotonic()
    with Progress(*columns, console=console, transient=True, disable=console.quiet) as progress:
        task = progress.add_task(f"building {path.name}", total=None)
        build_table(kind, cards, lambda done, total: progress.update(task, completed=done, total=total))
    _report(path, options.json, f"built in {time.monotonic() - began:.1f} s")
    return 0


def run_info(options: argparse.Namespace) -> int:
    """List the tables."""
    from german_whist.envs.utils.files import cache_folder

    paths = _tables(options.kind)
    if options.json:
        print(json.dumps({"folder": str(cache_folder()), "tables": [_facts(path) for path in paths]}))
        return 0
    print(f"folder: {cache_folder()}")
    for path in paths:
        print(f"  {_line(path)}")
    if not paths:
        print("  no tables: the solver builds one when it needs it, or run german-whist table build")
    return 0


def run_verify(options: argparse.Namespace) -> int:
    """Compare tables with their names and checksums, and a sample of their values with a search."""
    from german_whist.solver.table_sample import verify_values
    from german_whist.solver.tablebase.endgame_table import load_table, verify_table

    paths = _tables(options.kind)
    for path in paths:
        verify_table(path)
        verify_values(load_table(path), f"table {path}")
        if not options.json:
            print(f"{path.name}: checksum OK")
    if options.json:
        print(json.dumps({"verified": [path.name for path in paths]}))
    elif not paths:
        print("no tables")
    return 0


def _tables(kind: str | None) -> list[Path]:
    from german_whist.solver.tablebase.cache import built_tables
    from german_whist.solver.tablebase.kinds import KINDS, check_kind

    kinds = KINDS.values() if kind is None else [check_kind(kind)]
    return [path for kind in kinds for path in built_tables(kind)]


def _report(path: Path, as_json: bool, what: str) -> None:
    print(json.dumps(_facts(path)) if as_json else f"{_line(path)}, {what}: {path}")


def _facts(path: Path) -> dict[str, Any]:
    from german_whist.solver.tablebase.endgame_table import read_header

    header = read_header(path)
    return {
        "path": str(path),
        "kind": header.kind,
        "cards": header.cards,
        "positions": 2 * header.bytes,
        "bytes": path.stat().st_size,
        "checksum": f"{header.checksum:08x}",
    }


def _line(path: Path) -> str:
    facts = _facts(path)
    return f"{facts['kind']}, up to {facts['cards']} cards a hand, {facts['bytes'] / 1e6:,.1f} MB"
