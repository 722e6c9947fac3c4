"""Agents: what chooses actions, and may know what they are worth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from german_whist.game.rules import Rules
from german_whist.simulator.text.rules_text import rules_spec

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from german_whist.agents.policy.agent import PolicyAgent
    from german_whist.game.utils.backend import Array
    from german_whist.simulator.decisions import Decisions

Actions = npt.NDArray[np.int64]
Field = Literal["policy", "values", "action_values"]
POLICY: Field = "policy"
VALUES: Field = "values"
ACTION_VALUES: Field = "action_values"


class StateValues(NamedTuple):
    """What positions are worth to the seats to act.

    Attributes:
        actions: the actions that the values take to be played, int64[n].
        margin: expected margin of the deal in counted tricks, float64[n]. More is better, even in a low game.
        win: chance to win the deal, a draw counting half, float64[n].
    """

    actions: Actions
    margin: npt.NDArray[np.float64]
    win: npt.NDArray[np.float64]


class ActionValues(NamedTuple):
    """The legal actions of n decisions, each compared with the chosen one; float64[n, 54], NaN for illegal actions.

    Attributes:
        actions: the chosen actions, int64[n].
        margin_gains: gain in margin over the chosen action.
        margin_sds: its standard deviation.
        win_gains: gain in the chance to win the deal, a draw counting half; NaN throughout if only margins are known.
        win_sds: its standard deviation.
    """

    actions: Actions
    margin_gains: npt.NDArray[np.float64]
    margin_sds: npt.NDArray[np.float64]
    win_gains: npt.NDArray[np.float64]
    win_sds: npt.NDArray[np.float64]


class Evaluation(NamedTuple):
    """What an agent knows of n decisions; ``None`` for what was not asked for, or is not known.

    Attributes:
        policy: the probability with which ``act`` plays each action, float64[n, num_actions].
        values: the values of the positions.
        action_values: the values of the actions.
    """

    policy: npt.NDArray[np.float64] | None = None
    values: StateValues | None = None
    action_values: ActionValues | None = None


class SupportsAct(Protocol):
    """Any object with ``act(decisions)`` or ``act(observations, action_masks)``; ``as_agent`` makes an agent of it."""

    @property
    def act(self) -> Callable[..., Any]:
        """The method, which returns one legal action per decision, int64[n]."""


AgentLike: TypeAlias = "str | os.PathLike[str] | Agent | SupportsAct | Mapping[AgentLike, float]"
"""A specification string, the path of a checkpoint, an agent object, or agents' shares of the deals."""


class Agent(ABC):
    """Chooses actions. A subclass must define ``act``; everything else has a default.

    Example:
        >>> class Lowest(german_whist.Agent):
        ...     def act(self, decisions):
        ...         return decisions.action_masks.argmax(axis=1)

    Attributes:
        name: what results call the agent; by default the name of its class.
        rules: the rules of the one game that it plays: deals of other games are refused before the first card.
            ``None`` if it plays every game.
        uses_histories: whether ``act`` reads ``decisions.histories``, so that they have to be kept.
        takes_tensors: whether ``act`` takes decisions in tensors on a device, and returns tensors there; others get
            ``decisions.on_host()``.
        evaluates: the fields that :meth:`evaluate` knows.
    """

    name: str = ""
    rules: Rules | None = None
    uses_histories: bool = False
    takes_tensors: bool = False
    evaluates: frozenset[Field] = frozenset()

    @abstractmethod
    def act(self, decisions: Decisions) -> Array:
        """Return one legal action per decision, int64[n].

        Args:
            decisions: n decisions, each by the seat to act in a deal. An agent that draws random numbers from
                ``decisions.rng`` alone plays the same in any batch size. ``other.act(decisions[rows])`` asks another
                agent about some of them.
        """

    def evaluate(self, decisions: Decisions, *fields: Field) -> Evaluation:
        """Return what is asked for, as far as the agent knows it without playing it out.

        Args:
            decisions: n decisions.
            fields: ``"policy"``, ``"values"`` and ``"action_values"``, as many as wanted. A policy makes
                ``exploitability`` exact for an agent that draws random numbers.
        """
        return Evaluation()

    @property
    def prior(self) -> PolicyAgent | None:
        """The network agent inside a search or an exact endgame; itself for a network, ``None`` for others."""
        return None

    def __repr__(self) -> str:
        game = "" if self.rules is None else f", rules={rules_spec(self.rules)!r}"
        return f"{type(self).__name__}({self.name!r}{game})"


def agent_name(agent: Agent) -> str:
    """Return what to call an agent: its ``name``, or else its class."""
    return agent.name or type(agent).__name__
