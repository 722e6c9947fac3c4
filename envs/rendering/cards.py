"""Cards as pictures, cut from an atlas and scaled: faces, the back, and the symbols of the suits.

``cards.png`` has every face twice. The second version, for cards narrower than 64 pixels, has a larger index and a
single pip. ``tools/cards`` of commit 2b6c5c95 drew it, and the page's ``cards.svg``.
"""

from __future__ import annotations

import io
from functools import lru_cache
from importlib import resources

from PIL import Image, ImageDraw, ImageFilter

from german_whist.game.cards import SUIT_SIZE

BACK = -1
SHAPE = 1.4  # height of a card divided by its width
RADIUS = 0.075  # radius of the corners, relative to the width

LARGE, SMALL = 320, 120  # pixels: widths of the cards in the atlas
SUIT_SIDE = 96  # pixels
_SMALLER = 64  # cards narrower than this have the small face


def cell_of(card: int, small: bool) -> tuple[int, int, int, int]:
    """Return the box of a card in the atlas: left, top, right, bottom. Rows are suits, then the backs."""
    width = SMALL if small else LARGE
    height, top = round(width * SHAPE), 5 * round(LARGE * SHAPE) if small else 0
    row, column = divmod(card, SUIT_SIZE) if card != BACK else (0 if small else 4, SUIT_SIZE if small else 0)
    return column * width, top + row * height, (column + 1) * width, top + (row + 1) * height


def suit_cell(suit: int) -> tuple[int, int, int, int]:
    """Return the box of a suit's symbol in the atlas, beside the back."""
    left, top = LARGE + suit * SUIT_SIDE, 4 * round(LARGE * SHAPE)
    return left, top, left + SUIT_SIDE, top + SUIT_SIDE


@lru_cache(maxsize=1)
def _atlas() -> Image.Image:
    data = (resources.files("german_whist.envs.rendering") / "cards.png").read_bytes()
    return Image.open(io.BytesIO(data))


@lru_cache(maxsize=128)
def card_picture(card: int, width: int) -> Image.Image:
    """Return a card (``BACK`` for its back) as RGBA, ``width`` pixels wide and 1.4 times as high."""
    return _scaled(card, width, 1)


@lru_cache(maxsize=256)
def card_sprite(card: int, width: int, angle: float = 0.0) -> Image.Image:
    """Return a card with its shadow, rotated by an angle in degrees (counter-clockwise) about its centre, RGBA.

    Pictures are cached: do not draw on them.
    """
    if not angle:
        face = card_picture(card, width)
    else:
        face = _scaled(card, width, 2).rotate(angle, Image.Resampling.BICUBIC, expand=True)
        face = face.crop((0, 0, face.width + face.width % 2, face.height + face.height % 2)).reduce(2)
    margin = max(width // 10, 2)
    size = (face.width + 2 * margin, face.height + 2 * margin)
    alpha = Image.new("L", size, 0)
    alpha.paste(face.getchannel("A").point(lambda value: value * 0.55), (margin + margin // 4, margin + margin // 3))
    sprite = Image.new("RGBA", size, (0, 12, 6, 0))
    sprite.putalpha(alpha.filter(ImageFilter.GaussianBlur(margin / 2.6)))
    sprite.alpha_composite(face, (margin, margin))
    return sprite


def suit_mask(suit: int, width: int) -> Image.Image:
    """Return a suit's symbol as the mask of a square, ``width`` pixels wide, mode "L"."""
    symbol = _atlas().crop(suit_cell(suit)).convert("L").point(lambda value: 255 - value)
    return symbol.resize((width, width), Image.Resampling.LANCZOS)


@lru_cache(maxsize=128)
def _scaled(card: int, width: int, times: int) -> Image.Image:
    """Return a card at a multiple of the width, with transparent corners."""
    size = (times * width, times * round(width * SHAPE))
    face = _atlas().crop(cell_of(card, width < _SMALLER)).convert("RGB").resize(size, Image.Resampling.LANCZOS)
    corners = Image.new("L", (4 * size[0], 4 * size[1]), 0)  # drawn larger: Pillow draws hard edges
    ImageDraw.Draw(corners).rounded_rectangle((0, 0, 4 * size[0] - 1, 4 * size[1] - 1), 4 * RADIUS * size[0], 255)
    face.putalpha(corners.reduce(4))
    return face
