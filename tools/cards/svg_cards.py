"""The cards as one SVG document, with a symbol for each face, classic and modern, and for each back.

Symbols have names such as ``classic-HQ``, ``modern-HQ`` and ``back-lattice``. Suits and backs are drawn in
``currentColor``.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from pathlib import Path
from typing import Any, cast

from german_whist.envs.engine.cards import RANKS, SUITS
from german_whist.envs.rendering.cards import SHAPE
from tools.cards.courts import FRAME, MIDDLE
from tools.cards.faces import BACK_GOLD, CREAM, EDGE, INKS, PAPER, RADIUS, draw_face
from tools.cards.picture_pen import SERIF_BOLD, PicturePen
from tools.cards.svg_pen import SvgPen, suit_symbols

FACES = ("classic", "modern")
BACKS = ("lattice", "waves", "diamonds")

_LETTERS = sorted({*RANKS, "1", "0"} - {"T"})
_PATTERNS = {
    "lattice": (
        11,
        11,
        '<path d="M0 0L11 11M11 0L0 11" stroke="#fff" stroke-opacity=".25" stroke-width="1.3"/>'
        f'<path d="M5.5 3.7L7.3 5.5 5.5 7.3 3.7 5.5ZM0-1.8L1.8 0 0 1.8ZM11-1.8L9.2 0 11 1.8ZM0 12.8L1.8 11 0 9.2Z'
        f'M11 12.8L9.2 11 11 9.2Z" fill="{CREAM}"/>',
    ),
    "waves": (
        16,
        16,
        f'<path d="M0 8a8 8 0 0 1 16 0M3 8a5 5 0 0 1 10 0M6 8a2 2 0 0 1 4 0M-8 16a8 8 0 0 1 16 0a8 8 0 0 1 16 0'
        f'M-5 16a5 5 0 0 1 10 0M11 16a5 5 0 0 1 10 0M-2 16a2 2 0 0 1 4 0M14 16a2 2 0 0 1 4 0" fill="none" '
        f'stroke="{CREAM}" stroke-opacity=".55" stroke-width=".9"/>',
    ),
    "diamonds": (
        10,
        14,
        f'<path d="M5 0L10 7 5 14 0 7Z" fill="#fff" fill-opacity=".14" stroke="{CREAM}" stroke-opacity=".45" '
        f'stroke-width=".6"/><path d="M5 4.6L6.7 7 5 9.4 3.3 7Z" fill="{CREAM}" fill-opacity=".8"/>',
    ),
}


def svg_cards() -> str:
    """Return the SVG document of all cards."""
    left, top, right, _ = (100 * edge for edge in FRAME)
    clip = f'<rect x="{left:g}" y="{top:g}" width="{right - left:g}" height="{100 * MIDDLE - top:g}"/>'
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg"><defs>',
        f'<clipPath id="half">{clip}</clipPath>',
        suit_symbols(),
        _letters(),
        *(_pattern(name) for name in BACKS),
        "</defs>",
        *(_face(face, card) for face in FACES for card in range(len(SUITS) * len(RANKS))),
        *(_back(name) for name in BACKS),
        "</svg>",
    ]
    return _shared("\n".join(parts)) + "\n"


def _shared(text: str) -> str:
    """Move elements that several cards have in common into definitions, so that they are written once."""
    elements = re.findall(r"<(?:path|ellipse|use|rect) [^>]*/>", text)
    repeated = [element for element, count in Counter(elements).items() if count > 2 and len(element) > 45]
    definitions = []
    for number, element in enumerate(repeated):
        name = f"e{number}"
        tag, _, attributes = element.partition(" ")
        text = text.replace(element, f'<use href="#{name}"/>')
        definitions.append(f'{tag} id="{name}" {attributes}')
    return text.replace("</defs>", "".join(definitions) + "</defs>", 1)


def _face(face: str, card: int) -> str:
    suit, rank = divmod(card, len(RANKS))
    name = f"{face}-{SUITS[suit]}{RANKS[rank]}"
    pen = SvgPen(name, dict.fromkeys(map(str, INKS), "currentColor"))
    pen.box((0, 0, 1, SHAPE), RADIUS, PAPER, EDGE, 0.012)
    draw_face(cast(PicturePen, pen), card, small=face == "modern")
    return _symbol(name, pen)


def _back(name: str) -> str:
    """Return the symbol of a back: a frame, a pattern in it, and the four suits in the middle."""
    pen = SvgPen(f"back-{name}")
    pen.box((0, 0, 1, SHAPE), RADIUS, PAPER, EDGE, 0.012)
    pen.box((0.06, 0.06, 0.94, SHAPE - 0.06), 0.04, "currentColor", None, 0)
    pen.box((0.095, 0.095, 0.905, SHAPE - 0.095), 0.01, f"url(#pattern-{name})", BACK_GOLD, 0.014)
    pen.oval(0.5, 0.7, 0.2, 0.2, "currentColor")
    pen.oval(0.5, 0.7, 0.185, 0.185, CREAM)
    pen.oval(0.5, 0.7, 0.17, 0.17, "currentColor")
    for suit, (x, y) in enumerate(((-0.062, 0.062), (0.062, 0.062), (-0.062, -0.062), (0.062, -0.062))):
        pen.suit(suit, 0.5 + x, 0.7 + y, 0.1, CREAM)
    return _symbol(f"back-{name}", pen)


def _symbol(name: str, pen: SvgPen) -> str:
    return f'<symbol id="{name}" viewBox="0 0 100 {100 * SHAPE:g}" fill="currentColor">{"".join(pen.parts)}</symbol>'


def _pattern(name: str) -> str:
    width, height, content = _PATTERNS[name]
    size = f'x="50" y="70" width="{width}" height="{height}" patternUnits="userSpaceOnUse"'
    return f'<pattern id="pattern-{name}" {size}>{content}</pattern>'


def _letters() -> str:
    """Return the outlines of the ranks' characters, at 100 units per em, centred like Pillow's anchor "mm"."""
    from fontTools.pens.svgPathPen import SVGPathPen
    from fontTools.pens.transformPen import TransformPen
    from fontTools.ttLib import TTFont

    data = (Path(__file__).parent / SERIF_BOLD).read_bytes()
    font: Any = TTFont(io.BytesIO(data))
    scale = 100 / font["head"].unitsPerEm
    middle = (font["hhea"].ascent + font["hhea"].descent) / 2
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    parts = []
    for letter in _LETTERS:
        glyph = glyphs[names[ord(letter)]]
        pen = SVGPathPen(glyphs, ntos=lambda number: f"{number:.1f}".removesuffix(".0"))
        glyph.draw(TransformPen(pen, (scale, 0, 0, -scale, -scale * glyph.width / 2, scale * middle)))
        parts.append(f'<path id="letter-{letter}" d="{pen.getCommands()}"/>')
    return "".join(parts)
