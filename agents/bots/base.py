"""The agent protocol, and the class that turns a rule kernel into an agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Views = np.ndarray[Any, Any]
Actions = npt.NDArray[np.int64]


class Agent(Protocol):
    """Anything that chooses actions for a batch of views.

    An agent may also have a ``name`` (str), used in results, and a method ``check_views(views)`` that raises
    ``ValueError`` for views of a game it cannot play.
    """

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one legal action per view.

        Args:
            views: structured array of dtype ``VIEW`` and shape (n,): what each of n seats to act knows.
            rng: source of randomness with ``random(size)`` and ``integers(low, high, size)`` as in
                ``numpy.random.Generator``; the first dimension of ``size`` is n, one row per view. Draw from it alone
                to get the same actions in any batch size. Agents that use no randomness accept ``None``.

        Returns:
            int64[n]: an action whose bit is set in ``views["legal"]``.
        """
        ...


class RuleBot:
    """A deterministic bot whose rules are one kernel.

    Attributes:
        name: what it is called.
    """

    def __init__(self, name: str, choose: Callable[[Views, Actions], None]) -> None:
        """Wrap a kernel ``choose(views, actions)`` that writes one action per view."""
        self.name = name
        self._choose = choose

    def act(self, views: Views, rng: Any = None) -> Actions:
        """Return one action per view, int64[n]; ``rng`` is not used."""
        actions = np.empty(len(views), np.int64)
        self._choose(views, actions)
        return actions
