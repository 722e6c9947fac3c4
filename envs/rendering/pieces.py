"""The pieces of a picture other than cards: felt, glows, plates and marks; the pen and the bundled fonts."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from german_whist.envs.rendering.cards import SHAPE, card_sprite, suit_mask

Color: TypeAlias = str | tuple[int, int, int] | tuple[int, int, int, int]
Box: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom

SANS, SANS_BOLD = "DejaVuSans.ttf", "DejaVuSans-Bold.ttf"
SMOOTH = 4  # Pillow draws hard edges, so everything is drawn this many times larger and then scaled down


class Pen:
    """Draws on an image in coordinates that are multiplied by ``scale``."""

    def __init__(self, image: Image.Image, scale: float) -> None:
        """Draw on ``image``."""
        self.image = image
        self.scale = scale
        self._draw = ImageDraw.Draw(image)

    def polygon(self, points: Sequence[tuple[float, float]], fill: Color) -> None:
        """Fill a polygon."""
        self._draw.polygon([(self.scale * x, self.scale * y) for x, y in points], fill)

    def line(self, points: Sequence[tuple[float, float]], color: Color, width: float) -> None:
        """Draw an open line."""
        scaled = [(self.scale * x, self.scale * y) for x, y in points]
        self._draw.line(scaled, color, max(round(width * self.scale), 1), "curve")

    def oval(self, x: float, y: float, rx: float, ry: float, fill: Color) -> None:
        """Fill an ellipse centred at (x, y)."""
        s = self.scale
        box = (s * (x - rx), s * (y - ry), s * (x + rx), s * (y + ry))
        self._draw.ellipse(box, fill)

    def box(
        self,
        box: Box,
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

    def suit(self, suit: int, x: float, y: float, size: float, fill: Color) -> None:
        """Draw a suit's symbol, centred at (x, y)."""
        width = round(self.scale * size)
        corner = (round(self.scale * x - width / 2), round(self.scale * y - width / 2))
        self.image.paste(fill, (*corner, corner[0] + width, corner[1] + width), suit_mask(suit, width))

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


GOLD, CREAM, PALE, DARK = "#f0c35a", "#fff8e6", "#c9dccf", (6, 36, 25, 205)
RED_SUITS = (1, 2)

_FELT_LIGHT, _FELT_DARK = (36, 118, 82), (10, 52, 38)


@lru_cache(maxsize=4)
def felt(width: int, height: int) -> Image.Image:
    """Return the table cloth, RGB. It is cached: do not draw on it."""
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    far = np.clip((x**2 + y**2) / 1.7, 0, 1)[..., None]
    cloth = np.array(_FELT_LIGHT) * (1 - far) + np.array(_FELT_DARK) * far
    grain = np.random.default_rng(0).normal(0.0, 1.6, (height, width, 1))
    image = Image.fromarray(np.clip(cloth + grain, 0, 255).astype(np.uint8))
    edge = max(min(width, height) // 80, 2)
    line = Image.new("RGBA", image.size, (0, 0, 0, 0))
    ImageDraw.Draw(line).rounded_rectangle(
        (edge, edge, width - 1 - edge, height - 1 - edge), edge * 2, None, (240, 195, 90, 90), max(edge // 5, 1)
    )
    image.paste(line, (0, 0), line)
    return image


@lru_cache(maxsize=32)
def glow(width: int, angle: float = 0.0) -> Image.Image:
    """Return the highlight around a card of a width, RGBA."""
    height, margin = round(width * SHAPE), width // 3
    light = Image.new("L", (width + 2 * margin, height + 2 * margin), 0)
    reach = width // 16
    ImageDraw.Draw(light).rounded_rectangle(
        (margin - reach, margin - reach, margin + width + reach, margin + height + reach), width // 9, 235
    )
    light = light.filter(ImageFilter.GaussianBlur(max(width / 13, 1))).rotate(angle, Image.Resampling.BICUBIC)
    image = Image.new("RGBA", light.size, (255, 214, 102, 0))
    image.putalpha(light)
    return image


@lru_cache(maxsize=128)
def plate(width: int, height: int, bright: bool = False) -> Image.Image:
    """Return a rounded plate to write on, RGBA; a bright one has a golden border."""
    large = Image.new("RGBA", (SMOOTH * width, SMOOTH * height), (0, 0, 0, 0))
    pen = Pen(large, SMOOTH)
    radius = min(height / 2, max(width, height) * 0.06 + 4)
    line, thick = ((240, 195, 90, 255), 2.0) if bright else ((240, 195, 90, 70), 1.0)
    pen.box((1, 1, width - 1, height - 1), radius, DARK, line, thick)
    return large.resize((width, height), Image.Resampling.BOX)


@lru_cache(maxsize=64)
def trump_mark(suit: int, width: int) -> Image.Image:
    """Return a disc with the symbol of the trump suit, RGBA; all suits crossed out for no trumps (−1)."""
    large = Image.new("RGBA", (SMOOTH * width, SMOOTH * width), (0, 0, 0, 0))
    pen = Pen(large, SMOOTH * width)
    pen.oval(0.5, 0.5, 0.49, 0.49, GOLD)
    pen.oval(0.5, 0.5, 0.45, 0.45, CREAM)
    if suit >= 0:
        pen.suit(suit, 0.5, 0.5, 0.58, "#c22026" if suit in RED_SUITS else "#16181c")
    else:
        for each, (x, y) in enumerate(((-0.13, 0.13), (0.13, 0.13), (-0.13, -0.13), (0.13, -0.13))):
            pen.suit(each, 0.5 + x, 0.5 + y, 0.2, "#b9b2a2")
        pen.line([(0.2, 0.8), (0.8, 0.2)], "#8c2f39", 0.05)
    return large.resize((width, width), Image.Resampling.BOX)


@lru_cache(maxsize=64)
def dot(width: int, full: bool) -> Image.Image:
    """Return a small golden disc, filled or outlined, RGBA."""
    large = Image.new("RGBA", (SMOOTH * width, SMOOTH * width), (0, 0, 0, 0))
    pen = Pen(large, SMOOTH * width)
    pen.oval(0.5, 0.5, 0.46, 0.46, GOLD)
    if not full:
        pen.oval(0.5, 0.5, 0.33, 0.33, (6, 36, 25, 255))
    return large.resize((width, width), Image.Resampling.BOX)


@lru_cache(maxsize=8)
def arrow(width: int) -> Image.Image:
    """Return a golden triangle that points to the right, RGBA."""
    large = Image.new("RGBA", (SMOOTH * width, SMOOTH * width), (0, 0, 0, 0))
    Pen(large, SMOOTH * width).polygon([(0.1, 0.02), (0.9, 0.5), (0.1, 0.98)], GOLD)
    return large.resize((width, width), Image.Resampling.BOX)


def put(table: Image.Image, piece: Image.Image, x: float, y: float) -> None:
    """Paste a piece on the table, centred at (x, y)."""
    table.paste(piece, (round(x - piece.width / 2), round(y - piece.height / 2)), piece)


def put_card(
    table: Image.Image, card: int, x: float, y: float, width: int, angle: float = 0.0, light: bool = False
) -> None:
    """Paste a card on the table, centred at (x, y), highlighted if ``light``."""
    if light:
        put(table, glow(width, angle), x, y)
    put(table, card_sprite(card, width, angle), x, y)
