"""Render modes and frame sizes, shared by the environments and everything that draws."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.specs import unknown_name

RENDER_MODES = ("ansi", "rgb_array", "human")
FRAMES_PER_SECOND = 2
FRAME_SIZE = (960, 640)  # width and height in pixels
SMALLEST, LARGEST = 120, 8192  # pixels, width and height of a frame

Picture = npt.NDArray[np.uint8]
"""A frame, uint8[height, width, 3], RGB."""


def check_render_mode(mode: str | None, allowed: tuple[str, ...] = RENDER_MODES) -> None:
    """Refuse a render mode that does not exist.

    Raises:
        ValueError: when there is no such mode.
    """
    if mode is not None and mode not in allowed:
        raise unknown_name("render mode", mode, allowed)


def check_size(size: tuple[int, int]) -> tuple[int, int]:
    """Return the width and height of a picture in pixels.

    Raises:
        ValueError: when they are no sizes of a picture.
    """
    for name, pixels in zip(("width", "height"), size, strict=True):
        if isinstance(pixels, bool) or not isinstance(pixels, (int, np.integer)) or not SMALLEST <= pixels <= LARGEST:
            raise ValueError(f"{name} {pixels!r} of a picture is not allowed: {SMALLEST} to {LARGEST} pixels")
    return int(size[0]), int(size[1])
