"""A pen that draws on a Pillow image, in scaled coordinates."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path as FilePath

from PIL import Image, ImageDraw, ImageFont

from german_whist.envs.rendering.pieces import Box, Color
from tools.cards.paths import SUIT_SHAPES, Path, moved, points_of

SERIF_BOLD = "DejaVuSerif-Bold.ttf"


class PicturePen:
    """Draws on an image in coordinates that are multiplied by ``scale``."""

    def __init__(self, image: Image.Image, scale: float) -> None:
        """Draw on ``image``."""
        self.image = image
        self.scale = scale
        self._draw = ImageDraw.Draw(image)

    def shape(self, path: Path, fill: Color | None, line: Color | None = None, width: float = 0.0) -> None:
        """Fill an outline and draw its border, each if given a colour."""
        points = points_of(moved(path, 0, 0, self.scale))
        if fill is not None:
            self._draw.polygon(points, fill)
        if line is not None:
            self._draw.line([*points, points[0], points[1]], line, max(round(width * self.scale), 1), "curve")

    def line(self, path: Path, color: Color, width: float) -> None:
        """Draw an open line."""
        self._draw.line(points_of(moved(path, 0, 0, self.scale)), color, max(round(width * self.scale), 1), "curve")

    def oval(self, x: float, y: float, rx: float, ry: float, fill: Color | None, line: Color | None = None) -> None:
        """Draw an ellipse centred at (x, y), with a thin border if given a colour."""
        s = self.scale
        box = (s * (x - rx), s * (y - ry), s * (x + rx), s * (y + ry))
        self._draw.ellipse(box, fill, line, max(round(0.008 * s), 1))

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

    def suit(self, suit: int, x: float, y: float, size: float, fill: Color, turned: bool = False) -> None:
        """Draw a suit's symbol, centred at (x, y)."""
        for path in SUIT_SHAPES[suit]:
            self.shape(moved(path, x, y, size, turned), fill)

    def text(self, x: float, y: float, words: str, font: str, size: float, fill: Color, anchor: str = "mm") -> None:
        """Write text at (x, y); ``anchor`` is Pillow's."""
        self._draw.text((self.scale * x, self.scale * y), words, fill, font_of(font, self.scale * size), anchor)

    def twice(self, box: Box, draw: Callable[[PicturePen], None], paper: Color | None = None) -> None:
        """Draw a part of a card, and repeat it upside down at the other end of the card.

        Args:
            box: the part of the drawing to repeat.
            draw: draws the part.
            paper: a background; with one, the drawing is clipped to the box and repeated directly below it.
        """
        sheet = self if paper is None else PicturePen(Image.new("RGB", self.image.size, paper), self.scale)
        draw(sheet)
        left, top, right, bottom = (round(edge * self.scale) for edge in box)
        part = sheet.image.crop((left, top, right, bottom))
        if paper is not None:
            self.image.paste(part, (left, top))
        place = (self.image.width - right, self.image.height - bottom) if paper is None else (left, bottom)
        self.image.paste(part.rotate(180), place)


@lru_cache
def font_of(name: str, size: float) -> ImageFont.FreeTypeFont:
    """Return a font of this folder at a size in pixels."""
    file = FilePath(__file__).parent / name
    return ImageFont.truetype(file, max(round(size), 1), layout_engine=ImageFont.Layout.BASIC)
