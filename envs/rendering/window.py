"""A pygame window that shows pictures."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.rendering.modes import MIN_PIXELS

_UNSEEN_DRIVERS = ("dummy", "offscreen")  # SDL drivers that show nothing, so frames need no pause


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    return pygame


class Window:
    """A resizable window that shows each picture for at least one frame.

    Attributes:
        closed: whether the window was closed.
    """

    def __init__(self, size: tuple[int, int], frames_per_second: float) -> None:
        """Open the window.

        Raises:
            ModuleNotFoundError: if pygame is not installed.
            OSError: if the display does not respond.
        """
        pygame = _pygame()
        self.closed = False
        self._pause = 1000 / frames_per_second
        self._shown = -self._pause
        try:
            pygame.display.init()
            pygame.display.set_mode(size, pygame.RESIZABLE)
        except pygame.error as error:
            raise OSError(f"no window: {error}") from None
        pygame.display.set_caption("German Whist")

    @property
    def size(self) -> tuple[int, int]:
        """Current width and height in pixels, but at least the smallest size of a picture."""
        pygame = _pygame()
        width, height = pygame.display.get_window_size()
        return max(width, MIN_PIXELS), max(height, MIN_PIXELS)

    def show(self, picture: npt.NDArray[np.uint8]) -> None:
        """Show a picture, uint8[height, width, 3], once the last one has been shown for one frame."""
        pygame = _pygame()
        visible = pygame.display.get_driver() not in _UNSEEN_DRIVERS
        self._read_events()
        while visible and not self.closed and pygame.time.get_ticks() - self._shown < self._pause:
            pygame.time.wait(10)
            self._read_events()
        if self.closed:
            return
        height, width, _ = picture.shape
        surface = pygame.image.frombuffer(np.ascontiguousarray(picture).tobytes(), (width, height), "RGB")
        pygame.display.get_surface().blit(surface, (0, 0))
        pygame.display.flip()
        self._shown = pygame.time.get_ticks()

    def _read_events(self) -> None:
        pygame = _pygame()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()

    def close(self) -> None:
        """Close the window."""
        if not self.closed:
            self.closed = True
            _pygame().display.quit()
