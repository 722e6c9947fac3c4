"""Shared by the agents of this package: a check of rules, and the class that makes an agent of a rule kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from german_whist.agents.base import Actions, Agent
from german_whist.game.rules import Rules
from german_whist.game.utils.backend import StructTensor, TorchBackend
from german_whist.simulator.observation.views import Views, check_view_array

if TYPE_CHECKING:
    from torch import Tensor


def check_open_endgame(name: str, rules: Rules) -> None:
    """Raise if the endgame of these rules hides cards; for agents that need an open endgame.

    Raises:
        ValueError: for humbug; the message names the agent.
    """
    if rules.humbug:
        raise ValueError(f"agent {name!r} needs an open endgame, and humbug has none: try 'heuristic' or 'mc'")


class RuleBot(Agent):
    """A deterministic bot whose rules are one kernel.

    Attributes:
        name: the bot's name.
    """

    def __init__(self, name: str, choose: Callable[[int, Views, Actions], None]) -> None:
        """Make a bot of a row kernel.

        Args:
            name: the bot's name.
            choose: ``choose(n, views, actions)``, which writes one legal action per view.
        """
        self.name = name
        self._choose = choose

    def act(self, views: Views, rng: Any = None) -> Actions:
        """Return one legal action per view, int64[n]; ``rng`` is ignored."""
        check_view_array(views)
        actions = np.empty(len(views), np.int64)
        self._choose(len(views), views, actions)
        return actions

    def act_on(self, device: TorchBackend, views: StructTensor, rng: Any = None) -> Tensor:
        """Return one legal action per view, int64[n], computed on ``device``; ``rng`` is ignored."""
        actions: Tensor = device.zeros(len(views), "int64")
        device.launch(self._choose, len(actions), views, actions)
        return actions
