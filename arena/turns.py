"""One step of many deals between two agents: each agent acts once, for all the deals where it is to move."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent
from german_whist.envs.engine.actions import actions_text
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.simulator.batch import DealBatch


def play_turn(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    batch: DealBatch,
    indices: npt.NDArray[np.uint64],
    swapped: npt.NDArray[np.int8],
    steps: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Play one action in every unfinished deal and return the actions, int64[size].

    Args:
        agents: the two agents.
        names: what to call them in errors.
        batch: the deals.
        indices: index of each deal, uint64[size].
        swapped: seat of the first agent in each deal, int8[size].
        steps: number of actions played so far in each deal, int64[size].

    Raises:
        ValueError: when an agent does not return one legal action per view; the message names the agent.
    """
    actions = np.zeros(batch.size, np.int64)
    mover = batch.turn ^ swapped  # which agent is to act
    for which, agent in enumerate(agents):
        rows = np.flatnonzero((mover == which) & ~batch.done)
        if len(rows):
            # Each agent has its own random stream in each game of a deal.
            streams = 2 * indices[rows] + swapped[rows].astype(np.uint64)
            rng = AgentRng(batch.seed, streams, stream=which, step=steps[rows])
            actions[rows] = _chosen(names[which], agent.act(batch.views(rows), rng), len(rows))
    try:
        batch.step(actions)
    except ValueError:
        row = _first_illegal(batch, actions)
        raise ValueError(
            f"agent {names[mover[row]]!r} chose action {actions[row]} in deal {indices[row]} of seed {batch.seed}: "
            f"it may play {actions_text(int(batch.legal()[row]), batch.rules)}"
        ) from None
    return actions


def _chosen(name: str, actions: Any, views: int) -> npt.NDArray[np.int64]:
    """Return an agent's actions if they are one integer per view."""
    try:
        chosen = np.asarray(actions)
    except ValueError:
        raise ValueError(f"agent {name!r} did not return an array: int64[{views}] is needed") from None
    if chosen.shape != (views,) or chosen.dtype.kind not in "iu":
        raise ValueError(
            f"agent {name!r} returned {chosen.dtype}{list(chosen.shape)} for {views} views: int64[{views}] is needed"
        )
    return chosen.astype(np.int64, copy=False)


def _first_illegal(batch: DealBatch, actions: npt.NDArray[np.int64]) -> int:
    """Return the first row with an illegal action."""
    inside = (actions >= 0) & (actions < 64)
    legal = (batch.legal() >> np.where(inside, actions, 0).astype(np.uint64)) & np.uint64(1) == 1
    return int(np.flatnonzero(~batch.done & ~(inside & legal))[0])
