"""A deal as a picture: both hands, the trick, the stock, and what there is to know about the game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from german_whist.envs.engine.cards import SUIT_SIZE, cards_of
from german_whist.envs.rendering.cards import BACK, SHAPE
from german_whist.envs.rendering.modes import FRAME_SIZE, check_size
from german_whist.envs.rendering.pieces import felt, put_card
from german_whist.envs.rendering.plates import banner, caption, draw_game, draw_player
from german_whist.envs.rendering.trick_memory import Trick
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.text.scene import PLAYERS, Player, Scene, see

_WIDTH, _HEIGHT = 960.0, 640.0  # the table that the places below are measured on
_OUT_ROW = 9  # cards out of play in a row
_SUIT_ORDER = (3, 2, 0, 1)  # spades, hearts, clubs, diamonds: the colours take turns


class Spot(NamedTuple):
    """Where things are on the picture, in pixels.

    Attributes:
        unit: pixels by one of the 960 × 640 table.
        width: of the picture.
        height: of the picture.
    """

    unit: float
    width: int
    height: int

    def px(self, length: float) -> int:
        """Return a length of the 960 × 640 table in pixels."""
        return max(round(length * self.unit), 1)


def deal_picture(
    batch: DealBatch,
    row: int = 0,
    seat: int | None = None,
    size: tuple[int, int] = FRAME_SIZE,
    names: tuple[str, str] = PLAYERS,
    trick: Trick | None = None,
    scores: tuple[float, float] | None = None,
) -> npt.NDArray[np.uint8]:
    """Return one deal of a batch as a picture, uint8[height, width, 3].

    Args:
        batch: the deals.
        row: which of them.
        seat: whose view to show: of the other hand only the cards that this seat saw taken lie open. Both hands are
            open by default. Seat 0 sits at the bottom, or the seat whose view it is.
        size: width and height in pixels, 120 to 8192 each.
        names: what seats 0 and 1 are called.
        trick: the last complete trick, as a ``TrickMemory`` saw it; shown until the next card is led.
        scores: the scores of seats 0 and 1 where the deal is one of a match.

    Raises:
        ValueError: when there is no such row or seat, or the size is not allowed.
    """
    width, height = check_size(size)
    scene = see(batch, row, seat, names, scores)
    return np.array(_draw(scene, Spot(min(width / _WIDTH, height / _HEIGHT), width, height), names, trick))


def _draw(scene: Scene, spot: Spot, names: tuple[str, str], trick: Trick | None) -> Image.Image:
    table = felt(spot.width, spot.height).copy()
    middle = spot.height * 0.473
    _hand(table, scene, scene.far, spot, spot.px(82), spot.px(96), 1)
    _hand(table, scene, scene.near, spot, spot.height - spot.px(97), spot.px(112), -1)
    if scene.stock:
        _stock(table, scene, spot, middle)
    elif scene.out or scene.rules.humbug:
        _out_of_play(table, scene, spot, middle)
    _trick(table, scene, spot, middle, names, trick)
    left, right = spot.px(22), spot.width - spot.px(22)
    draw_player(table, scene, scene.far, left, middle - spot.px(74), spot.unit)
    draw_player(table, scene, scene.near, left, middle + spot.px(74), spot.unit)
    draw_game(table, scene, right, middle, spot.unit)
    words = scene.result or scene.choice
    if words:
        banner(table, words, spot.width / 2, middle + spot.px(122), spot.unit, bright=scene.done)
    return table


def _hand(table: Image.Image, scene: Scene, player: Player, spot: Spot, y: int, width: int, bend: int) -> None:
    """Lay a hand in a flat fan: open cards by suit, then those nobody may see; ``bend`` is 1 at the top, −1 below."""
    cards = sorted(cards_of(player.hand), key=lambda card: (_order(card, scene.trump), -card))
    places = cards + [BACK] * player.hidden
    if not places:
        return
    room = spot.width - spot.px(170)
    gap = 0.0 if len(places) == 1 else min((room - width) / (len(places) - 1), width * 0.56)
    center = (len(places) - 1) / 2
    for place, card in enumerate(places):
        off = (place - center) / max(center, 6)
        angle = round(bend * off * 5.0, 1)
        drop = -bend * spot.px(9) * off * off
        put_card(table, card, spot.width / 2 + (place - center) * gap, y + drop, width, angle)


def _order(card: int, trump: int) -> int:
    """Return the place of a card's suit in a hand: trumps first, then so that the colours take turns."""
    suit = card // SUIT_SIZE
    start = _SUIT_ORDER.index(trump) if trump >= 0 else 0
    turned = (_SUIT_ORDER[start:] + _SUIT_ORDER[:start]) if trump >= 0 else _SUIT_ORDER
    return turned.index(suit)


