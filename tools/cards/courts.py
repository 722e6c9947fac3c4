"""King, queen and jack: half a figure in the colours of its suit, repeated upside down.

Coordinates are in card widths; a card is 1 wide and 1.4 high.
"""

from __future__ import annotations

from german_whist.envs.rendering.pieces import Color
from tools.cards.paths import Path, both_sides, curve, moved
from tools.cards.picture_pen import PicturePen

FRAME = (0.218, 0.13, 0.782, 1.27)
MIDDLE = 0.7

_GOLD, _INK, _SKIN, _WHITE, _PAPER = "#e3ad3b", "#2a2320", "#f2cda4", "#fffaf0", "#fbf3dc"
_ROBES = ("#1d5a50", "#a3332a", "#b01f35", "#27356f")  # C D H S
_LININGS = ("#b9412f", "#24486f", "#2b3a74", "#b3283a")
_HAIR = ("#6b4426", "#c98a35", "#d9a648", "#3a2f2b")
_HAIR_LINE = 0.008


def draw_court(pen: PicturePen, suit: int, rank: str) -> None:
    """Draw the framed figure of a card; ``rank`` is J, Q or K."""
    left, top, right, _ = FRAME

    def half(figure: PicturePen) -> None:
        _background(figure)
        _robe(figure, suit, rank)
        _head(figure, suit, rank)
        {"J": _cap, "Q": _diadem, "K": _crown}[rank](figure, suit)
        figure.suit(suit, left + 0.09, top + 0.1, 0.125, _robe_color(suit))

    pen.twice((left, top, right, MIDDLE), half, _PAPER)
    pen.line([(left, MIDDLE), (right, MIDDLE)], _INK, 0.02)
    pen.line([(left, MIDDLE), (right, MIDDLE)], _GOLD, 0.01)
    pen.box(FRAME, 0.015, None, _robe_color(suit), 0.012)


def _robe_color(suit: int) -> Color:
    return _ROBES[suit]


def _about_the_middle(half: Path) -> Path:
    return moved(both_sides(half), 0.5, 0.0)


def _background(pen: PicturePen) -> None:
    """Draw rays behind the figure, slightly darker than the paper."""
    for ray in range(-7, 8, 2):
        x = ray * 0.16
        pen.shape([(0.5, 0.66), (0.5 + x - 0.06, 0.0), (0.5 + x + 0.06, 0.0)], "#f4e7c3")


def _robe(pen: PicturePen, suit: int, rank: str) -> None:
    """Draw shoulders, a lining down the front, a row of jewels and a collar."""
    robe, lining = _ROBES[suit], _LININGS[suit]
    shoulders = curve((0.0, 0.43), [(0.1, 0.435), (0.27, 0.45), (0.3, 0.6)], [(0.31, 0.72)], [(0.0, 0.72)])
    pen.shape(_about_the_middle(shoulders), robe, _INK, _HAIR_LINE)
    for side in (-1, 1):
        sleeve = curve(
            (0.5 + side * 0.17, 0.475), [(0.5 + side * 0.2, 0.55), (0.5 + side * 0.19, 0.64), (0.5 + side * 0.17, 0.7)]
        )
        pen.line(sleeve, _GOLD, 0.016)
        for row in range(3):
            pen.suit(suit, 0.5 + side * 0.235, 0.525 + 0.07 * row, 0.045, _GOLD)
    front = [(0.0, 0.43), (0.06, 0.43), (0.115, 0.72), (0.0, 0.72)]
    pen.shape(_about_the_middle(front), lining, _GOLD, 0.014)
    for row in range(4):
        y = 0.535 + 0.052 * row
        pen.shape([(0.5, y - 0.022), (0.522, y), (0.5, y + 0.022), (0.478, y)], _GOLD)
    if rank == "K":
        collar = curve(
            (0.0, 0.44),
            [(0.07, 0.425)],
            [(0.16, 0.43), (0.2, 0.455), (0.23, 0.5)],
            [(0.12, 0.55), (0.05, 0.53), (0.0, 0.545)],
        )
        pen.shape(_about_the_middle(collar), _WHITE, _INK, _HAIR_LINE)
        for x in (-0.15, -0.075, 0.0, 0.075, 0.15):
            pen.oval(0.5 + x, 0.497 - 0.1 * x * x, 0.008, 0.018, _INK)
    elif rank == "Q":
        collar = curve((0.0, 0.53), [(0.06, 0.5), (0.1, 0.46), (0.12, 0.42)], [(0.2, 0.44), (0.17, 0.55), (0.0, 0.585)])
        pen.shape(_about_the_middle(collar), _WHITE, _INK, _HAIR_LINE)
        pen.shape(_about_the_middle([(0.0, 0.4), (0.055, 0.42), (0.0, 0.52)]), _SKIN)
        for x in (-0.05, -0.027, 0.0, 0.027, 0.05):
            pen.oval(0.5 + x, 0.47 - 6 * x * x, 0.0125, 0.0125, _WHITE, _INK)
    else:
        for x in (-0.1, -0.05, 0.0, 0.05, 0.1):
            pen.oval(0.5 + x, 0.457 - 1.2 * x * x, 0.034, 0.03, _WHITE, _INK)


