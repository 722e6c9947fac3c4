"""Turns: asking an agent for its actions and playing them, and which seat a learner has."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.envs.agent import Agent, AgentLike, agent_name, as_agent, ask
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import Rules
from german_whist.envs.simulator.episodes import Episodes
from german_whist.envs.utils.checks import is_whole_number

Rows = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


class PlaysOpponent:
    """An environment's opponent, which may be replaced between two steps."""

    rules: Rules
    _opponent: Agent
    _keeps_histories = True

    @property
    def opponent(self) -> Agent:
        """The agent that plays against the learner; a name or any object with ``act`` may be set."""
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: AgentLike) -> None:
        agent = as_agent(opponent, self.rules)
        if agent.uses_games and not self._keeps_histories:
            raise ValueError(
                f"agent {agent_name(agent)!r} uses histories, which are not kept on a device: leave device out"
            )
        self._opponent = agent


def play_turn(
    agent: Agent,
    episodes: Episodes,
    rows: Rows,
    *,
    stream: int = 0,
    addresses: Words | None = None,
) -> None:
    """Ask an agent for its actions in rows where it is to act, and play them.

    The agent's random numbers depend only on the seed, the address, the number of actions played and the stream.

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
    seeds, deals = episodes.seeds[rows], episodes.indices[rows]
    rng = AgentRng(seeds, deals if addresses is None else addresses, stream, episodes.plies[rows])

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


def learner_seats(seat: int | str, numbers: Words) -> Rows:
    """Return the learner's seat in each episode, int64 of the shape of ``numbers``.

    The dealer alternates with every deal, so an alternating learner changes seats after every second deal: in any four
    consecutive deals it sits in each seat once as dealer and once as non-dealer.

    Args:
        seat: 0, 1 or ``"alternate"``.
        numbers: the numbers of the episodes, uint64.
    """
    if seat == "alternate":
        seats: Rows = (numbers >> np.uint64(1) & np.uint64(1)).astype(np.int64)
        return seats
    return np.full(numbers.shape, int(seat), np.int64)