def _stock(table: Image.Image, scene: Scene, spot: Spot, middle: float) -> None:
    """Lay the face-down pile and the row of open cards beside it."""
    width = spot.px(96)
    left = spot.width / 2 - spot.px(196)
    hidden = scene.stock - len(scene.face_up)
    for layer in range(min((hidden + 4) // 5, 5)):
        put_card(table, BACK, left - layer * spot.px(2), middle - layer * spot.px(2), width)
    count = len(scene.face_up)
    gap = 0.0 if count < 2 else min(spot.px(66), spot.px(132) / (count - 1))
    start = left + (spot.px(112) if hidden or count < 2 else spot.px(40))
    for place, card in enumerate(scene.face_up):
        put_card(table, card, start + place * gap, middle, width, light=count == 1 or bool(scene.choice))
    caption(table, f"stock {scene.stock}", left, middle + width * SHAPE / 2 + spot.px(14), spot.unit)


def _out_of_play(table: Image.Image, scene: Scene, spot: Spot, middle: float) -> None:
    """Lay what is out of play in humbug: the blind hands, and below them the cards the watcher knows of."""
    left = spot.width / 2 - spot.px(196)
    width = spot.px(60)
    taken = [player.swapped for player in (scene.near, scene.far)].count(True)
    for pile in range(2 - taken):
        for layer in range(3):
            x = left + (pile + 0.5 * taken) * spot.px(72) - layer * spot.px(2)
            put_card(table, BACK, x, middle - spot.px(36) - layer * spot.px(2), width)
    if taken < 2:
        words = "blind hands" if taken == 0 else "blind hand"
        caption(table, words, left + spot.px(36), middle + spot.px(18), spot.unit)
    known = sorted(cards_of(scene.out), key=lambda card: (_order(card, scene.trump), -card))
    rows = -(-len(known) // _OUT_ROW)
    row_length = -(-len(known) // max(rows, 1))
    y = middle + (spot.px(64) if taken < 2 else spot.px(-18 * rows))
    for row in range(rows):
        cards = known[row * row_length : (row + 1) * row_length]
        for place, card in enumerate(cards):
            x = left + spot.px(54) + (place - (len(cards) - 1) / 2) * spot.px(19)
            put_card(table, card, x, y, spot.px(40))
        y += spot.px(36)
    if known:
        caption(table, "out of play", left + spot.px(54), y + spot.px(6), spot.unit)


def _trick(
    table: Image.Image, scene: Scene, spot: Spot, middle: float, names: tuple[str, str], trick: Trick | None
) -> None:
    """Lay the card led, or the last two cards with the winner's in the light."""
    width, humbug = spot.px(96), scene.rules.humbug
    center = spot.width / 2 + spot.px((180 if len(scene.face_up) > 1 else 130) if scene.stock or humbug else 60)
    if scene.led >= 0:
        on_table: list[tuple[int, int, bool]] = [(scene.leader, scene.led, False)]
    elif trick is not None:
        order = (1 - trick.winner, trick.winner)
        on_table = [(seat, trick.cards[seat], seat == trick.winner) for seat in order]
    else:
        return
    for seat, card, won in on_table:
        side = 1 if seat == scene.near.seat else -1
        put_card(table, card, center + side * spot.px(36), middle + side * spot.px(18), width, -2.0 * side, won)
    if scene.led < 0 and trick is not None and not scene.choice and not scene.done:
        caption(table, f"{names[trick.winner]} wins the trick", center, middle + spot.px(100), spot.unit)
