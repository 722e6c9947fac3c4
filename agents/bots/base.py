"""The agent protocol, and the class that turns a rule kernel into an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from german_whist.envs.observation.views import check_view_array
from german_whist.envs.opponent import uses_history

Views = np.ndarray[Any, Any]
Actions = npt.NDArray[np.int64]
Memory = np.ndarray[Any, Any]
# Event histories as ``DealBatch.history`` returns them: tokens int8[n, events, 4], and the number of events, int16[n].
Histories = tuple[npt.NDArray[np.int8], npt.NDArray[np.integer[Any]]]

# One game as an agent that remembers meets it: a number for the match's seed, the deal's index and the agent's seat.
DEAL = np.dtype([("match", np.uint64), ("index", np.uint64), ("seat", np.int8)])


class Values(NamedTuple):
    """What positions are worth to the seats to act.

    Attributes:
        margin: expected margin of the deal in counted tricks, float64[n]; in a low game, too, more is better.
        win: chance to win the deal, a draw counting half, float64[n].
    """

    margin: npt.NDArray[np.float64]
    win: npt.NDArray[np.float64]


class Agent(Protocol):
    """Anything that chooses actions for a batch of views.

    An agent may also have:

    - ``name`` (str), used in results;
    - ``check_views(views)``, which raises ``ValueError`` for views of a game that the agent cannot play;
    - ``policy(views)``, the probability with which ``act`` plays each action, float64[n, actions], which makes
      ``exploitability`` exact for an agent that draws random numbers;
    - ``for_match()``, which returns the agent that plays a match that begins, for agents that count something in a
      match;
    - ``initial_memory(deals)``: the agent remembers (see :class:`AgentWithMemory`);
    - ``uses_history = True``: the agent is given event histories (see :class:`AgentWithHistory`).
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


class AgentForfeit(ValueError):  # noqa: N818 - the game is lost, nothing is wrong with the call
    """Raised by ``act`` to lose games instead of choosing an action in them.

    ``play_match`` counts each as a loss by the largest margin and names the reason. Elsewhere it is an error.

    Attributes:
        reasons: why, by the row of the view.
        actions: int64[n], what the agent chose in the other rows; ``None`` if it loses them all.
    """

    def __init__(self, reasons: str | Mapping[int, str], actions: Actions | None = None) -> None:
        """Say why.

        Args:
            reasons: the reason in each row that is lost, or one reason for all rows.
            actions: int64[n], the actions in the other rows; what stands in lost rows does not matter.
        """
        self._reason = reasons if isinstance(reasons, str) else None
        self.reasons = {} if isinstance(reasons, str) else dict(reasons)
        self.actions = actions
        super().__init__(self._reason or next(iter(self.reasons.values()), "no reason given"))

    def for_rows(self, count: int) -> tuple[dict[int, str], Actions]:
        """Return the reasons by row and the actions, for as many views as ``act`` was given."""
        if self._reason is not None:
            return dict.fromkeys(range(count), self._reason), np.zeros(count, np.int64)
        return self.reasons, np.zeros(count, np.int64) if self.actions is None else self.actions


class AgentWithMemory(Agent, Protocol):
    """An agent that remembers its earlier decisions of a deal, such as a recurrent network.

    The caller keeps the memory, one row per game, so the agent object itself stays the same: it can play many games at
    once, in batches of any size, and against itself. Matches (``play_match``, ``play_series``) and explanations support
    memory, and so do ``german-whist play`` and ``serve``, which show the agent its earlier decisions of the deal again.
    The Gymnasium environments and the trainers call ``act(views, rng)``: there the agent remembers nothing.
    """

    def initial_memory(self, deals: np.ndarray[Any, Any]) -> Memory:
        """Return the memory of deals that begin; called before the first decision of each deal.

        Args:
            deals: structured array of shape (n,), one row per game: ``match`` (uint64), the same number for all
                deals of a seed, from which the seed cannot be computed; the deal's ``index`` (uint64); and the agent's
                ``seat`` (int8).

        Returns:
            An array with first dimension n, of any dtype; ``object`` allows any Python objects.
        """
        ...

    def act(self, views: Views, rng: Any, memory: Memory | None = None) -> Actions:
        """Return one legal action per view.

        Args:
            views: as :meth:`Agent.act`.
            rng: as :meth:`Agent.act`.
            memory: the rows of these views' games. What ``act`` writes into the array is there again at the next
                decision in the same game. ``None`` where the caller keeps no memory.

        Returns:
            int64[n].
        """
        ...


