"""The agent at the other side of the table: its choices are a function of the seed, the deal and the step."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from german_whist.agents.bots.base import DEAL, Agent, AgentForfeit, act_with_memory, agent_name, initial_memory
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.process.agent import ProcessAgent
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.agent_rng import WHOLE_MATCH, AgentRng, agent_key
from german_whist.envs.opponent import uses_history
from german_whist.session.deal.table_deal import TableDeal

_CACHED = 32


@lru_cache(_CACHED)
def agent_named(spec: str) -> Agent:
    """Return the agent of a specification; sessions share it, but for what it counts (``for_match``).

    Raises:
        ValueError: if there is no such agent.
    """
    return make_agent(spec)


def start_agent(agent: Agent) -> None:
    """Start the program of an agent that is one (``process:``), so that a wrong command is found before the first card.

    Raises:
        ValueError: if it cannot be started.
    """
    played_by = agent.agent if isinstance(agent, ExactEndgame) else agent
    if isinstance(played_by, ProcessAgent):
        played_by.start()


def choose_action(agent: Agent, deal: TableDeal, seed: int, index: int) -> int:
    """Return what an agent plays, with the random numbers that it has in ``evaluate``.

    Args:
        agent: the agent.
        deal: the deal, in which it is the agent's turn.
        seed: seed of the agent's random numbers.
        index: number of the deal.

    Raises:
        AgentForfeit: if the agent loses the deal instead.
        ValueError: if the agent's choice is not legal.
    """
    seat, name = deal.turn, agent_name(agent)
    match = agent_key(seed, WHOLE_MATCH)  # not the seed, which tells every card
    memory = initial_memory(agent, name, np.array([(match, index, seat)], DEAL))
    row = np.zeros(1, np.int64)
    if memory is not None and deal.actions:  # an agent that remembers sees its earlier decisions again
        views, (tokens, lengths) = deal.decisions()
        for step in range(len(deal.actions)):
            if deal.actor(step) == seat:
                now, rng = slice(step, step + 1), _rng(seed, index, seat, step)
                act_with_memory(agent, views[now], rng, memory, row, (tokens[now], lengths[now]))
    rng = _rng(seed, index, seat, len(deal.actions))
    histories = deal.batch.history(seats=[seat]) if uses_history(agent) else None
    action = int(np.asarray(act_with_memory(agent, deal.views(seat), rng, memory, row, histories))[0])
    if not (0 <= action < deal.rules.num_actions and deal.legal >> action & 1):
        word = action_text(action, deal.rules) if 0 <= action < deal.rules.num_actions else str(action)
        raise ValueError(f"agent {name!r} chose {word}, which it may not play")
    return action


def play_action(agent: Agent, deal: TableDeal, seed: int, index: int) -> int | None:
    """Let an agent act once, and return its action; ``None`` if it loses the deal instead.

    Arguments as :func:`choose_action`.

    Raises:
        ValueError: if the agent's choice is not legal.
    """
    try:
        action = choose_action(agent, deal, seed, index)
    except AgentForfeit as forfeit:
        reasons, _ = forfeit.for_rows(1)
        deal.lose(deal.turn, reasons.get(0, str(forfeit)))
        return None
    deal.play(action)
    return action


def _rng(seed: int, index: int, seat: int, step: int) -> AgentRng:
    # As in a match in which the agent is the first of the two: its seat tells the games of a deal apart.
    return AgentRng(seed, np.array([2 * index + seat], np.uint64), step=step)
