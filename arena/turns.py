"""One step of many deals between two agents: each agent acts once, for all the deals where it is to move."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.envs.agent import Agent, ask
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.simulator.batch import DealBatch

Lost = dict[int, tuple[int, str]]


def play_turn(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    batch: DealBatch,
    indices: npt.NDArray[np.uint64],
    swapped: npt.NDArray[np.int8],
    steps: npt.NDArray[np.int64],
    lost: Lost | None = None,
) -> npt.NDArray[np.int64]:
    """Play one action in every unfinished deal and return the actions, int64[size].

    Args:
        agents: the two agents.
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
            forfeits: dict[int, str] | None = None if lost is None else {}

            def where(row: int, rows: npt.NDArray[np.int64] = rows) -> str:
                return f" in deal {indices[rows[row]]} of seed {batch.seed}"

            actions[rows] = ask(agents[which], batch, rows, rng, names[which], where, forfeits)
            if lost is not None and forfeits:
                lost.update({int(rows[row]): (which, why) for row, why in forfeits.items()})
                batch.states["done"][rows[list(forfeits)]] = True
    batch.step(actions)
    return actions
