"""Rendering for the environments: text, pictures, or a window.

``"human"`` opens a window if there is a display and both pygame and Pillow are installed; otherwise it prints text. If
the user closes the window it stays closed, and the game continues.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt

from german_whist.envs.rendering.modes import FRAME_SIZE, FRAMES_PER_SECOND, RENDER_MODES, Picture, check_render_mode
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.text.deal_text import deal_text, print_deal
from german_whist.simulator.text.scene import PLAYERS

if TYPE_CHECKING:
    from german_whist.envs.rendering.window import Window

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")


def load_drawing() -> Any:
    """Return the module that draws pictures.

    Raises:
        ModuleNotFoundError: if Pillow is not installed; the message names the extra.
    """
    try:
        from german_whist.envs.rendering import table
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "PIL":
            raise
        message = 'pictures need Pillow, which is not installed: pip install "german-whist[render]"'
        raise ModuleNotFoundError(message, name="PIL") from None
    return table


def render_rows(
    batch: DealBatch,
    seats: npt.NDArray[np.int64],
    size: tuple[int, int] | None,
    scores: Sequence[tuple[float, float] | None],
) -> tuple[str | Picture, ...]:
    """Render one seat's view of each row, as texts or pictures.

    Args:
        batch: the deals.
        seats: the seat in each row, int64[rows].
        size: width and height of the pictures in pixels; ``None`` for texts.
        scores: the match scores of seats 0 and 1 in each row, if deals are part of matches.
    """
    rows = [*enumerate(zip(seats.tolist(), scores, strict=True))]
    if size is None:
        return tuple(deal_text(batch, row, seat, scores=score) for row, (seat, score) in rows)
    draw = load_drawing().deal_picture
    return tuple(draw(batch, row, seat, size, scores=score) for row, (seat, score) in rows)


def has_display() -> bool:
    """Return whether a window can be shown: always on Windows and macOS, elsewhere if a display is configured."""
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in _DISPLAYS)


class Renderer:
    """Renders one deal at a time in one render mode.

    Attributes:
        mode: the render mode, or ``None``.
        size: width and height of pictures, and of the window when it opens, in pixels.
    """

    def __init__(self, mode: str | None) -> None:
        """Check the render mode.

        Raises:
            ValueError: if there is no such mode.
            ModuleNotFoundError: if the mode is ``"rgb_array"`` and Pillow is not installed.
        """
        check_render_mode(mode)
        self.mode = mode
        self.size = FRAME_SIZE
        self._trick_memory: Any = None
        self._window: Window | None = None
        if mode == "rgb_array":
            load_drawing()

    def __getstate__(self) -> dict[str, Any]:
        """Leave the window out of copies: a copy opens its own when it is first rendered."""
        return {**self.__dict__, "_window": None}

    def reset(self, batch: DealBatch) -> None:
        """Start with a new deal."""
        if self.mode in ("rgb_array", "human"):
            self._trick_memory = _new_trick_memory(batch)

    def update(self, batch: DealBatch) -> None:
        """Record the position after one action."""
        if self._trick_memory is not None:
            self._trick_memory.update(batch)

    def render(
        self,
        batch: DealBatch,
        seat: int | None = None,
        names: tuple[str, str] = PLAYERS,
        scores: tuple[float, float] | None = None,
    ) -> str | Picture | None:
        """Return text (``"ansi"``) or a picture (``"rgb_array"``), or show the deal and return ``None`` (``"human"``).

        Args:
            batch: the deal, a batch of one.
            seat: the seat whose view to show; by default both hands are visible.
            names: the names of seats 0 and 1 in a picture.
            scores: the scores of seats 0 and 1 if the deal is part of a match.
        """
        if self.mode is None:
            allowed = ", ".join(repr(mode) for mode in RENDER_MODES)
            gymnasium.logger.warn(f"render() was called without a render mode: choose one of {allowed}")
            return None
        if self.mode == "ansi":
            return deal_text(batch, seat=seat, scores=scores)
        if self.mode == "rgb_array":
            return self._picture(batch, seat, self.size, names, scores)
        if self._window is None and has_display():
            self._window = _open_window(self.size)
        if self._window is None:
            print_deal(batch, seat=seat, scores=scores)
        elif not self._window.closed:
            self._window.show(self._picture(batch, seat, self._window.size, names, scores))
        return None

    def _picture(self, batch: DealBatch, seat: int | None, size: Any, names: Any, scores: Any) -> Picture:
        trick = None if self._trick_memory is None else self._trick_memory.trick
        picture: Picture = load_drawing().deal_picture(batch, 0, seat, size, names, trick, scores)
        return picture

    def close(self) -> None:
        """Close the window, if one is open."""
        if self._window is not None:
            self._window.close()
            self._window = None


class RendererProperties:
    """The render properties that the PettingZoo and the Gymnasium environment share."""

    _renderer: Renderer

    @property
    def render_size(self) -> tuple[int, int]:
        """Width and height of pictures and of the window, in pixels, 120 to 8192 each; may be set."""
        return self._renderer.size

    @render_size.setter
    def render_size(self, size: tuple[int, int]) -> None:
        self._renderer.size = size

    def close(self) -> None:
        """Close the window, if one is open."""
        self._renderer.close()


def _new_trick_memory(batch: DealBatch) -> Any:
    try:
        load_drawing()
    except ModuleNotFoundError:
        return None  # "human" then prints text, which does not show the last trick
    from german_whist.envs.rendering.trick_memory import TrickMemory

    return TrickMemory(batch)


def _open_window(size: tuple[int, int]) -> Window | None:
    """Return a window, or ``None`` if pygame or Pillow is missing or the display does not respond."""
    try:
        load_drawing()
        from german_whist.envs.rendering.window import Window

        return Window(size, FRAMES_PER_SECOND)
    except (ModuleNotFoundError, OSError):
        return None
