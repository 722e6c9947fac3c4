"""The agent at the other side of the table: its choices are a function of the seed, the deal and the step."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.process.agent import ProcessAgent
from german_whist.agents.registry import make_agent, make_agent_without_code
from german_whist.envs.agent import Agent, ask
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import Rules
from german_whist.session.deal.table_deal import TableDeal

_CACHED = 32
_of_the_command: set[str] = set()  # specifications on the command line, which may name code


def name_on_command(spec: str | None) -> None:
    """Let sessions play against the agent that the command line names, also if it is code."""
    if spec is not None:
        _of_the_command.add(spec)


@lru_cache(_CACHED)
def agent_named(spec: str, rules: Rules) -> Agent:
    """Return the agent of a specification for a game; sessions share it, but for what it counts (``for_match``).

    Raises:
        ValueError: if there is no such agent, it does not play this game, or it is code that the command line does not
            name.
    """
    return make_agent(spec, rules) if spec in _of_the_command else make_agent_without_code(spec, rules)


def start_agent(agent: Agent) -> None:
    """Start the program of an agent that is one (``process:``), so that a wrong command is found before the first card.

    Raises:
        ValueError: if it cannot be started.
    """
    played_by = agent.agent if isinstance(agent, ExactEndgame) else agent
    if isinstance(played_by, ProcessAgent):
        played_by.start()


def play_action(agent: Agent, deal: TableDeal, seed: int, index: int) -> int | None:
    """Let an agent act once, with the random numbers that it has in ``evaluate``, and return its action.

    Args:
        agent: the agent.
        deal: the deal, in which it is the agent's turn.
        seed: seed of the agent's random numbers.
        index: number of the deal.

    Returns:
        The action, or ``None`` if the agent loses the deal instead.

    Raises:
        ValueError: if the agent's choice is not legal.
    """
    forfeits: dict[int, str] = {}
    rng = _rng(seed, index, deal.turn, len(deal.actions))
    action = int(ask(agent, deal.batch, np.zeros(1, np.int64), rng, forfeits=forfeits)[0])
    if forfeits:
        deal.lose(deal.turn, forfeits[0])
        return None
    deal.play(action)
    return action


def _rng(seed: int, index: int, seat: int, step: int) -> AgentRng:
    # As in a match in which the agent is the first of the two: its seat tells the games of a deal apart.
    return AgentRng(seed, np.array([2 * index + seat], np.uint64), step=step)
