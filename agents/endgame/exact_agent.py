"""``NAME+exact``: any agent with a perfect endgame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from german_whist.agents.asking import ask
from german_whist.agents.base import Agent, Evaluation, Field, StateValues, SupportsAct, agent_name
from german_whist.agents.endgame.open_hands import best_cards, exact_margins, opponent_hand_known
from german_whist.agents.forms import as_agent
from german_whist.game.utils.backend import Array
from german_whist.simulator.decisions import Decisions
from german_whist.solver.races import NOT_LEGAL_MARGIN

if TYPE_CHECKING:
    from german_whist.agents.policy.agent import PolicyAgent


class ExactEndgame(Agent):
    """An agent with a perfect endgame.

    Where a view determines the opponent's hand (the stock is gone, no blind hand hides cards, and at most 13 cards are
    left), the exact solver maximises the margin: most tricks, in a low game fewest, in a race when it stops. Elsewhere
    the wrapped agent acts. ``prior``, ``rules`` and ``uses_histories`` are those of the wrapped agent.

    Attributes:
        agent: the wrapped agent.
        name: the wrapped agent's name with ``+exact``, unless it has another one.
    """

    takes_tensors = True

    def __init__(self, agent: Agent | SupportsAct, name: str | None = None) -> None:
        """Wrap an agent, which acts where the opponent's hand is not known.

        Raises:
            ValueError: when ``agent`` is not an agent.
        """
        self.agent = as_agent(agent)
        self.name = f"{agent_name(self.agent)}+exact" if name is None else name
        self.rules, self.uses_histories = self.agent.rules, self.agent.uses_histories
        self.evaluates = self.agent.evaluates

    @property
    def prior(self) -> PolicyAgent | None:
        """The wrapped agent's network agent, or ``None``."""
        return self.agent.prior

    def act(self, decisions: Decisions) -> Array:
        """Return one legal action per decision, int64[n]; where the solver does not play, the wrapped agent's."""
        # On a device one look tells that no hand is open, as there is a stock.
        if decisions.backend.torch_device is not None and bool((decisions.views["stock"] > 0).all()):
            return ask(self.agent, decisions)
        views = decisions.on_host().views
        known = opponent_hand_known(views)
        if not known.any():
            return ask(self.agent, decisions)
        actions = np.empty(len(decisions), np.int64)
        actions[known] = best_cards(views[known])
        rest = np.flatnonzero(~known)
        if len(rest):
            actions[rest] = decisions.backend.numpy(ask(self.agent, decisions[rest]))
        found: Array = decisions.backend.array(actions)
        return found

    def evaluate(self, decisions: Decisions, *fields: Field) -> Evaluation:
        """Return what the wrapped agent knows, but exact values and policies where the opponent's hand is known.

        Action values are the wrapped agent's.
        """
        policy, values, action_values = self.agent.evaluate(decisions, *fields)
        if policy is not None or values is not None:
            views = decisions.on_host().views
            known = np.flatnonzero(opponent_hand_known(views))
            best = best_cards(views[known])
            if policy is not None:
                policy = np.array(policy, np.float64)
                policy[known] = 0.0
                policy[known, best] = 1.0
            if values is not None:
                # Copies: the agent may share these arrays, as a network does with its action values.
                values = StateValues(values.actions.copy(), values.margin.copy(), values.win.copy())
                margins = exact_margins(views[known]).max(axis=1, initial=NOT_LEGAL_MARGIN)
                values.actions[known] = best
                values.margin[known] = margins
                values.win[known] = (1 + np.sign(margins)) / 2
        return Evaluation(policy, values, action_values)


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
