"""``NAME+exact``: any agent with a perfect endgame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import (
    Actions,
    ActionValues,
    Agent,
    Evaluation,
    Games,
    Histories,
    SupportsAct,
    agent_name,
    as_agent,
    whole_answer,
)
from german_whist.agents.endgame.open_hands import best_cards, exact_margins, open_hands, opponent_hand_known
from german_whist.game.agent_rng import AgentRng
from german_whist.simulator.observation.views import Views, check_view_array
from german_whist.solver.races import NOT_LEGAL_MARGIN

if TYPE_CHECKING:
    from torch import Tensor

    from german_whist.game.utils.backend import StructTensor, TorchBackend


class ExactEndgame(Agent):
    """An agent with a perfect endgame.

    Where a view determines the opponent's hand (the stock is gone, no blind hand hides cards, and at most 13 cards are
    left), the exact solver maximises the margin: most tricks, in a low game fewest, in a race when it stops. Elsewhere
    the wrapped agent acts. ``network``, ``rules`` and ``uses_games`` are those of the wrapped agent.

    Attributes:
        agent: the wrapped agent.
        name: the wrapped agent's name with ``+exact``, unless it has another one.
    """

    def __init__(self, agent: Agent | SupportsAct, name: str | None = None) -> None:
        """Wrap an agent, which acts where the opponent's hand is not known.

        Raises:
            ValueError: when ``agent`` is not an agent.
        """
        self.agent = as_agent(agent)
        self.name = f"{agent_name(self.agent)}+exact" if name is None else name
        self.rules, self.uses_games = self.agent.rules, self.agent.uses_games

    @property
    def network(self) -> Any:
        """The wrapped agent's policy network, a ``PolicyAgent``, or ``None``."""
        return self.agent.network

    def act(self, views: Views, rng: Any = None, games: Games | None = None) -> Actions:
        """Return one legal action per view, int64[n].

        Args:
            views: ``VIEW`` array of shape (n,).
            rng: source of randomness for the wrapped agent. An ``AgentRng`` gives each view the same numbers whichever
                other views the solver plays.
            games: the games of these views, for a wrapped agent with ``uses_games``.

        Raises:
            ValueError: when ``views`` is not an array of views, or the wrapped agent does not return one action per
                view.
        """
        check_view_array(views)
        act: Any = self.agent.act
        known = opponent_hand_known(views)
        if not known.any():
            actions: Actions = act(views, rng) if games is None else act(views, rng, games)
            return actions
        actions = np.empty(len(views), np.int64)
        actions[known] = best_cards(open_hands(views[known]))
        rest = np.flatnonzero(~known)
        if len(rest):
            rest_rng = rng.rows(rest) if isinstance(rng, AgentRng) else rng
            more = () if games is None else (games.rows(rest),)
            actions[rest] = whole_answer(self, act(views[rest], rest_rng, *more), len(rest))
        return actions

    def act_on(self, device: TorchBackend, views: StructTensor, rng: Any) -> Tensor:
        """Return what :meth:`act` does, int64[n]; before the endgame the wrapped agent chooses on its device."""
        if bool((views["stock"] > 0).all()):
            return self.agent.act_on(device, views, rng)
        return super().act_on(device, views, rng)

    def policy(self, views: Views) -> npt.NDArray[np.float64] | None:
        """Return the probability with which :meth:`act` plays each action, float64[n, actions]; ``None`` if unknown."""
        chances = self.agent.policy(views)
        if chances is None:
            return None
        chances, known = np.array(chances, np.float64), np.flatnonzero(opponent_hand_known(views))
        chances[known] = 0.0
        chances[known, best_cards(open_hands(views[known]))] = 1.0
        return chances

    def values(self, views: Views) -> Evaluation | None:
        """Return the wrapped agent's ``values``, with exact ones where the opponent's hand is known."""
        found = self.agent.values(views)
        if found is not None:
            known = np.flatnonzero(opponent_hand_known(views))
            margins = exact_margins(views[known]).max(axis=1, initial=NOT_LEGAL_MARGIN)
            found.margin[known] = margins
            found.win[known] = (1 + np.sign(margins)) / 2
        return found

    def action_values(self, views: Views, rng: Any, histories: Histories | None = None) -> ActionValues | None:
        """Return the wrapped agent's ``action_values``, for views in which the opponent's hand is not known."""
        return self.agent.action_values(views, rng, histories)


def with_exact_endgame(agent: Agent | SupportsAct) -> ExactEndgame:
    """Return an agent with a perfect endgame; ``NAME+exact`` for an agent object.

    Args:
        agent: acts where the opponent's hand is not known. An agent whose endgame is perfect already is returned as is.

    Raises:
        ValueError: when ``agent`` is not an agent object.
    """
    if isinstance(agent, str):
        raise ValueError(f"with_exact_endgame takes an agent object: write make_agent({f'{agent}+exact'!r}) for a name")
    return agent if isinstance(agent, ExactEndgame) else ExactEndgame(agent)
