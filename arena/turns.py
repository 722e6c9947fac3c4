"""One step of many deals between two agents: each agent acts once, for all the deals where it is to move."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import DEAL, Agent, AgentForfeit, act_with_memory, initial_memory
from german_whist.envs.engine.actions import action_text, actions_text
from german_whist.envs.engine.agent_rng import WHOLE_MATCH, AgentRng, agent_key
from german_whist.envs.engine.rules import Rules
from german_whist.envs.opponent import uses_history
from german_whist.envs.simulator.batch import DealBatch

Lost = dict[int, tuple[int, str]]


class GameMemories:
    """What two agents remember of the games of a batch."""

    def __init__(
        self,
        agents: tuple[Agent, Agent],
        names: tuple[str, str],
        seed: int,
        indices: npt.NDArray[np.uint64],
        swapped: npt.NDArray[np.int8],
    ) -> None:
        """Begin all deals; the arguments are those of :func:`play_turn`."""
        self._agents, self._names, self._seed, self._swapped = agents, names, seed, swapped
        rows = np.arange(len(indices))
        self._memories = [self._initial(which, rows, indices) for which in (0, 1)]

    def begin(self, rows: npt.NDArray[np.int64], indices: npt.NDArray[np.uint64]) -> None:
        """Begin other deals, ``indices`` (uint64[k]), in some rows: what was remembered there is forgotten."""
        for which, memory in enumerate(self._memories):
            if memory is not None:
                memory[rows] = self._initial(which, rows, indices)

    def act(self, which: int, batch: DealBatch, rng: AgentRng, rows: npt.NDArray[np.int64]) -> Any:
        """Return what agent ``which`` answers to the views of some rows of a batch, int64[k]."""
        agent = self._agents[which]
        histories = batch.history(rows=rows) if uses_history(agent) and batch.log is not None else None
        return act_with_memory(agent, batch.views(rows), rng, self._memories[which], rows, histories)

    def _initial(
        self, which: int, rows: npt.NDArray[np.int64], indices: npt.NDArray[np.uint64]
    ) -> np.ndarray[Any, Any] | None:
        deals = np.empty(len(rows), DEAL)
        deals["match"] = agent_key(self._seed, WHOLE_MATCH)  # not the seed, which tells every card
        deals["index"], deals["seat"] = indices, self._swapped[rows] ^ which
        return initial_memory(self._agents[which], self._names[which], deals)


def play_turn(
    memories: GameMemories,
    names: tuple[str, str],
    batch: DealBatch,
    indices: npt.NDArray[np.uint64],
    swapped: npt.NDArray[np.int8],
    steps: npt.NDArray[np.int64],
    lost: Lost | None = None,
) -> npt.NDArray[np.int64]:
    """Play one action in every unfinished deal and return the actions, int64[size].

    Args:
        memories: the two agents and what they remember of these deals.
        names: what to call them in errors.
        batch: the deals.
        indices: index of each deal, uint64[size].
        swapped: seat of the first agent in each deal, int8[size].
        steps: number of actions played so far in each deal, int64[size].
        lost: gets the row, agent (0 or 1) and reason of each deal that an agent loses instead of choosing an action;
            these deals are over. ``None``: that is an error.

    Raises:
        ValueError: when an agent does not return one legal action per view; the message names the agent.
    """
    actions = np.zeros(batch.size, np.int64)
    mover = batch.turn ^ swapped  # which agent is to act
    for which in (0, 1):
        rows = np.flatnonzero((mover == which) & ~batch.done)
        if len(rows):
            # Each agent has its own random stream in each game of a deal.
            streams = 2 * indices[rows] + swapped[rows].astype(np.uint64)
            rng = AgentRng(batch.seed, streams, stream=which, step=steps[rows])
            try:
                chosen = memories.act(which, batch, rng, rows)
            except AgentForfeit as forfeit:
                if lost is None:
                    raise ValueError(f"agent {names[which]!r} lost a deal that has to be played: {forfeit}") from None
                reasons, chosen = forfeit.for_rows(len(rows))
                lost.update({int(rows[row]): (which, why) for row, why in reasons.items()})
                batch.states["done"][rows[list(reasons)]] = True
            actions[rows] = chosen_actions(names[which], chosen, len(rows))
    try:
        batch.step(actions)
    except ValueError:
        row = _first_illegal(batch, actions)
        where = f" in deal {indices[row]} of seed {batch.seed}"
        name, legal = names[mover[row]], int(batch.legal()[row])
        raise illegal_choice(f"agent {name!r} chose", int(actions[row]), legal, batch.rules, where) from None
    return actions


def illegal_choice(said: str, action: int, legal: int, rules: Rules, where: str = "") -> ValueError:
    """Return the error of an agent that chose an action outside the mask ``legal``, after what is ``said`` of it."""
    name = f" ({action_text(action, rules)})" if 0 <= action < rules.num_actions else ""
    return ValueError(f"{said} action {action}{name}{where}: it may play {actions_text(legal, rules)}")


def chosen_actions(name: str, actions: Any, views: int) -> npt.NDArray[np.int64]:
    """Return an agent's actions if they are one integer per view, int64[views]; they may be illegal.

    Raises:
        ValueError: otherwise, naming the agent.
    """
    try:
        chosen = np.asarray(actions)
    except ValueError:
        raise ValueError(f"agent {name!r} did not return an array: int64[{views}] is needed") from None
    if chosen.shape != (views,) or chosen.dtype.kind not in "iu":
        raise ValueError(
            f"agent {name!r} returned {chosen.dtype}{list(chosen.shape)} for {views} views: int64[{views}] is needed"
        )
    return chosen.astype(np.int64, copy=False)


def are_legal(actions: npt.NDArray[np.int64], legal: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Return which actions are in the masks of legal ones, bool[n]."""
    inside = (actions >= 0) & (actions < 64)
    allowed: npt.NDArray[np.bool_] = (legal >> np.where(inside, actions, 0).astype(np.uint64)) & np.uint64(1) == 1
    return inside & allowed


def _first_illegal(batch: DealBatch, actions: npt.NDArray[np.int64]) -> int:
    """Return the first row with an illegal action."""
    return int(np.flatnonzero(~batch.done & ~are_legal(actions, batch.legal()))[0])
