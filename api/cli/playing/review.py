"""``german-whist review``: what every decision of a recorded deal was worth."""

from __future__ import annotations

import argparse
import json
from typing import Any

from german_whist.cli.terminal.argument_types import parse_whole_number


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "review",
        help="judge every decision of a recorded deal",
        description="Judge every decision of a recorded deal by what its seat could know: by a search in worlds that "
        "fit how the opponent has played, exactly once both hands are known, and in humbug by sampled worlds. Tricks "
        "are those of the margin.",
        epilog="example: german-whist review games.jsonl --line 3",
    )
    parser.add_argument("file", metavar="FILE", help="a file written by play --record or evaluate --record")
    parser.add_argument("--line", type=parse_whole_number, metavar="N", default=1, help="line of the file (default 1)")
    parser.add_argument(
        "--seat",
        type=parse_whole_number,
        choices=(0, 1),
        help="the seat whose deal it is (default: the one named you, else 0)",
    )
    parser.add_argument("--brief", action="store_true", help="print the dearest moves only")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the review."""
    from german_whist.arena.recording_file import at_line, read_recording
    from german_whist.cli.terminal.coaching import print_review
    from german_whist.session.coach.reviews import review
    from german_whist.session.shared_deals import open_recordings

    recording = read_recording(options.file, options.line)
    with at_line(options.file, options.line):
        recording.replay()
    session = open_recordings([recording], options.seat)
    found = review(session.deal, session.seat, session.names)
    if options.json:
        print(json.dumps(found))
    else:
        print_review(found, recording.rules, every_move=not options.brief)
    return 0
