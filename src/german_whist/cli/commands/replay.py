"""``german-whist replay``: a recorded deal, move by move."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import parse_whole_number
from german_whist.envs.utils.specs import count_text

if TYPE_CHECKING:
    from german_whist.evaluation.recording import Recording


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "replay",
        help="show a recorded deal, move by move",
        description="Show a recorded deal move by move, and check that it ends in the recorded result. In a terminal, "
        "Enter shows the next move and q quits; in a pipe, everything is printed at once.",
        epilog="example: german-whist replay games.jsonl --line 3",
    )
    parser.add_argument("file", metavar="FILE", help="a file written by evaluate --record or play --record")
    parser.add_argument(
        "--line", type=parse_whole_number, metavar="N", help="line of the file (default: the first game)"
    )
    parser.add_argument(
        "--seat", type=parse_whole_number, choices=(0, 1), help="show only what this seat sees (default: both hands)"
    )
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--step", action="store_true", help="wait for Enter after every move, even in a pipe")
    pace.add_argument("--all", action="store_true", help="show everything at once, even in a terminal")
    pace.add_argument("--positions", action="store_true", help="print each position as one line of text")
    pace.add_argument("--check", action="store_true", help="check every game of the file without showing it")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show or check recordings."""
    from german_whist.evaluation.recording import at_line, read_recording

    if options.check:
        return _check(options)
    line, recording = read_recording(options.file, options.line)
    waits = options.step or (not (options.all or options.positions) and sys.stdin.isatty() and sys.stdout.isatty())
    with at_line(options.file, line):
        if options.positions:
            _write_positions(recording)
        else:
            _show(recording, options.seat, waits)
    return 0


def _check(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.progress import track

    from german_whist.evaluation.recording import read_recordings

    for name in ("line", "seat"):
        if getattr(options, name) is not None:
            raise ValueError(f"--check replays every game: --{name} cannot be combined with it")
    errors = Console(stderr=True)
    recordings = read_recordings(options.file)
    shown = track(recordings, "recordings", console=errors, transient=True, disable=not errors.is_terminal)
    count = sum(1 for _ in shown)
    if not count:
        raise ValueError(f"{options.file}: no recordings")
    print(f"{count_text(count, 'recording')} replayed, each with the recorded result")
    return 0


def _write_positions(recording: Recording) -> None:
    from german_whist.envs.text.deal_text import position_text

    for batch in recording.steps():
        print(position_text(batch))


def _show(recording: Recording, seat: int | None, waits: bool) -> None:
    from german_whist.envs.text.deal_text import print_deal
    from german_whist.envs.text.events import action_events, result_sentence
    from german_whist.envs.text.rules_text import rules_spec

    names = (f"{recording.names[0]} (player_0)", f"{recording.names[1]} (player_1)")
    cards = "a custom deck" if recording.deal is None else "deal {1} of seed {0}".format(*recording.deal)
    print(f"{names[0]} and {names[1]}, {rules_spec(recording.rules)}, {cards}, dealt by {names[recording.dealer]}")
    steps = recording.steps()
    batch = next(steps)
    print_deal(batch, 0, seat)
    last = len(recording.actions)
    for move, action in enumerate(recording.actions, 1):
        if waits and not _continues(f"move {move} of {last}, Enter to continue, q to quit: "):
            return
        before = batch.states[0].copy()
        next(steps)  # checks and plays the move
        events = action_events(recording.rules, before, batch.states[0], action, move, seat, names)
        print(f"\nmove {move}: " + " ".join(event.text for event in events))
        print_deal(batch, 0, seat)
    for _ in steps:  # the rest checks the end and the result
        pass
    result, low = recording.result, bool(batch.states["low"][0])
    text = result_sentence(result.tricks, result.margin, result.points, recording.rules, names, low=low)
    print(f"{text} This is the recorded result.")


def _continues(prompt: str) -> bool:
    try:
        return input(prompt).strip().lower() not in ("q", "quit")
    except EOFError:
        print()
        return False
