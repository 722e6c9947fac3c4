"""Shared by the agents of this package: a check of rules, and the class that makes an agent of a rule kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from german_whist.agents.base import Actions, Agent
from german_whist.game.rules import Rules
from german_whist.game.utils.backend import Array
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.observation.views import Views


def check_open_endgame(name: str, rules: Rules) -> None:
    """Raise if the endgame of these rules hides cards; for agents that need an open endgame.

    Raises:
        ValueError: for humbug; the message names the agent.
    """
    if not rules.endgame_is_open:
        raise ValueError(f"agent {name!r} needs an open endgame, and humbug has none: try 'heuristic' or 'mc'")


class RuleBot(Agent):
    """A deterministic bot whose rules are one kernel.

    Attributes:
        name: the bot's name.
    """

    takes_tensors = True

    def __init__(self, name: str, choose: Callable[[int, Views, Actions], None]) -> None:
        """Make a bot of a row kernel.

        Args:
            name: the bot's name.
            choose: ``choose(n, views, actions)``, which writes one legal action per view.
        """
        self.name = name
        self._choose = choose

    def act(self, decisions: Decisions) -> Array:
        """Return one legal action per decision, int64[n], computed where the decisions are."""
        actions: Array = decisions.backend.empty(len(decisions), np.int64)
        decisions.backend.launch(self._choose, len(decisions), decisions.views, actions)
        return actions
