"""Drawn deals as PNG and GIF files."""

from __future__ import annotations

import io
from collections.abc import Iterable

from PIL import Image

from german_whist.envs.rendering.modes import Picture

_COLORS = 192
_SECONDS, _RESULT_SECONDS = 0.8, 4.0  # how long a GIF shows a frame


def png_bytes(picture: Picture) -> bytes:
    """Return a picture, uint8[height, width, 3], as a PNG file."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG", optimize=True)
    return file.getvalue()


def gif_bytes(pictures: Iterable[Picture]) -> bytes:
    """Return the pictures of a deal as an animated GIF, with one palette, so that only changes take space."""
    frames = [Image.fromarray(picture) for picture in pictures]
    palette = frames[0].quantize(_COLORS, Image.Quantize.FASTOCTREE)
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    durations = [round(1000 * seconds) for seconds in (*[_SECONDS] * len(others), _RESULT_SECONDS)]
    file = io.BytesIO()
    first.save(file, "GIF", save_all=True, append_images=others, duration=durations, loop=0)
    return file.getvalue()
