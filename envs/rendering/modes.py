"""Render modes and frame sizes, shared by the environments and the renderers."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from german_whist.game.utils.checks import check_int
from german_whist.game.utils.names import unknown_name_error

RenderMode = Literal["ansi", "rgb_array", "human"]
RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)
FRAMES_PER_SECOND = 2
FRAME_SIZE = (960, 640)  # width and height in pixels
MIN_PIXELS, MAX_PIXELS = 120, 8192  # width and height of a frame

Picture = npt.NDArray[np.uint8]
"""A frame, uint8[height, width, 3], RGB."""


def check_render_mode(mode: str | None, allowed: tuple[str, ...] = RENDER_MODES) -> None:
    """Check that a render mode exists.

    Raises:
        ValueError: if it does not.
    """
    if mode is not None and mode not in allowed:
        raise unknown_name_error("render mode", mode, allowed)


def check_size(size: tuple[int, int]) -> tuple[int, int]:
    """Return the width and height of a picture as ints.

    Raises:
        ValueError: if one is not an integer from 120 to 8192.
    """
    width, height = size
    pixels = MIN_PIXELS, MAX_PIXELS
    return check_int("width of a picture", width, *pixels), check_int("height of a picture", height, *pixels)