class AgentWithHistory(Agent, Protocol):
    """An agent that uses the course of a deal: who played what in which order. A view does not tell that.

    Callers that keep histories pass them: ``play_match``, ``play_series``, explanations, ``german-whist play`` and the
    Gymnasium environments. Elsewhere ``act(views, rng)`` is called, so the agent has to play without them, too.

    Attributes:
        uses_history: ``True``.
    """

    uses_history: bool

    def act(self, views: Views, rng: Any, histories: Histories | None = None) -> Actions:
        """Return one legal action per view.

        Args:
            views: as :meth:`Agent.act`.
            rng: as :meth:`Agent.act`.
            histories: passed by name: what the seat to act saw of each deal so far, as ``DealBatch.history`` returns
                it: tokens int8[n, events, 4] and their numbers, int16[n]. ``None`` where the caller keeps none.

        Returns:
            int64[n].
        """
        ...


def agent_name(agent: object) -> str:
    """Return what to call an agent: its ``name``, or else its class."""
    return str(getattr(agent, "name", type(agent).__name__))


def for_match(agent: Agent) -> Agent:
    """Return the agent that plays a match, or a session, that begins: ``agent.for_match()``, else the agent itself.

    The method is looked up in the agent's class, so that a wrapper which passes attributes on stays in place.
    """
    make = getattr(type(agent), "for_match", None)
    return agent if make is None else make(agent)


def initial_memory(agent: Agent, name: str, deals: np.ndarray[Any, Any]) -> Memory | None:
    """Return an agent's memory of deals that begin; ``None`` for agents without memory.

    Raises:
        ValueError: when the agent does not return an array with one row per deal.
    """
    make = getattr(agent, "initial_memory", None)
    if make is None:
        return None
    memory = make(deals)
    if not isinstance(memory, np.ndarray) or not memory.ndim or len(memory) != len(deals):
        shape = list(memory.shape) if isinstance(memory, np.ndarray) else type(memory).__name__
        raise ValueError(
            f"agent {name!r}: initial_memory returned {shape} for {len(deals)} deals: an array with one row per deal "
            "is needed"
        )
    return memory


def act_with_memory(
    agent: Agent,
    views: Views,
    rng: Any,
    memory: Memory | None,
    rows: npt.NDArray[np.int64],
    histories: Histories | None = None,
) -> Any:
    """Return what ``agent.act`` returns for views whose memory is ``memory[rows]``, and keep what it remembers.

    ``histories`` are those of the views; they are passed on if the agent uses them.
    """
    act: Any = agent.act
    known = {} if histories is None or not uses_history(agent) else {"histories": histories}
    if memory is None:
        return act(views, rng, **known)
    part = memory[rows]  # a copy
    actions = act(views, rng, part, **known)
    memory[rows] = part
    return actions


def check_rng(name: str, rng: object, method: str) -> None:
    """Refuse what is no source of randomness.

    Raises:
        ValueError: when it lacks a method, ``random`` or ``integers``.
    """
    if not callable(getattr(rng, method, None)):
        raise ValueError(
            f"agent {name!r} draws random numbers: rng is {rng!r}, but a generator such as "
            "numpy.random.default_rng(0) is needed"
        )


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
        check_view_array(views)
        actions = np.empty(len(views), np.int64)
        self._choose(views, actions)
        return actions
