"""``german-whist review``: what every decision of a recorded deal was worth."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import parse_whole_number

if TYPE_CHECKING:
    from german_whist.evaluation.recording import Recording


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "review",
        help="judge every decision of a recorded deal",
        description="Judge every decision of a recorded deal by what the player could know at the time: by a search in "
        "worlds that fit the opponent's play, exactly once both hands are known, and in humbug by sampled worlds.",
        epilog="example: german-whist review games.jsonl --line all",
    )
    parser.add_argument("file", metavar="FILE", help="a file written by play --record or evaluate --record")
    parser.add_argument(
        "--line", type=_parse_line, metavar="N", help="line of the file, or all for all games (default: the first game)"
    )
    parser.add_argument(
        "--seat",
        type=parse_whole_number,
        choices=(0, 1),
        help="the seat to review (default: that of the player named you, else 0)",
    )
    parser.add_argument("--brief", action="store_true", help="print only the biggest mistakes, not every card")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def _parse_line(text: str) -> int | str:
    """Return the number of a line, or ``"all"``."""
    return text if text == "all" else parse_whole_number(text)


def run(options: argparse.Namespace) -> int:
    """Print the review."""
    from german_whist.cli.coaching import print_review, review_of
    from german_whist.envs.text.scene import YOU

    for number, recording in enumerate(_recordings(options)):
        first, second = (YOU if name == "you" else name for name in recording.names)
        found = review_of(recording, _seat(options.seat, recording), (first, second))
        if options.json:
            print(json.dumps(found))
            continue
        if options.line == "all":
            print(f"{chr(10) if number else ''}Deal {number + 1}")
        print_review(found, recording.rules, every_move=not options.brief)
    return 0


def _seat(given: int | None, recording: Recording) -> int:
    """Return whose deal it is: by default the player named ``you``, else seat 0."""
    if given is not None:
        return given
    return recording.names.index("you") if "you" in recording.names else 0


def _recordings(options: argparse.Namespace) -> Iterator[Recording]:
    """Yield the recordings that were asked for, each replayed."""
    from german_whist.evaluation.recording import at_line, read_recording, read_recordings

    if options.line == "all":
        yield from read_recordings(options.file)
        return
    line, recording = read_recording(options.file, options.line)
    with at_line(options.file, line):
        recording.replay()
    yield recording
