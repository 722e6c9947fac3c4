"""``german-whist draw``: a deal between two agents as a picture, and as a short film."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.cli.terminal.numbers import deal_address, number, whole_number

if TYPE_CHECKING:
    from PIL import Image

    from german_whist.envs.simulator.batch import DealBatch

_FILM_COLORS = 192
_RESULT_SECONDS = 4.0


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "draw",
        help="draw a deal as a picture and a GIF",
        description="Let two agents play a deal and draw it: one position as a PNG, all of it as a GIF.",
        epilog="example: german-whist draw heuristic greedy --deal 7:0 --still table.png --gif deal.gif",
    )
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="seats 0 and 1 (default heuristic greedy)")
    parser.add_argument("--rules", default="classic", help="the game (default classic)")
    parser.add_argument("--deal", default="0:0", metavar="SEED:INDEX", help="the deal (default 0:0)")
    parser.add_argument(
        "--seat", type=whole_number, choices=(0, 1), help="draw what this seat sees (default: both hands open)"
    )
    parser.add_argument("--still", metavar="FILE", help="write a picture, .png")
    parser.add_argument(
        "--after", type=whole_number, metavar="N", help="picture after N actions (default: in mid-deal)"
    )
    parser.add_argument("--size", default="960x640", metavar="WxH", help="of the picture, in pixels (default 960x640)")
    parser.add_argument("--gif", metavar="FILE", help="write the whole deal, .gif")
    parser.add_argument("--gif-size", default="640x427", metavar="WxH", help="of the GIF (default 640x427)")
    parser.add_argument("--seconds", type=number, default=0.8, help="how long a frame stays (default 0.8)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the deal and write the files."""
    from german_whist.agents.registry import make_agent
    from german_whist.arena.match import agent_label
    from german_whist.envs.rendering.renderer import load_drawing
    from german_whist.envs.simulator.batch import DealBatch

    _check_files(options)
    specs = options.agents or ["heuristic", "greedy"]
    if len(specs) != 2:
        raise ValueError(f"draw: {len(specs)} agents given, 2 are needed (or none, for heuristic and greedy)")
    size, film_size = _size("--size", options.size), _size("--gif-size", options.gif_size)
    if not 0.02 <= options.seconds <= 60:
        raise ValueError(f"--seconds {options.seconds} is not allowed: 0.02 to 60")
    seed, index = deal_address(options.deal)
    agents = [make_agent(spec) for spec in specs]
    load_drawing()
    names = (agent_label(agents[0], agents[0]), agent_label(agents[1], agents[1]))
    actions = [int(action) for action in _actions(DealBatch(options.rules, 1, seed, index), agents, seed, index)]
    if options.still:
        after = len(actions) * 2 // 5 if options.after is None else options.after
        if not 0 <= after <= len(actions):
            raise ValueError(f"--after {after} is not allowed: this deal has 0 to {len(actions)} actions")
        *_, picture = _pictures(DealBatch(options.rules, 1, seed, index), actions[:after], options.seat, size, names)
        _write(options.still, lambda file: picture.save(file, "PNG", optimize=True))
    if options.gif:
        frames = list(
            _pictures(DealBatch(options.rules, 1, seed, index), actions, options.seat, film_size, names, True)
        )
        _write(options.gif, lambda file: _save_film(frames, file, options.seconds))
    for path in filter(None, (options.still, options.gif)):
        print(f"{path}: {os.path.getsize(path) / 1000:.0f} kB")
    return 0


def _check_files(options: argparse.Namespace) -> None:
    if not options.still and not options.gif:
        raise ValueError("draw: nothing to write: give --still FILE, --gif FILE or both")
    for option, path, ending in (("--still", options.still, ".png"), ("--gif", options.gif, ".gif")):
        if not path:
            continue
        if Path(path).suffix.lower() != ending:
            raise ValueError(f"{option} {path!r} is not allowed: a file name that ends in {ending}")
        if not Path(path).absolute().parent.is_dir():
            raise ValueError(f"{option} {path!r}: there is no folder {str(Path(path).parent)!r}")


def _size(option: str, text: str) -> tuple[int, int]:
    from german_whist.envs.rendering.modes import check_size

    width, cross, height = text.lower().partition("x")
    if not cross or not width.isdecimal() or not height.isdecimal():
        raise ValueError(f"{option} {text!r} is not WIDTHxHEIGHT, as 960x640")
    return check_size((int(width), int(height)))


def _actions(batch: DealBatch, agents: list[Any], seed: int, index: int) -> Iterator[int]:
    """Let the agents play the deal."""
    from german_whist.envs.engine.agent_rng import AgentRng

    ply = 0
    while not batch.done[0]:
        action = agents[int(batch.turn[0])].act(batch.views(), AgentRng(seed, [index], step=ply))[0]
        batch.step([action])
        yield action
        ply += 1


def _pictures(
    batch: DealBatch,
    actions: list[int],
    seat: int | None,
    size: tuple[int, int],
    names: tuple[str, str],
    film: bool = False,
) -> Iterator[Image.Image]:
    """Yield the position before the first action and after each, or only the last unless it is for a film."""
    from PIL import Image
    from rich.console import Console
    from rich.progress import track

    from german_whist.envs.rendering.table import deal_picture
    from german_whist.envs.rendering.trick_memory import TrickMemory

    watch = TrickMemory(batch)

    def picture() -> Image.Image:
        return Image.fromarray(deal_picture(batch, 0, seat, size, names, watch.trick), "RGB")

    if film:
        yield picture()
    errors = Console(stderr=True)
    shown = track(actions, "frames", console=errors, transient=True, disable=not (film and errors.is_terminal))
    for action in shown:
        batch.step([action])
        watch.update(batch)
        if film:
            yield picture()
    if not film:
        yield picture()


def _save_film(frames: list[Image.Image], file: Any, seconds: float) -> None:
    """Write a GIF of few colours, the same for all frames, so that only what changes takes room."""
    from PIL import Image

    palette = _sample(frames).quantize(_FILM_COLORS, Image.Quantize.FASTOCTREE)
    few = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    stays = [round(1000 * seconds)] * (len(few) - 1) + [round(1000 * _RESULT_SECONDS)]
    few[0].save(file, "GIF", save_all=True, append_images=few[1:], duration=stays, loop=0, optimize=True)


def _sample(frames: list[Image.Image]) -> Image.Image:
    """Return a picture with the colours that the palette must have: the felt would crowd out those of the courts."""
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
    """Write a file under a temporary name first: nothing half-written is left behind."""
    temporary = f"{path}.part"
    try:
        with open(temporary, "wb") as file:
            save(file)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise
