"""How a match treats endgames: played by the agents, or exactly by both sides.

With ``"exact"`` a deal is cut off where its endgame begins and gets the tricks of perfect play; margin and winner are
those of a game that both agents finish as ``NAME+exact``. Recorded games are played out by such agents.
"""

from __future__ import annotations

from german_whist.agents.bots.base import Agent
from german_whist.agents.endgame.exact_agent import ExactEndgame, solves_endgame
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED, EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.solver.exact_endgame import ExactEndgameHook


def batch_endgame(endgame: str, rules: Rules) -> str | EndgameHook:
    """Return the ``endgame`` of the ``DealBatch`` that plays a match.

    Raises:
        ValueError: when the endgame of these rules cannot be solved.
    """
    if endgame == PLAYED:
        return PLAYED
    hook = ExactEndgameHook()
    hook.check(rules)
    return hook


def with_exact_endgames(
    agents: tuple[Agent, Agent], names: tuple[str, str]
) -> tuple[tuple[Agent, Agent], tuple[str, str]]:
    """Give both agents, and their names, an exact endgame unless they have one."""
    (one, one_name), (other, other_name) = map(_with_exact_endgame, agents, names)
    return (one, other), (one_name, other_name)


def _with_exact_endgame(agent: Agent, name: str) -> tuple[Agent, str]:
    return (agent, name) if solves_endgame(agent) else (ExactEndgame(agent), f"{name}+{EXACT}")
