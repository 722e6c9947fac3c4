"""What our agents share: checks of their randomness and their game, and the class that turns a rule kernel into one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from german_whist.envs.agent import Actions, Agent, Views
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.views import check_view_array
from german_whist.envs.utils.device import Device, Records
from german_whist.envs.utils.specs import must_be

if TYPE_CHECKING:
    from torch import Tensor


def check_open_endgame(name: str, rules: Rules) -> None:
    """Refuse rules whose endgame is not open, for agents that rely on it.

    Raises:
        ValueError: for humbug, naming the agent.
    """
    if rules.humbug:
        raise ValueError(
            f"agent {name!r} plays every game with an open endgame, and humbug has none: try 'heuristic' or 'mc'"
        )


def check_rng(name: str, rng: object, method: str) -> None:
    """Refuse what is no source of randomness.

    Raises:
        ValueError: when it lacks a method, ``random`` or ``integers``.
    """
    if not callable(getattr(rng, method, None)):
        raise ValueError(
            must_be(f"agent {name!r} draws random numbers: rng", "a generator such as numpy.random.default_rng(0)", rng)
        )


class RuleBot(Agent):
    """A deterministic bot whose rules are one kernel.

    Attributes:
        name: what it is called.
    """

    def __init__(self, name: str, choose: Callable[[int, Views, Actions], None]) -> None:
        """Wrap a row kernel ``choose(n, views, actions)`` that writes one action per view."""
        self.name = name
        self._choose = choose

    def act(self, views: Views, rng: Any = None) -> Actions:
        """Return one action per view, int64[n]; ``rng`` is not used."""
        check_view_array(views)
        actions = np.empty(len(views), np.int64)
        self._choose(len(views), views, actions)
        return actions

    def act_on(self, device: Device, views: Records, rng: Any = None) -> Tensor:
        """Return one action per view, int64[n], on a device."""
        actions = device.zeros(len(views.bytes), "int64")
        device.run(self._choose, len(actions), views, actions)
        return actions
