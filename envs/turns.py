"""Turns: asking an agent for its actions and playing them, and which seat a learner has."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.envs.agent import Agent, AgentLike, as_agent, ask, check_device
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import Rules
from german_whist.envs.simulator.episodes import Episodes
from german_whist.envs.utils.checks import is_whole_number


class PlaysOpponent:
    """An environment's opponent, which may be replaced between two steps."""

    rules: Rules
    device: Any = None
    _opponent: Agent

    @property
    def opponent(self) -> Agent:
        """The agent that plays against the learner; a name or any object with ``act`` may be set."""
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: AgentLike) -> None:
        agent = as_agent(opponent, self.rules)
        check_device(agent, self.device)
        self._opponent = agent


def play_turn(
    agent: Agent,
    episodes: Episodes,
    rows: Any,
    *,
    stream: int = 0,
    addresses: Any = None,
) -> None:
    """Ask an agent for its actions in rows where it is to act, and play them.

    On a device, networks and rule bots choose there, other agents on the host. The agent's random numbers depend only
    on the seed, the address, the number of actions played and the stream.

    Args:
        agent: the agent.
        episodes: the deals.
        rows: the rows, int64[k]; without any, the agent is not asked.
        stream: number of the agent's stream of random numbers; agents that play each other have one each.
        addresses: address of the random numbers in each row, uint64[k]; by default the index of its deal.

    Raises:
        ValueError: if the agent does not return one legal action per view; the message names agent and deal.
    """
    if not len(rows):
        return
    seeds, deals, plies = episodes.seeds[rows], episodes.indices[rows], episodes.plies[rows]
    addresses = deals if addresses is None else addresses
    if episodes.batch.device is not None:
        seeds, deals, addresses = (episodes.on.numpy(words).view(np.uint64) for words in (seeds, deals, addresses))
        plies = episodes.on.numpy(plies)
    rng = AgentRng(seeds, addresses, stream, plies)

    def where(row: int) -> str:
        return f" in deal {deals[row]} of seed {seeds[row]}"

    episodes.step(rows, ask(agent, episodes.batch, rows, rng, where))


def check_seat(seat: object) -> None:
    """Check a learner's seat.

    Raises:
        ValueError: if it is not 0, 1 or ``"alternate"``.
    """
    if not is_whole_number(seat, 0, 1) and seat != "alternate":
        raise ValueError(f"seat must be 0, 1 or 'alternate', got {seat!r}")


def learner_seats(seat: int | str, numbers: Any) -> Any:
    """Return the learner's seat in some episodes, or its one seat.

    The dealer alternates with every deal, so an alternating learner changes seats after every second deal: in any four
    consecutive deals it sits in each seat once as dealer and once as non-dealer.

    Args:
        seat: 0, 1 or ``"alternate"``.
        numbers: the numbers of the episodes.
    """
    return numbers >> 1 & 1 if seat == "alternate" else int(seat)
