"""``german-whist draw``: a deal, recorded or between two agents, as text, a picture or an animated GIF."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.game.utils.files import write_atomically

if TYPE_CHECKING:
    from german_whist.evaluation.recording import Recording

_SUFFIX = ".jsonl"  # suffix of recordings' files


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "draw",
        help="show a deal as text, a picture or a GIF",
        description="Show a recorded deal, or one that two agents play: as text, move by move (the default), one "
        "position as a PNG (--still), or the whole deal as an animated GIF (--gif).",
        epilog="example: german-whist draw games.jsonl --line 3 --gif deal.gif",
    )
    parser.add_argument(
        "source",
        nargs="+",
        metavar="SOURCE",
        help=f"a file of recordings (*{_SUFFIX}), or the agents of seats 0 and 1",
    )
    parser.add_argument("--line", type=int, metavar="N", help="line of the file (default: the first game)")
    parser.add_argument("--rules", help="the agents' game (see german-whist rules; default classic)")
    parser.add_argument("--deal", metavar="SEED:INDEX", help="the agents' deal (default 0:0)")
    parser.add_argument("--seat", type=int, choices=(0, 1), help="show only what this seat sees (default: both hands)")
    parser.add_argument("--still", metavar="FILE", help="write one position to this .png file")
    parser.add_argument(
        "--after", type=int, metavar="N", help="one position, after N actions (default with --still: the end)"
    )
    parser.add_argument("--gif", metavar="FILE", help="write the whole deal to this .gif file")
    parser.add_argument("--size", metavar="WxH", help="width and height in pixels (default 960x640, of a GIF 640x427)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read or play the deal, and show it or write the files."""
    from german_whist.evaluation.recording import read_recordings

    still_size, gif_size = ((960, 640), (640, 427)) if options.size is None else (_size(options.size),) * 2
    is_file = options.source[0].endswith(_SUFFIX) and len(options.source) == 1
    for option in ("rules", "deal") if is_file else ("line",):
        if getattr(options, option) is not None:
            raise ValueError(f"draw: --{option} is for {'agents' if is_file else 'a file of recordings'}")
    if options.size is not None and options.still is None and options.gif is None:
        raise ValueError("draw: --size is for --still and --gif")
    if options.after is not None and options.still is None and options.gif is not None:
        raise ValueError("draw: --after is for --still and text: a GIF shows the whole deal")
    if is_file:
        found = next(read_recordings(options.source[0], line=options.line), None)
        if found is None:
            where = "" if options.line is None else f" in line {options.line}"
            raise ValueError(f"{options.source[0]}: no recording{where}")
        recording = found
    elif len(options.source) == 2:
        recording = _played(options)
    else:
        raise ValueError(f"draw: what to draw must be one file *{_SUFFIX}, or two agents, got {options.source}")
    if options.still is not None:
        from german_whist.envs.rendering.encoding import png_bytes

        picture: Any = recording.render(options.after, seat=options.seat, size=still_size)
        write_atomically(options.still, png_bytes(picture))
    if options.gif is not None:
        from german_whist.envs.rendering.encoding import gif_bytes

        write_atomically(options.gif, gif_bytes(recording.frames(seat=options.seat, size=gif_size)))
    files = [path for path in (options.still, options.gif) if path is not None]
    for path in files:
        print(f"{path}: {Path(path).stat().st_size / 1000:.0f} kB")
    if not files and options.after is not None:
        print(recording.render(options.after, seat=options.seat, render_mode="ansi"))
    elif not files:
        _print(recording, options.seat)
    return 0


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = map(int, text.lower().split("x"))
    except ValueError:
        raise ValueError(f"--size must be WIDTHxHEIGHT, such as 960x640, got {text!r}") from None
    return width, height


def _played(options: argparse.Namespace) -> Recording:
    """Let the agents play a deal as in a match and return the game in which the first has seat 0."""
    from german_whist.cli.options import parse_deal_address
    from german_whist.evaluation.match import play_match

    seed, deal = parse_deal_address(options.deal or "0:0")
    played: list[Recording] = []
    rules = options.rules or "classic"
    play_match(*options.source, deals=1, seed=seed, rules=rules, first_deal=deal, record=played.append)
    return played[0]


def _print(recording: Recording, seat: int | None) -> None:
    """Print every move with the deal after it."""
    from german_whist.simulator.text.deal_text import print_deal
    from german_whist.simulator.text.events import action_events, result_sentence

    rules, names, steps = recording.rules, recording.names, recording.steps()
    batch = next(steps)
    print_deal(batch, seat, names=names)
    for move, action in enumerate(recording.actions, 1):
        before = batch.states[0].copy()
        next(steps)
        events = action_events(rules, before, batch.states[0], action, seat, names)
        print(f"\nmove {move}: {' '.join(events)}")
        print_deal(batch, seat, names=names)
    result, low = recording.result, bool(batch.states["low"][0])
    print(result_sentence(result.tricks, result.margin, result.points, rules, names, low=low))
