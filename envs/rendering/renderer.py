"""How the environments show a deal: as text, as a picture, or in a window.

One rule for ``"human"``: a window where there is a display and both pygame and Pillow are installed; printed text
otherwise. A window that somebody has closed stays closed, and the game goes on.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import gymnasium

from german_whist.envs.rendering.modes import FRAME_SIZE, FRAMES_PER_SECOND, RENDER_MODES, Picture, check_render_mode
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.text.deal_text import deal_text, print_deal
from german_whist.envs.text.scene import PLAYERS

if TYPE_CHECKING:
    from german_whist.envs.rendering.window import Window

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")


def load_drawing() -> Any:
    """Return the module that draws pictures.

    Raises:
        ModuleNotFoundError: when Pillow is missing; the message names the extra.
    """
    try:
        from german_whist.envs.rendering import table
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "PIL":
            raise
        message = 'pictures need Pillow, which is not installed: pip install "german-whist[render]"'
        raise ModuleNotFoundError(message, name="PIL") from None
    return table


def has_display() -> bool:
    """Return whether a window could be shown: always on Windows and macOS, elsewhere where the surroundings say so."""
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in _DISPLAYS)


class Renderer:
    """Shows one deal at a time in one render mode.

    Attributes:
        mode: the render mode, ``None`` for none.
        watching: whether ``look`` must be called after every action.
        size: width and height of pictures and of a window when it opens.
        color: whether the text of ``"ansi"`` has ANSI colours.
    """

    def __init__(self, mode: str | None, size: tuple[int, int] = FRAME_SIZE) -> None:
        """Take a render mode.

        Raises:
            ValueError: when there is no such mode.
            ModuleNotFoundError: when the mode is ``"rgb_array"`` and Pillow is missing.
        """
        check_render_mode(mode)
        self.mode = mode
        self.watching = mode in ("rgb_array", "human")
        self.size = size
        self.color = False
        self._watch: Any = None
        self._window: Window | None = None
        if mode == "rgb_array":
            load_drawing()

    def begin(self, batch: DealBatch) -> None:
        """Take note of a new deal."""
        if self.watching:
            self._watch = _trick_watch(batch)

    def look(self, batch: DealBatch) -> None:
        """Take note of the position after one action."""
        if self._watch is not None:
            self._watch.look(batch)

    def render(
        self,
        batch: DealBatch,
        seat: int | None = None,
        names: tuple[str, str] = PLAYERS,
        scores: tuple[float, float] | None = None,
    ) -> str | Picture | None:
        """Return text (``"ansi"``) or a picture (``"rgb_array"``), or show the deal (``"human"``).

        Args:
            batch: the deal, a batch of one.
            seat: whose view to show; both hands are open by default.
            names: what seats 0 and 1 are called in a picture.
            scores: the seats' scores where the deal is one of a match.
        """
        if self.mode is None:
            allowed = ", ".join(repr(mode) for mode in RENDER_MODES)
            gymnasium.logger.warn(f"render() was called without a render mode: give render_mode as one of {allowed}")
            return None
        if self.mode == "ansi":
            return deal_text(batch, seat=seat, color=self.color, scores=scores)
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
        trick = None if self._watch is None else self._watch.trick
        picture: Picture = load_drawing().deal_picture(batch, 0, seat, size, names, trick, scores)
        return picture

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None


def _trick_watch(batch: DealBatch) -> Any:
    try:
        load_drawing()
    except ModuleNotFoundError:
        return None  # "human" prints text then, which needs no memory of the last trick
    from german_whist.envs.rendering.trick_memory import TrickMemory

    return TrickMemory(batch)


def _open_window(size: tuple[int, int]) -> Window | None:
    """Return a window, or ``None`` where something it needs is missing or the display does not answer."""
    try:
        load_drawing()
        from german_whist.envs.rendering.window import Window

        return Window(size, FRAMES_PER_SECOND)
    except (ModuleNotFoundError, OSError):
        return None