def _head(pen: PicturePen, suit: int, rank: str) -> None:
    """Draw hair, face and, for the king, a beard."""
    hair = _HAIR[suit]
    if rank == "Q":
        locks = curve(
            (0.0, 0.22),
            [(0.12, 0.22), (0.135, 0.3), (0.13, 0.36)],
            [(0.13, 0.42), (0.18, 0.43), (0.17, 0.49)],
            [(0.14, 0.52), (0.09, 0.5), (0.075, 0.4)],
            [(0.0, 0.4)],
        )
        pen.shape(_about_the_middle(locks), hair, _INK, _HAIR_LINE)
    else:
        width = 0.125 if rank == "J" else 0.12
        bob = curve(
            (0.0, 0.22),
            [(0.11, 0.22), (width, 0.28), (width, 0.34)],
            [(width + 0.005, 0.41), (width + 0.035, 0.4), (width + 0.02, 0.43)],
            [(0.1, 0.46), (0.08, 0.42), (0.07, 0.4)],
            [(0.0, 0.4)],
        )
        pen.shape(_about_the_middle(bob), hair, _INK, _HAIR_LINE)
    face = curve(
        (0.0, 0.235), [(0.075, 0.235), (0.088, 0.28), (0.086, 0.335)], [(0.083, 0.4), (0.04, 0.435), (0.0, 0.437)]
    )
    pen.shape(_about_the_middle(face), _SKIN, _INK, _HAIR_LINE)
    if rank == "K":
        beard = curve(
            (0.0, 0.382), [(0.03, 0.372), (0.055, 0.37), (0.087, 0.335)], [(0.1, 0.42), (0.06, 0.49), (0.0, 0.515)]
        )
        pen.shape(_about_the_middle(beard), hair, _INK, _HAIR_LINE)
    for side in (-1, 1):
        x = 0.5 + side * 0.038
        pen.line(curve((x - 0.022, 0.3), [(x - 0.01, 0.288), (x + 0.01, 0.288), (x + 0.022, 0.3)]), _INK, 0.009)
        pen.oval(x, 0.317, 0.011, 0.009, _INK)
    pen.line([(0.5, 0.31), (0.491, 0.352), (0.505, 0.354)], "#b98a5e", 0.008)
    mouth = curve((0.478, 0.391), [(0.49, 0.4), (0.51, 0.4), (0.522, 0.391)])
    pen.line(mouth, "#a8322e", 0.013 if rank == "Q" else 0.01)
    if rank == "K":
        pen.line(curve((0.455, 0.385), [(0.475, 0.365), (0.495, 0.37), (0.5, 0.375)]), _INK, 0.007)
        pen.line(curve((0.545, 0.385), [(0.525, 0.365), (0.505, 0.37), (0.5, 0.375)]), _INK, 0.007)
    if rank == "Q":
        for side in (-1, 1):
            pen.oval(0.5 + side * 0.052, 0.366, 0.014, 0.01, "#ecb08f")


def _crown(pen: PicturePen, suit: int) -> None:
    points = [(0.0, 0.155), (0.035, 0.215), (0.075, 0.165), (0.09, 0.22), (0.15, 0.175), (0.118, 0.28), (0.0, 0.275)]
    pen.shape(_about_the_middle(points), _GOLD, _INK, _HAIR_LINE)
    pen.shape(
        _about_the_middle([(0.0, 0.248), (0.122, 0.252), (0.117, 0.282), (0.0, 0.278)]), _ROBES[suit], _INK, _HAIR_LINE
    )
    for x, y in ((0.0, 0.153), (0.075, 0.165), (-0.075, 0.165), (0.15, 0.175), (-0.15, 0.175)):
        pen.oval(0.5 + x, y, 0.016, 0.016, _WHITE if x else _LININGS[suit], _INK)
    for x in (-0.07, 0.0, 0.07):
        pen.shape([(0.5 + x - 0.016, 0.266), (0.5 + x, 0.254), (0.5 + x + 0.016, 0.266), (0.5 + x, 0.278)], _GOLD)


def _diadem(pen: PicturePen, suit: int) -> None:
    arches = curve(
        (0.0, 0.16),
        [(0.02, 0.19), (0.03, 0.2), (0.045, 0.21)],
        [(0.06, 0.19), (0.07, 0.185), (0.085, 0.18)],
        [(0.09, 0.2), (0.1, 0.215), (0.118, 0.215)],
        [(0.105, 0.272)],
        [(0.0, 0.258)],
    )
    pen.shape(_about_the_middle(arches), _GOLD, _INK, _HAIR_LINE)
    for x, y in ((0.0, 0.16), (0.085, 0.18), (-0.085, 0.18)):
        pen.oval(0.5 + x, y, 0.017, 0.017, _WHITE, _INK)
    for x, y in ((0.0, 0.228), (0.06, 0.235), (-0.06, 0.235)):
        pen.oval(0.5 + x, y, 0.015, 0.015, _LININGS[suit], _INK)


def _cap(pen: PicturePen, suit: int) -> None:
    feather = curve((0.59, 0.25), [(0.66, 0.24), (0.74, 0.2), (0.755, 0.15)], [(0.7, 0.15), (0.62, 0.17), (0.59, 0.25)])
    pen.shape(feather, _WHITE, _INK, _HAIR_LINE)
    pen.line(curve((0.59, 0.25), [(0.64, 0.215), (0.69, 0.19), (0.735, 0.165)]), _INK, 0.006)
    top = curve(
        (0.36, 0.25),
        [(0.33, 0.19), (0.4, 0.155), (0.5, 0.16)],
        [(0.62, 0.165), (0.67, 0.2), (0.63, 0.255)],
        [(0.36, 0.25)],
    )
    pen.shape(top, _LININGS[suit], _INK, _HAIR_LINE)
    brim = curve(
        (0.37, 0.245),
        [(0.43, 0.225), (0.57, 0.225), (0.63, 0.25)],
        [(0.625, 0.285)],
        [(0.57, 0.26), (0.43, 0.26), (0.375, 0.28)],
    )
    pen.shape(brim, _GOLD, _INK, _HAIR_LINE)
    pen.oval(0.59, 0.248, 0.022, 0.022, _ROBES[suit], _INK)
