"""A deal as a picture: both hands, the trick, the stock, and the state of the game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from german_whist.envs.rendering.cards import BACK, SHAPE
from german_whist.envs.rendering.modes import FRAME_SIZE, check_size
from german_whist.envs.rendering.pieces import felt, put_card
from german_whist.envs.rendering.plates import banner, caption, draw_game, draw_player
from german_whist.envs.rendering.trick_memory import Trick
from german_whist.game.cards import SUIT_SIZE, cards_of
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.text.scene import PLAYERS, Player, Scene, scene_of

_WIDTH, _HEIGHT = 960.0, 640.0  # the table on which the positions below are measured
_DISCARDED_PER_ROW = 9
_SUIT_ORDER = (3, 2, 0, 1)  # spades, hearts, clubs, diamonds: colours alternate


class Frame(NamedTuple):
    """The size of a picture, and its scale.

    Attributes:
        unit: pixels per unit of the 960 × 640 table.
        width: width of the picture in pixels.
        height: height of the picture in pixels.
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
        row: the row of the deal.
        seat: the seat whose view to show: of the other hand, only the cards that it saw taken. By default both hands
            are visible. This seat is at the bottom; by default seat 0 is.
        size: width and height in pixels, 120 to 8192 each.
        names: the names of seats 0 and 1.
        trick: the last complete trick (``TrickMemory.trick``), shown until the next card is led.
        scores: the match scores of seats 0 and 1, if the deal is part of a match.

    Raises:
        ValueError: if there is no such row or seat, or the size is not allowed.
    """
    width, height = check_size(size)
    scene = scene_of(batch, row, seat, names, scores)
    return np.array(_draw(scene, Frame(min(width / _WIDTH, height / _HEIGHT), width, height), names, trick))


def _draw(scene: Scene, frame: Frame, names: tuple[str, str], trick: Trick | None) -> Image.Image:
    table = felt(frame.width, frame.height).copy()
    middle = frame.height * 0.473
    _hand(table, scene, scene.far, frame, frame.px(82), frame.px(96), 1)
    _hand(table, scene, scene.near, frame, frame.height - frame.px(97), frame.px(112), -1)
    if scene.stock:
        _stock(table, scene, frame, middle)
    elif scene.discarded or scene.rules.humbug:
        _out_of_play(table, scene, frame, middle)
    _trick(table, scene, frame, middle, names, trick)
    left, right = frame.px(22), frame.width - frame.px(22)
    draw_player(table, scene, scene.far, left, middle - frame.px(74), frame.unit)
    draw_player(table, scene, scene.near, left, middle + frame.px(74), frame.unit)
    draw_game(table, scene, right, middle, frame.unit)
    words = scene.result or scene.non_card_decision
    if words:
        banner(table, words, frame.width / 2, middle + frame.px(122), frame.unit, bright=scene.done)
    return table


def _hand(table: Image.Image, scene: Scene, player: Player, frame: Frame, y: int, width: int, bend: int) -> None:
    """Draw a hand as a flat fan: visible cards by suit, then the hidden ones; ``bend`` is 1 at the top, −1 below."""
    cards = sorted(cards_of(player.hand), key=lambda card: (_order(card, scene.trump), -card))
    shown = cards + [BACK] * player.hidden
    if not shown:
        return
    room = frame.width - frame.px(170)
    gap = 0.0 if len(shown) == 1 else min((room - width) / (len(shown) - 1), width * 0.56)
    center = (len(shown) - 1) / 2
    for i, card in enumerate(shown):
        off = (i - center) / max(center, 6)
        angle = round(bend * off * 5.0, 1)
        drop = -bend * frame.px(9) * off * off
        put_card(table, card, frame.width / 2 + (i - center) * gap, y + drop, width, angle)


def _order(card: int, trump: int) -> int:
    """Return the position of a card's suit in a hand: trumps first, then alternating colours."""
    suit = card // SUIT_SIZE
    start = _SUIT_ORDER.index(trump) if trump >= 0 else 0
    turned = (_SUIT_ORDER[start:] + _SUIT_ORDER[:start]) if trump >= 0 else _SUIT_ORDER
    return turned.index(suit)


def _stock(table: Image.Image, scene: Scene, frame: Frame, middle: float) -> None:
    """Draw the face-down pile and the row of face-up cards beside it."""
    width = frame.px(96)
    left = frame.width / 2 - frame.px(196)
    hidden = scene.stock - len(scene.face_up)
    for layer in range(min((hidden + 4) // 5, 5)):
        put_card(table, BACK, left - layer * frame.px(2), middle - layer * frame.px(2), width)
    count = len(scene.face_up)
    gap = 0.0 if count < 2 else min(frame.px(66), frame.px(132) / (count - 1))
    start = left + (frame.px(112) if hidden or count < 2 else frame.px(40))
    for i, card in enumerate(scene.face_up):
        put_card(table, card, start + i * gap, middle, width, light=count == 1 or bool(scene.non_card_decision))
    caption(table, f"stock {scene.stock}", left, middle + width * SHAPE / 2 + frame.px(14), frame.unit)


def _out_of_play(table: Image.Image, scene: Scene, frame: Frame, middle: float) -> None:
    """Draw the blind hands of humbug, and below them the known cards."""
    left = frame.width / 2 - frame.px(196)
    width = frame.px(60)
    taken = [player.swapped for player in (scene.near, scene.far)].count(True)
    for pile in range(2 - taken):
        for layer in range(3):
            x = left + (pile + 0.5 * taken) * frame.px(72) - layer * frame.px(2)
            put_card(table, BACK, x, middle - frame.px(36) - layer * frame.px(2), width)
    if taken < 2:
        words = "blind hands" if taken == 0 else "blind hand"
        caption(table, words, left + frame.px(36), middle + frame.px(18), frame.unit)
    known = sorted(cards_of(scene.discarded), key=lambda card: (_order(card, scene.trump), -card))
    rows = -(-len(known) // _DISCARDED_PER_ROW)
    row_length = -(-len(known) // max(rows, 1))
    y = middle + (frame.px(64) if taken < 2 else frame.px(-18 * rows))
    for row in range(rows):
        cards = known[row * row_length : (row + 1) * row_length]
        for i, card in enumerate(cards):
            x = left + frame.px(54) + (i - (len(cards) - 1) / 2) * frame.px(19)
            put_card(table, card, x, y, frame.px(40))
        y += frame.px(36)
    if known:
        caption(table, "out of play", left + frame.px(54), y + frame.px(6), frame.unit)


def _trick(
    table: Image.Image, scene: Scene, frame: Frame, middle: float, names: tuple[str, str], trick: Trick | None
) -> None:
    """Draw the card led, or the last complete trick with the winning card highlighted."""
    width, humbug = frame.px(96), scene.rules.humbug
    center = frame.width / 2 + frame.px((180 if len(scene.face_up) > 1 else 130) if scene.stock or humbug else 60)
    if scene.led >= 0:
        on_table: list[tuple[int, int, bool]] = [(scene.leader, scene.led, False)]
    elif trick is not None:
        order = (1 - trick.winner, trick.winner)
        on_table = [(seat, trick.cards[seat], seat == trick.winner) for seat in order]
    else:
        return
    for seat, card, won in on_table:
        side = 1 if seat == scene.near.seat else -1
        put_card(table, card, center + side * frame.px(36), middle + side * frame.px(18), width, -2.0 * side, won)
    if scene.led < 0 and trick is not None and not scene.non_card_decision and not scene.done:
        caption(table, f"{names[trick.winner]} wins the trick", center, middle + frame.px(100), frame.unit)
