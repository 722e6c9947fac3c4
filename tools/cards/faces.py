"""The faces and the back of the cards, drawn with a pen, ``picture_pen.PicturePen`` or ``svg_pen.SvgPen``.

Coordinates are in card widths.
"""

from __future__ import annotations

from PIL import Image

from german_whist.envs.engine.cards import RANKS, SUIT_SIZE
from german_whist.envs.rendering.cards import SHAPE
from german_whist.envs.rendering.pieces import Color
from tools.cards.courts import draw_court
from tools.cards.picture_pen import SERIF_BOLD, PicturePen

INKS: tuple[Color, ...] = ("#16181c", "#c22026", "#c22026", "#16181c")
PAPER, EDGE = "#fffdf7", "#b9b2a2"
_NAVY, CREAM, BACK_GOLD = "#7a1f2b", "#f7efdc", "#d9a95a"
RADIUS = 0.075

_LEFT, _CENTER, _RIGHT = 0.325, 0.5, 0.675
_TOP, _HIGH, _UPPER, _MIDDLE = 0.26, 0.405, 0.48, 0.7
_PAIR = ((_LEFT, _TOP), (_RIGHT, _TOP))
_SIDES = ((_LEFT, _MIDDLE), (_RIGHT, _MIDDLE))
_FOUR = (*_PAIR, (_LEFT, 0.555), (_RIGHT, 0.555))

# Positions of the pips of 2 to 10: those of the upper half, which are repeated upside down, and those that are not.
_PIPS: tuple[tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]], ...] = (
    (((_CENTER, _TOP),), ()),
    (((_CENTER, _TOP),), ((_CENTER, _MIDDLE),)),
    (_PAIR, ()),
    (_PAIR, ((_CENTER, _MIDDLE),)),
    (_PAIR, _SIDES),
    (_PAIR, (*_SIDES, (_CENTER, _UPPER))),
    ((*_PAIR, (_CENTER, _UPPER)), _SIDES),
    (_FOUR, ((_CENTER, _MIDDLE),)),
    ((*_FOUR, (_CENTER, _HIGH)), ()),
)


def draw_face(pen: PicturePen, card: int, small: bool) -> None:
    """Draw the face of a card; a small card has a larger index and a single pip."""
    suit, number = divmod(card, SUIT_SIZE)
    rank = RANKS[number]
    if small:
        pen.suit(suit, 0.62, 0.98, 0.5, INKS[suit])
    elif rank == "A":
        _ace(pen, suit)
    elif rank in "JQK":
        draw_court(pen, suit, rank)
    else:
        upper, middle = _PIPS[number]
        for x, y in upper:
            pen.suit(suit, x, y, 0.195, INKS[suit])
            pen.suit(suit, 1 - x, SHAPE - y, 0.195, INKS[suit], turned=True)
        for x, y in middle:
            pen.suit(suit, x, y, 0.195, INKS[suit])
    if small:
        _index(pen, suit, rank, small)
    else:
        pen.twice((0, 0, 0.215, 0.45), lambda corner: _index(corner, suit, rank, small))


def _index(pen: PicturePen, suit: int, rank: str, small: bool) -> None:
    """Draw the index: the rank in the upper left corner, with the suit below it."""
    size, x = (0.4, 0.25) if small else (0.19, 0.115)
    y = 0.25 if small else 0.135
    color = INKS[suit]
    if rank == "T":
        x = max(x, 0.72 * size)
        pen.text(x - 0.34 * size, y, "1", SERIF_BOLD, size * 0.92, color)
        pen.text(x + 0.22 * size, y, "0", SERIF_BOLD, size * 0.92, color)
    else:
        pen.text(x, y, rank, SERIF_BOLD, size, color)
    pen.suit(suit, x, y + 0.87 * size, size * 0.68, color)


def _ace(pen: PicturePen, suit: int) -> None:
    color = INKS[suit]
    if suit == 3:
        pen.suit(suit, 0.5, 0.7, 0.62, color)
        pen.suit(suit, 0.5, 0.71, 0.47, PAPER)
        pen.suit(suit, 0.5, 0.715, 0.39, color)
        pen.suit(suit, 0.5, 0.725, 0.16, BACK_GOLD)
    else:
        pen.suit(suit, 0.5, 0.7, 0.42, color)


def draw_back(pen: PicturePen, height: float) -> None:
    """Draw the back: a framed lattice with a lozenge at each crossing."""
    inset = 0.06
    inner = (inset, inset, 1 - inset, height - inset)
    pen.box(inner, 0.04, _NAVY, None, 0)
    step = 0.11
    field = Image.new("RGB", pen.image.size, _NAVY)
    lattice = PicturePen(field, pen.scale)
    for number in range(-14, 24):
        x = number * step
        lattice.line([(x, 0), (x + height, height)], "#a34a4f", 0.014)
        lattice.line([(x, 0), (x - height, height)], "#a34a4f", 0.014)
    for row in range(28):
        for column in range(20):
            x, y = (column - 0.5 * (row % 2)) * step, (row + 1) * step / 2
            lattice.shape([(x, y - 0.018), (x + 0.018, y), (x, y + 0.018), (x - 0.018, y)], CREAM)
    s = pen.scale
    edge = 0.095
    box = (round(edge * s), round(edge * s), round((1 - edge) * s), round((height - edge) * s))
    pen.image.paste(field.crop(box), box[:2])
    pen.box((edge, edge, 1 - edge, height - edge), 0.01, None, BACK_GOLD, 0.014)
    center = height / 2
    pen.oval(0.5, center, 0.2, 0.2, _NAVY, None)
    pen.oval(0.5, center, 0.185, 0.185, CREAM, None)
    pen.oval(0.5, center, 0.17, 0.17, _NAVY, None)
    for suit, (x, y) in enumerate(((-0.062, 0.062), (0.062, 0.062), (-0.062, -0.062), (0.062, -0.062))):
        pen.suit(suit, 0.5 + x, center + y, 0.1, CREAM)
