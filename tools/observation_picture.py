"""README's picture of an observation: ``python -m tools.observation_picture`` writes ``docs/images/observation.svg``.

It shows the position of ``docs/images/rules.png``, whose command is on ``docs/reference/rules.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy.typing as npt

import german_whist as gw

FILE = Path(__file__).parents[1] / "docs" / "images" / "observation.svg"
WIDTH, HEIGHT = 540, 360
RANKS = 13  # columns of a block of 52 features; the suits are its rows
CELL, GAP = 12, 2  # blocks lie at multiples of CELL, because the pattern of empty cells starts at 0
LINE = 60  # characters
INK, GREEN, ORANGE, PAPER, EMPTY = "#26332c", "#1b6e4b", "#b4531c", "#f6faf8", "#dbe6e0"


def position() -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the observation and the action mask of a player's fourth decision."""
    env = gymnasium.make("german_whist:GermanWhist-v0", opponent="heuristic", seat=0)
    player = gw.make_agent("heuristic")
    observation, info = env.reset(seed=7)
    for _ in range(3):
        decisions = gw.Decisions(gw.view_from_observation(observation, "classic"))
        observation, _, _, _, info = env.step(int(player.act(decisions)[0]))
    return observation, info["action_mask"]


def picture() -> str:
    """Return the picture, SVG: blocks of 52 features as grids, the others as numbers."""
    observation, mask = position()
    blocks = {name: observation[block.start : block.stop] for name, block in gw.observation_layout("classic").items()}
    grids = {name: values for name, values in blocks.items() if values.size == mask.size}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">',
        "  <title>An observation, block by block, and its action mask</title>",
        f'  <defs><pattern id="cells" width="{CELL}" height="{CELL}" patternUnits="userSpaceOnUse">'
        f'<rect width="{CELL - GAP}" height="{CELL - GAP}" fill="{EMPTY}"/></pattern></defs>',
        f'  <rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{PAPER}"/>',
        f'  <text x="12" y="26" font-size="17" font-weight="bold" fill="{INK}">observation: int8[{observation.size}]'
        "</text>",
        f'  <text x="528" y="26" font-size="14" fill="{INK}" text-anchor="end">rows ♣ ♦ ♥ ♠, columns 2 to A</text>',
    ]
    for number, (name, values) in enumerate([*grids.items(), ("action_mask", mask)]):
        left, top = 12 + 180 * (number % 3), 60 + 84 * (number // 3)
        lines += _grid(name, values, left, top, ORANGE if name == "action_mask" else GREEN)
    numbers = {name: " ".join(map(str, values)) for name, values in blocks.items() if name not in grids}
    for row, line in enumerate(_wrapped(numbers)):
        spans = "  ".join(f'<tspan fill="{GREEN}">{name}</tspan> {values}' for name, values in line)
        lines.append(
            f'  <text x="12" y="{304 + 21 * row}" font-size="14" fill="{INK}" xml:space="preserve">{spans}</text>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def _grid(name: str, values: npt.NDArray[Any], left: int, top: int, color: str) -> list[str]:
    """Return a block of 52 features: a name over a grid in which the features that are 1 are filled."""
    width, height, size = CELL * RANKS, CELL * values.size // RANKS, CELL - GAP
    cells = ((left + CELL * (card % RANKS), top + CELL * (card // RANKS)) for card in values.nonzero()[0].tolist())
    path = "".join(f"M{x} {y}h{size}v{size}h-{size}z" for x, y in cells)
    return [
        f'  <text x="{left}" y="{top - 6}" font-size="15" fill="{color}">{name}</text>',
        f'  <rect x="{left}" y="{top}" width="{width}" height="{height}" fill="url(#cells)"/>',
        f'  <path d="{path}" fill="{color}"/>',
    ]


def _wrapped(numbers: dict[str, str]) -> Iterator[list[tuple[str, str]]]:
    """Yield names with their numbers, as many as fit in a line."""
    line: list[tuple[str, str]] = []
    length = 0
    for name, values in numbers.items():
        width = len(f"{name} {values}  ")
        if line and length + width > LINE + 2:
            yield line
            line, length = [], 0
        line.append((name, values))
        length += width
    yield line


if __name__ == "__main__":
    FILE.write_text(picture(), encoding="utf-8")
