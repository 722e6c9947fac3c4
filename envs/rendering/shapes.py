"""Curves, outlines of the four suits, a pen that draws them, and the bundled fonts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFont

Point: TypeAlias = tuple[float, float]
Color: TypeAlias = str | tuple[int, int, int] | tuple[int, int, int, int]
Path: TypeAlias = list[Point]

SANS, SANS_BOLD, SERIF_BOLD = "DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif-Bold.ttf"
SMOOTH = 4  # Pillow draws hard edges, so everything is drawn this many times larger and then averaged down

_STEPS = 20


def curve(start: Point, *segments: Sequence[Point]) -> Path:
    """Return a path: each segment is an end point, or two control points and an end point (a cubic Bézier)."""
    path = [start]
    for segment in segments:
        if len(segment) == 1:
            path.append(segment[0])
            continue
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = path[-1], *segment
        for step in range(1, _STEPS + 1):
            t = step / _STEPS
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            path.append((a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3))
    return path


def both_sides(half: Path) -> Path:
    """Return a path on the right of x = 0, closed by its mirror image on the left."""
    return half + [(-x, y) for x, y in reversed(half)]


def moved(path: Iterable[Point], x: float, y: float, size: float = 1.0, turned: bool = False) -> Path:
    """Return a path scaled by ``size``, turned upside down if ``turned``, and moved by (x, y)."""
    scale = -size if turned else size
    return [(x + scale * px, y + scale * py) for px, py in path]


def _disc(x: float, y: float, radius: float) -> Path:
    k = 0.5523 * radius
    return curve(
        (x + radius, y),
        [(x + radius, y + k), (x + k, y + radius), (x, y + radius)],
        [(x - k, y + radius), (x - radius, y + k), (x - radius, y)],
        [(x - radius, y - k), (x - k, y - radius), (x, y - radius)],
        [(x + k, y - radius), (x + radius, y - k), (x + radius, y)],
    )


_STEM = both_sides(curve((0.0, 0.0), [(0.03, 0.0)], [(0.03, 0.3), (0.08, 0.45), (0.2, 0.5)]))

# Outlines in a box of size 1 about (0, 0), in the order C D H S; a shape is the union of its outlines.
SUIT_SHAPES: tuple[tuple[Path, ...], ...] = (
    (
        _disc(0.0, -0.255, 0.235),
        _disc(0.255, 0.1, 0.235),
        _disc(-0.255, 0.1, 0.235),
        both_sides([(0.0, -0.2), (0.1, -0.1), (0.13, 0.0), (0.2, 0.03), (0.1, 0.17), (0.0, 0.12)]),
        _STEM,
    ),
    (
        both_sides(
            curve((0.0, -0.5), [(0.09, -0.32), (0.24, -0.12), (0.37, 0.0)], [(0.24, 0.12), (0.09, 0.32), (0.0, 0.5)])
        ),
    ),
    (
        both_sides(
            curve((0.0, -0.24), [(0.07, -0.47), (0.48, -0.52), (0.48, -0.15)], [(0.48, 0.12), (0.15, 0.25), (0.0, 0.5)])
        ),
    ),
    (
        both_sides(
            curve(
                (0.0, -0.5),
                [(0.13, -0.24), (0.46, -0.1), (0.46, 0.15)],
                [(0.46, 0.4), (0.14, 0.42), (0.02, 0.18)],
            )
        ),
        _STEM,
    ),
)


class Pen:
    """Draws on an image in coordinates that are multiplied by ``scale``."""

    def __init__(self, image: Image.Image, scale: float) -> None:
        """Draw on ``image``."""
        self.image = image
        self.scale = scale
        self._draw = ImageDraw.Draw(image)

    def shape(self, path: Path, fill: Color | None, line: Color | None = None, width: float = 0.0) -> None:
        """Fill an outline and draw its border, each if given a colour."""
        points = moved(path, 0, 0, self.scale)
        if fill is not None:
            self._draw.polygon(points, fill)
        if line is not None:
            self._draw.line([*points, points[0], points[1]], line, max(round(width * self.scale), 1), "curve")

    def line(self, path: Path, color: Color, width: float) -> None:
        """Draw an open line."""
        self._draw.line(moved(path, 0, 0, self.scale), color, max(round(width * self.scale), 1), "curve")

    def oval(self, x: float, y: float, rx: float, ry: float, fill: Color | None, line: Color | None = None) -> None:
        """Draw an ellipse centred at (x, y), with a thin border if given a colour."""
        s = self.scale
        box = (s * (x - rx), s * (y - ry), s * (x + rx), s * (y + ry))
        self._draw.ellipse(box, fill, line, max(round(0.008 * s), 1))

    def box(
        self,
        box: tuple[float, float, float, float],
        radius: float,
        fill: Color | None,
        line: Color | None,
        width: float,
    ) -> None:
        """Draw a rectangle (left, top, right, bottom) with rounded corners."""
        s = self.scale
        left, top, right, bottom = (s * edge for edge in box)
        thick = max(round(width * s), 1) if line is not None else 0
        self._draw.rounded_rectangle((left, top, right, bottom), s * radius, fill, line, thick)

    def suit(self, suit: int, x: float, y: float, size: float, fill: Color, turned: bool = False) -> None:
        """Draw a suit's symbol, centred at (x, y)."""
        for path in SUIT_SHAPES[suit]:
            self.shape(moved(path, x, y, size, turned), fill)

    def text(self, x: float, y: float, words: str, font: str, size: float, fill: Color, anchor: str = "mm") -> None:
        """Write text at (x, y); ``anchor`` is Pillow's."""
        self._draw.text((self.scale * x, self.scale * y), words, fill, font_of(font, self.scale * size), anchor)


def font_of(name: str, size: float) -> ImageFont.FreeTypeFont:
    """Return a bundled font at a size in pixels."""
    return _font(name, max(round(size), 1))


@lru_cache(maxsize=64)
def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    data = (resources.files("german_whist.envs.rendering") / "fonts" / name).read_bytes()
    return ImageFont.truetype(io.BytesIO(data), size, layout_engine=ImageFont.Layout.BASIC)
