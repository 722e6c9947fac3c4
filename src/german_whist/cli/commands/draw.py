"""``german-whist draw``: a deal between two agents as a picture or an animated GIF."""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import parse_deal_address, parse_number, parse_whole_number
from german_whist.envs.utils.files import write_atomically
from german_whist.envs.utils.specs import integers, must_be, printable, short_repr

if TYPE_CHECKING:
    from PIL import Image

    from german_whist.envs.simulator.batch import DealBatch

_GIF_COLORS = 192
_RESULT_SECONDS = 4.0


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "draw",
        help="draw a deal as a picture or a GIF",
        description="Let two agents play a deal and draw it: one position as a PNG, the whole deal as an animated GIF.",
        epilog="example: german-whist draw heuristic greedy --deal 7:0 --still table.png --gif deal.gif",
    )
    parser.add_argument(
        "agents", nargs="*", metavar="AGENT", help="the agents of seats 0 and 1 (default heuristic greedy)"
    )
    parser.add_argument("--rules", default="classic", help="the game, see german-whist rules (default classic)")
    parser.add_argument("--deal", default="0:0", metavar="SEED:INDEX", help="the deal (default 0:0)")
    parser.add_argument(
        "--seat", type=parse_whole_number, choices=(0, 1), help="draw only what this seat sees (default: both hands)"
    )
    parser.add_argument("--still", metavar="FILE", help="write one position to this .png file")
    parser.add_argument(
        "--after",
        type=parse_whole_number,
        metavar="N",
        help="with --still, the position after N actions (default: in mid-deal)",
    )
    parser.add_argument(
        "--size", default="960x640", metavar="WxH", help="size of the picture in pixels (default 960x640)"
    )
    parser.add_argument("--gif", metavar="FILE", help="write the whole deal to this .gif file")
    parser.add_argument(
        "--gif-size", default="640x427", metavar="WxH", help="size of the GIF in pixels (default 640x427)"
    )
    parser.add_argument("--seconds", type=parse_number, default=0.8, help="seconds per frame of the GIF (default 0.8)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the deal and write the files."""
    from german_whist.agents.registry import make_agent
    from german_whist.envs.rendering.renderer import load_drawing
    from german_whist.envs.simulator.batch import DealBatch
    from german_whist.evaluation.games import agent_label

    _check_files(options)
    specs = options.agents or ["heuristic", "greedy"]
    if len(specs) != 2:
        raise ValueError(must_be("draw: the number of agents", "2 (or 0 for heuristic and greedy)", len(specs)))
    size, gif_size = _size("--size", options.size), _size("--gif-size", options.gif_size)
    if not 0.02 <= options.seconds <= 60:
        raise ValueError(must_be("--seconds", "a number from 0.02 to 60", options.seconds))
    seed, index = parse_deal_address(options.deal)
    agents = [make_agent(spec, options.rules) for spec in specs]
    load_drawing()
    names = (agent_label(agents[0], agents[0]), agent_label(agents[1], agents[1]))
    actions = _actions(agents, options.rules, seed, index)
    if options.still:
        after = len(actions) * 2 // 5 if options.after is None else options.after
        if not 0 <= after <= len(actions):
            raise ValueError(must_be("--after", f"{integers(0, len(actions))}, the actions of this deal", after))
        *_, picture = _pictures(DealBatch(options.rules, 1, seed, index), actions[:after], options.seat, size, names)
        _write(options.still, lambda file: picture.save(file, "PNG", optimize=True))
    if options.gif:
        frames = list(_pictures(DealBatch(options.rules, 1, seed, index), actions, options.seat, gif_size, names, True))
        _write(options.gif, lambda file: _save_gif(frames, file, options.seconds))
    for path in filter(None, (options.still, options.gif)):
        print(f"{printable(path)}: {os.path.getsize(path) / 1000:.0f} kB")
    return 0


def _check_files(options: argparse.Namespace) -> None:
    if not options.still and not options.gif:
        raise ValueError("draw: nothing to write: give --still FILE, --gif FILE or both")
    for option, path, ending in (("--still", options.still, ".png"), ("--gif", options.gif, ".gif")):
        if not path:
            continue
        if Path(path).suffix.lower() != ending:
            raise ValueError(must_be(option, f"a file name that ends in {ending}", path))
        if not Path(path).absolute().parent.is_dir():
            raise ValueError(f"{option} {path!r}: there is no folder {str(Path(path).parent)!r}")


def _size(option: str, text: str) -> tuple[int, int]:
    from german_whist.envs.rendering.modes import check_size

    width, cross, height = text.lower().partition("x")
    if not cross or not width.isdecimal() or not height.isdecimal():
        raise ValueError(f"{option} {short_repr(text)} is not WIDTHxHEIGHT, such as 960x640")
    return check_size((int(width), int(height)))


def _actions(agents: list[Any], rules: str, seed: int, index: int) -> list[int]:
    """Let the agents play a deal and return their actions."""
    from german_whist.envs.simulator.episodes import Episode
    from german_whist.envs.turns import play_turn

    deal = Episode(rules, history=True)
    deal.reset(options={"deal": (seed, index)})
    while deal.legal:
        play_turn(agents[deal.turn], deal, deal.every_row)
    log = deal.batch.log
    assert log is not None  # histories are kept
    return [int(action) for action in log.actions[0, : log.counts[0]]]


def _pictures(
    batch: DealBatch,
    actions: list[int],
    seat: int | None,
    size: tuple[int, int],
    names: tuple[str, str],
    every_frame: bool = False,
) -> Iterator[Image.Image]:
    """Yield the position after the last action, or with ``every_frame`` also all positions before it."""
    from PIL import Image
    from rich.console import Console
    from rich.progress import track

    from german_whist.envs.rendering.table import deal_picture
    from german_whist.envs.rendering.trick_memory import TrickMemory

    memory = TrickMemory(batch)

    def picture() -> Image.Image:
        return Image.fromarray(deal_picture(batch, 0, seat, size, names, memory.trick))

    if every_frame:
        yield picture()
    errors = Console(stderr=True)
    shown = track(actions, "frames", console=errors, transient=True, disable=not (every_frame and errors.is_terminal))
    for action in shown:
        batch.step([action])
        memory.update(batch)
        if every_frame:
            yield picture()
    if not every_frame:
        yield picture()


def _save_gif(frames: list[Image.Image], file: Any, seconds: float) -> None:
    """Write a GIF with one small palette for all frames, so that only changes between frames take space."""
    from PIL import Image

    palette = _sample(frames).quantize(_GIF_COLORS, Image.Quantize.FASTOCTREE)
    few = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    durations = [round(1000 * seconds)] * (len(few) - 1) + [round(1000 * _RESULT_SECONDS)]
    few[0].save(file, "GIF", save_all=True, append_images=few[1:], duration=durations, loop=0, optimize=True)


def _sample(frames: list[Image.Image]) -> Image.Image:
    """Return a picture to take the palette from: in a frame the felt would crowd out the colours of the court cards."""
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


def _write(path: str, save: Any) -> None:
    """Write what ``save`` writes into a buffer; nothing half-written is left behind."""
    buffer = io.BytesIO()
    save(buffer)
    write_atomically(path, buffer.getvalue())
