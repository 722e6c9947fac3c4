"""The atlas: all cards in one picture, which ``envs/rendering/cards.py`` cuts and scales; it defines the layout."""

from __future__ import annotations

from PIL import Image, ImageDraw

from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.rendering.cards import BACK, SHAPE, SHEET, SUIT_SIDE, cell_of, suit_cell
from tools.cards.faces import EDGE, PAPER, RADIUS, draw_back, draw_face
from tools.cards.picture_pen import PicturePen

SMOOTH = 4  # supersampling: Pillow draws without anti-aliasing, so everything is drawn larger and averaged down
COLORS = 256


def atlas() -> Image.Image:
    """Return all cards, large and small, and the suits in black on white, in one palette."""
    sheet = Image.new("RGB", SHEET, PAPER)
    for small in (False, True):
        for card in (*range(NUM_CARDS), BACK):
            left, top, right, _ = cell_of(card, small)
            sheet.paste(_card(card, right - left, small), (left, top))
    for suit in range(4):
        side = SMOOTH * SUIT_SIDE
        symbol = Image.new("RGB", (side, side), "white")
        PicturePen(symbol, side).suit(suit, 0.5, 0.5, 1.0, "black")
        sheet.paste(symbol.reduce(SMOOTH), suit_cell(suit)[:2])
    return sheet.quantize(COLORS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _card(card: int, width: int, small: bool) -> Image.Image:
    scale = SMOOTH * width
    size = (scale, SMOOTH * round(width * SHAPE))
    image = Image.new("RGB", size, PAPER)
    pen = PicturePen(image, scale)
    height = size[1] / scale
    if card == BACK:
        draw_back(pen, height)
    else:
        draw_face(pen, card, small)
    pen.box((0, 0, 1 - 1 / scale, height - 1 / scale), RADIUS, None, EDGE, 0.012)
    # Outside its round corners a card has the colour of its edge, so that scaling does not lighten the corners.
    mask = Image.new("L", size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), RADIUS * scale, 255)
    return Image.composite(image, Image.new("RGB", size, EDGE), mask).reduce(SMOOTH)
