"""``german-whist draw``: a deal, recorded or between two agents, as a picture or an animated GIF."""

from __future__ import annotations

import argparse
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import parse_deal_address, parse_number, parse_whole_number
from german_whist.envs.utils.files import write_atomically
from german_whist.envs.utils.specs import must_be, printable, short_repr

if TYPE_CHECKING:
    from PIL import Image

    from german_whist.evaluation.recording import Recording

_GIF_COLORS = 192
_RESULT_SECONDS = 4.0
_SUFFIX = ".jsonl"  # of files of recordings


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "draw",
        help="draw a deal as a picture or a GIF",
        description="Draw a recorded deal, or one that two agents play: with --still one position as a PNG (the "
        "default), with --gif the whole deal as an animated GIF.",
        epilog="example: german-whist draw games.jsonl --line 3 --gif",
    )
    parser.add_argument(
        "source",
        nargs="*",
        metavar="SOURCE",
        help=f"a file of recordings (*{_SUFFIX}), or the agents of seats 0 and 1 (default heuristic greedy)",
    )
    parser.add_argument(
        "--line", type=parse_whole_number, metavar="N", help="line of the file (default: the first game)"
    )
    parser.add_argument("--rules", help="the agents' game (see german-whist rules; default classic)")
    parser.add_argument("--deal", metavar="SEED:INDEX", help="the agents' deal (default 0:0)")
    parser.add_argument(
        "--seat", type=parse_whole_number, choices=(0, 1), help="draw only what this seat sees (default: both hands)"
    )
    parser.add_argument(
        "--still",
        metavar="FILE",
        nargs="?",
        const="",
        help="write one position to this .png file (default: named after the recordings, or deal.png)",
    )
    parser.add_argument(
        "--after",
        type=parse_whole_number,
        metavar="N",
        help="with --still, the position after N actions (default: mid-deal)",
    )
    parser.add_argument(
        "--size", default="960x640", metavar="WxH", help="size of the picture in pixels (default 960x640)"
    )
    parser.add_argument(
        "--gif",
        metavar="FILE",
        nargs="?",
        const="",
        help="write the whole deal to this .gif file (default: named after the recordings, or deal.gif)",
    )
    parser.add_argument(
        "--gif-size", default="640x427", metavar="WxH", help="size of the GIF in pixels (default 640x427)"
    )
    parser.add_argument("--seconds", type=parse_number, default=0.8, help="seconds per frame of the GIF (default 0.8)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read or play the deal, and write the files."""
    from german_whist.envs.rendering.renderer import load_drawing
    from german_whist.evaluation.recording import at_line, read_recording

    is_recorded = any(source.endswith(_SUFFIX) for source in options.source)
    if is_recorded and len(options.source) > 1:
        raise ValueError(must_be("draw: what to draw", f"one file *{_SUFFIX}, or two agents", options.source))
    still, gif = _files(options, Path(options.source[0]).stem if is_recorded else "deal")
    size, gif_size = _size("--size", options.size), _size("--gif-size", options.gif_size)
    if not 0.02 <= options.seconds <= 60:
        raise ValueError(must_be("--seconds", "a number from 0.02 to 60", options.seconds))
    for name in ("rules", "deal") if is_recorded else ("line",):
        if getattr(options, name) is not None:
            raise ValueError(f"draw: --{name} {'is for agents' if is_recorded else 'needs a file of recordings'}")
    load_drawing()
    if is_recorded:
        line, recording = read_recording(options.source[0], options.line)
        with at_line(options.source[0], line):
            _draw(recording, options, still, gif, size, gif_size)
    else:
        _draw(_played(options), options, still, gif, size, gif_size)
    for path in filter(None, (still, gif)):
        print(f"{printable(path)}: {os.path.getsize(path) / 1000:.0f} kB")
    return 0


def _files(options: argparse.Namespace, stem: str) -> tuple[str | None, str | None]:
    """Return the files to write; a PNG if nothing else is asked for."""
    still = options.still
    if still is None and options.gif is None:
        still = ""
    if still == "":
        still = f"{stem}.png"
    gif = f"{stem}.gif" if options.gif == "" else options.gif
    for option, path, ending in (("--still", still, ".png"), ("--gif", gif, ".gif")):
        if path is None:
            continue
        if Path(path).suffix.lower() != ending:
            raise ValueError(must_be(option, f"a file name that ends in {ending}", path))
        if not Path(path).absolute().parent.is_dir():
            raise ValueError(f"{option} {path!r}: there is no folder {str(Path(path).parent)!r}")
    return still, gif


def _size(option: str, text: str) -> tuple[int, int]:
    from german_whist.envs.rendering.modes import check_size

    width, cross, height = text.lower().partition("x")
    if not cross or not width.isdecimal() or not height.isdecimal():
        raise ValueError(f"{option} {short_repr(text)} is not WIDTHxHEIGHT, such as 960x640")
    return check_size((int(width), int(height)))


def _played(options: argparse.Namespace) -> Recording:
    """Let the agents play a deal and return it."""
    from german_whist.agents.registry import make_agent
    from german_whist.envs.simulator.episodes import Episode
    from german_whist.envs.turns import play_turn
    from german_whist.evaluation.games import agent_label
    from german_whist.evaluation.recording import DealResult, Recording

    specs, rules = options.source or ["heuristic", "greedy"], options.rules or "classic"
    if len(specs) != 2:
        allowed = f"2 (or 0 for heuristic and greedy), or one file *{_SUFFIX}"
        raise ValueError(must_be("draw: the number of agents", allowed, len(specs)))
    seed, index = parse_deal_address(options.deal or "0:0")
    agents = [make_agent(spec, rules) for spec in specs]
    deal = Episode(rules, history=True)
    deal.reset(options={"deal": (seed, index)})
    while deal.legal:
        play_turn(agents[deal.turn], deal, deal.every_row)
    log = deal.batch.log
    assert log is not None  # histories are kept
    return Recording(
        rules=deal.batch.rules,
        dealer=int(deal.batch.states["dealer"][0]),
        names=(agent_label(agents[0], agents[0]), agent_label(agents[1], agents[1])),
        actions=tuple(log.actions[0, : log.counts[0]].tolist()),
        result=DealResult.of(deal.batch),
        deal=(seed, index),
    )


def _draw(
    recording: Recording,
    options: argparse.Namespace,
    still: str | None,
    gif: str | None,
    size: tuple[int, int],
    gif_size: tuple[int, int],
) -> None:
    from PIL import Image
    from rich.console import Console
    from rich.progress import track

    from german_whist.envs.rendering.table import png_bytes

    if still is not None:
        after = len(recording.actions) * 2 // 5 if options.after is None else options.after
        picture: Any = recording.render(after, seat=options.seat, size=size)
        write_atomically(still, png_bytes(picture))
    if gif is not None:
        errors = Console(stderr=True)
        frames = track(
            recording.frames(seat=options.seat, size=gif_size),
            "frames",
            total=len(recording.actions) + 1,
            console=errors,
            transient=True,
            disable=not errors.is_terminal,
        )
        buffer = io.BytesIO()
        _save_gif([Image.fromarray(frame) for frame in frames], buffer, options.seconds)
        write_atomically(gif, buffer.getvalue())


def _save_gif(frames: list[Image.Image], file: Any, seconds: float) -> None:
    """Write a GIF with one small palette for all frames, so that only changes between frames take space."""
    from PIL import Image

    palette = _sample(frames).quantize(_GIF_COLORS, Image.Quantize.FASTOCTREE)
    few = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    durations = [round(1000 * seconds)] * (len(few) - 1) + [round(1000 * _RESULT_SECONDS)]
    few[0].save(file, "GIF", save_all=True, append_images=few[1:], duration=durations, loop=0, optimize=True)


def _sample(frames: list[Image.Image]) -> Image.Image:
    """Return a picture to take the palette from; in a mere frame, the felt would crowd out the court cards' colours."""
    from PIL import Image

    from german_whist.envs.rendering.cards import BACK, card_picture

    width, height = frames[0].width, frames[0].height // 2
    courts = [card_picture(13 * suit + rank, width // 13) for suit in range(4) for rank in (9, 10, 11)]
    sample = Image.new("RGB", (width, height + 3 * courts[0].height))
    sample.paste(frames[len(frames) // 3].resize((width, height)), (0, 0))
    for place, card in enumerate([*courts, card_picture(BACK, width // 13)]):
        for line in range(3):
            sample.paste(card, (place * (width // 13), height + line * card.height), card)
    return sample
