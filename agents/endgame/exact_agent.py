"""``NAME+exact``: any agent, with a perfect endgame."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import (
    Actions,
    Agent,
    AgentForfeit,
    Histories,
    Memory,
    Values,
    Views,
    act_with_memory,
    agent_name,
    for_match,
)
from german_whist.agents.endgame.open_hands import best_cards, exact_margins, open_hands, opponent_hand_known
from german_whist.envs.observation.views import check_view_array
from german_whist.envs.utils.specs import shown
from german_whist.solver.races import NOT_LEGAL_MARGIN


class ExactEndgame:
    """An agent with a perfect endgame.

    Where a view determines the opponent's hand (the stock is gone, no blind hand hides cards, at most 13 cards are
    left) the exact solver plays for the margin: most tricks, in a low game fewest, in a race until it stops. Elsewhere
    the wrapped agent acts. Other attributes are those of the wrapped agent: ``make_agent("champion").checkpoint``.

    Attributes:
        agent: the wrapped agent.
        name: its name with ``+exact``, unless another one was given.
    """

    def __init__(self, agent: Agent, name: str | None = None) -> None:
        """Wrap an agent.

        Args:
            agent: plays where the opponent's hand is not known.
            name: what to call the result.

        Raises:
            ValueError: when the agent is an ``ExactEndgame`` already.
        """
        inner_name = agent_name(agent)
        if isinstance(agent, ExactEndgame):
            raise ValueError(f"agent {inner_name!r} plays the endgame exactly already: give +exact once")
        self.agent = agent
        self.name = f"{inner_name}+exact" if name is None else name

    def __getattr__(self, name: str) -> Any:
        """Look up attributes of the wrapped agent."""
        if name == "agent" or name.startswith("__"):  # not set yet while an object is copied or unpickled
            raise AttributeError(name)
        return getattr(self.agent, name)

    def for_match(self) -> ExactEndgame:
        """Return this agent for a match that begins, see :func:`german_whist.agents.bots.base.for_match`."""
        inner = for_match(self.agent)
        return self if inner is self.agent else ExactEndgame(inner, self.name)

    def act(
        self, views: Views, rng: Any = None, memory: Memory | None = None, histories: Histories | None = None
    ) -> Actions:
        """Return one action per view, int64[n].

        Args:
            views: ``VIEW`` array of shape (n,).
            rng: randomness for the wrapped agent, which draws the same numbers as if it acted in all views.
            memory: what the wrapped agent remembers, if it does (see ``AgentWithMemory``).
            histories: event histories for the wrapped agent, if it uses them (see ``AgentWithHistory``).

        Raises:
            ValueError: when the wrapped agent cannot play the game of these views.
        """
        check_view_array(views)
        known = opponent_hand_known(views)
        if not known.any():
            return np.asarray(act_with_memory(self.agent, views, rng, memory, np.arange(len(views)), histories))
        check_views = getattr(self.agent, "check_views", None)
        if check_views is not None:  # refuse another game's endgame, too
            check_views(views)
        actions = np.empty(len(views), np.int64)
        actions[known] = best_cards(open_hands(views[known]))
        rest = np.flatnonzero(~known)
        if len(rest):
            rest_rng = rng if rng is None else RowSubsetRng(rng, len(views), rest)
            part = None if histories is None else (histories[0][rest], histories[1][rest])
            try:
                actions[rest] = act_with_memory(self.agent, views[rest], rest_rng, memory, rest, part)
            except AgentForfeit as forfeit:
                reasons, actions[rest] = forfeit.for_rows(len(rest))
                raise AgentForfeit({int(rest[row]): why for row, why in reasons.items()}, actions) from None
        return actions

    def values(self, views: Views) -> Values | None:
        """Return what the seats to act can expect: exactly where the opponent's hand is known, else as the agent says.

        Args:
            views: ``VIEW`` array of shape (n,), each of a seat to act.

        Returns:
            Expected margins and winning chances, float64[n] each, or ``None`` if the wrapped agent has none.
        """
        of_agent = getattr(self.agent, "values", None)
        found: Values | None = None if of_agent is None else of_agent(views)
        if found is not None:
            known = np.flatnonzero(opponent_hand_known(views))
            margins = exact_margins(views[known]).max(axis=1, initial=NOT_LEGAL_MARGIN)
            found.margin[known] = margins
            found.win[known] = (1 + np.sign(margins)) / 2
        return found


def solves_endgame(agent: Agent) -> bool:
    """Return whether an agent's endgame is perfect already."""
    return isinstance(agent, ExactEndgame)


class RowSubsetRng:
    """Randomness for a subset of rows: each draws the numbers that it would draw among all rows."""

    def __init__(self, rng: Any, total: int, rows: npt.NDArray[np.int64]) -> None:
        """Select some rows of the randomness of ``total`` rows."""
        self._rng, self._total, self._rows = rng, total, rows

    def random(self, size: int | tuple[int, ...] | None = None) -> npt.NDArray[np.float64]:
        """Return uniform numbers in [0, 1), one row per view as the first dimension."""
        numbers: npt.NDArray[np.float64] = self._rng.random(self._full_shape(size))[self._rows]
        return numbers

    def integers(
        self, low: int, high: int | None = None, size: int | tuple[int, ...] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return uniform integers, one row per view as the first dimension."""
        numbers: npt.NDArray[np.int64] = self._rng.integers(low, high, self._full_shape(size))[self._rows]
        return numbers

    def _full_shape(self, size: int | tuple[int, ...] | None) -> tuple[int, ...]:
        shape = (size,) if isinstance(size, (int, np.integer)) else (len(self._rows),) if size is None else tuple(size)
        if not shape or shape[0] != len(self._rows):
            raise ValueError(
                f"size {shown(size)} is not allowed: the first dimension is {len(self._rows)}, one row per view"
            )
        return (self._total, *shape[1:])
