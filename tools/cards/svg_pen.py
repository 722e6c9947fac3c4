"""A pen that writes SVG, with the same methods as ``PicturePen``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tools.cards.paths import SUIT_SHAPES, Path

SCALE = 100.0  # SVG units of a card's width

_SUITS = "CDHS"


class SvgPen:
    """Draws on a card of width 1; suits and letters refer to definitions in the document.

    Attributes:
        parts: the elements drawn so far.
    """

    def __init__(self, name: str, colors: Mapping[str, str] | None = None) -> None:
        """Start an empty card.

        Args:
            name: prefix of the ids of parts that are drawn twice.
            colors: replacements of colours, such as ``currentColor`` for the ink of a suit.
        """
        self.parts: list[str] = []
        self._name = name
        self._colors = colors or {}

    def shape(self, path: Path, fill: str | None, line: str | None = None, width: float = 0.0) -> None:
        """Fill an outline and draw its border, each if given a colour."""
        self._add(f'<path d="{path_data(path)}Z"{self._paint(fill, line, width)}/>')

    def line(self, path: Path, color: str, width: float) -> None:
        """Draw an open line."""
        self._add(f'<path d="{path_data(path)}"{self._paint(None, color, width)}/>')

    def oval(self, x: float, y: float, rx: float, ry: float, fill: str | None, line: str | None = None) -> None:
        """Draw an ellipse centred at (x, y), with a thin border if given a colour."""
        size = f'cx="{_n(x)}" cy="{_n(y)}" rx="{_n(rx)}" ry="{_n(ry)}"'
        self._add(f"<ellipse {size}{self._paint(fill, line, 0.008)}/>")

    def box(
        self,
        box: tuple[float, float, float, float],
        radius: float,
        fill: str | None,
        line: str | None,
        width: float,
    ) -> None:
        """Draw a rectangle (left, top, right, bottom) with rounded corners; the border lies inside."""
        inset = width / 2 if line is not None else 0.0
        left, top, right, bottom = (edge + sign * inset for edge, sign in zip(box, (1, 1, -1, -1), strict=True))
        size = f'x="{_n(left)}" y="{_n(top)}" width="{_n(right - left)}" height="{_n(bottom - top)}" rx="{_n(radius)}"'
        self._add(f"<rect {size}{self._paint(fill, line, width)}/>")

    def suit(self, suit: int, x: float, y: float, size: float, fill: str, turned: bool = False) -> None:
        """Draw a suit's symbol, centred at (x, y)."""
        self._copy(f"suit-{_SUITS[suit]}", x, y, -size if turned else size, fill)

    def text(self, x: float, y: float, words: str, font: str, size: float, fill: str) -> None:
        """Write one character centred at (x, y); ``font`` is that of the definitions."""
        self._copy(f"letter-{words}", x, y, size, fill)

    def twice(
        self,
        box: tuple[float, float, float, float],
        draw: Callable[[SvgPen], None],
        paper: str | None = None,
    ) -> None:
        """Draw a part of a card, and repeat it upside down at the other end; with ``paper``, clipped to the box."""
        part = SvgPen(self._name, self._colors)
        clip = ""
        if paper is not None:
            part.box(box, 0, paper, None, 0)
            clip = ' clip-path="url(#half)"'
        draw(part)
        name = f"{self._name}-{len(self.parts)}"
        self._add(f'<g id="{name}"{clip}>{"".join(part.parts)}</g>')
        self._add(f'<use href="#{name}" transform="rotate(180 50 70)"/>')

    def _copy(self, name: str, x: float, y: float, scale: float, fill: str) -> None:
        """Draw a definition of the document; ``currentColor`` is inherited and not written."""
        color = self._color(fill)
        paint = "" if color == "currentColor" else f' fill="{color}"'
        self._add(f'<use href="#{name}" transform="translate({_n(x)} {_n(y)}) scale({scale:g})"{paint}/>')

    def _add(self, part: str) -> None:
        self.parts.append(part)

    def _color(self, color: str) -> str:
        return self._colors.get(color, color)

    def _paint(self, fill: str | None, line: str | None, width: float) -> str:
        """Return the attributes of fill and border."""
        paint = f' fill="{"none" if fill is None else self._color(fill)}"'
        if line is not None:
            paint += f' stroke="{self._color(line)}" stroke-width="{_n(width)}"'
        return paint


def path_data(path: Path) -> str:
    """Return a path as the value of SVG's ``d`` attribute."""
    parts = []
    for number, knot in enumerate(path):
        command = "M" if number == 0 else "C" if len(knot) == 6 else "L"
        parts.append(command + " ".join(_n(value) for value in knot))
    return "".join(parts).replace(" -", "-")


def suit_symbols() -> str:
    """Return definitions of the suits' symbols, each in a box of size 100 around (0, 0)."""
    return "".join(
        f'<path id="suit-{letter}" d="{"".join(path_data(path) + "Z" for path in shapes)}"/>'
        for letter, shapes in zip(_SUITS, SUIT_SHAPES, strict=True)
    )


def _n(length: float) -> str:
    """Format a length of a card in SVG units, as briefly as possible."""
    text = f"{length * SCALE:.1f}".rstrip("0").rstrip(".")
    text = "0" if text == "-0" else text
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
