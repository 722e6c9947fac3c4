"""What an agent is, and the rule bots' common form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Views = np.ndarray[Any, Any]
Actions = npt.NDArray[np.int64]


class Agent(Protocol):
    """Anything that chooses a card.

    ``act(views, rng)`` gets a ``VIEW`` array of shape (n,), what n seats know that are each to act, and returns
    int64[n], one legal action per view. ``rng`` has ``random`` and ``integers`` as ``numpy.random.Generator`` has, with
    one row per view as the first dimension of every size; drawing from it alone makes results repeatable in any batch
    size.
    """

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one legal action per view, int64[n]."""
        ...


class RuleBot:
    """A deterministic bot whose rules are one kernel: it reads views and writes a card for each."""

    def __init__(self, name: str, choose: Callable[[Views, Actions], None]) -> None:
        """Take the kernel ``choose(views, actions)``."""
        self.name = name
        self._choose = choose

    def act(self, views: Views, rng: Any = None) -> Actions:
        """Return one card per view, int64[n]; ``rng`` is not used."""
        actions = np.empty(len(views), np.int64)
        self._choose(views, actions)
        return actions
