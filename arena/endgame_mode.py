"""How the agents of a match come to the end of a deal: they play it, or both play it out exactly.

With ``"exact"`` a deal is ended where its endgame begins, with the tricks of perfect play: margin and winner are those
of a game in which both agents go on as ``NAME+exact`` does. Where games are recorded, that is what they do.
"""

from __future__ import annotations

from german_whist.agents.bots.base import Agent
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import solves_endgame
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.envs.utils.specs import unknown_name
from german_whist.solver.exact_endgame import ExactEndgameHook

EXACT = "exact"
ENDGAMES = (PLAYED, EXACT)


def match_ending(endgame: str, game: Rules) -> str | EndgameHook:
    """Return the ``endgame`` of a batch in which deals end as a match wants them to.

    Raises:
        ValueError: when there is no such endgame, or it cannot be played out exactly in these rules.
    """
    if endgame not in ENDGAMES:
        raise unknown_name("endgame", endgame, ENDGAMES)
    if endgame == PLAYED:
        return PLAYED
    ending = ExactEndgameHook()
    ending.check(game)
    return ending


def with_exact_endgames(
    agents: tuple[Agent, Agent], names: tuple[str, str]
) -> tuple[tuple[Agent, Agent], tuple[str, str]]:
    """Return both agents, and their names, with a perfect endgame; one that has it stays as it is."""
    (one, one_name), (other, other_name) = map(_with_exact_endgame, agents, names)
    return (one, other), (one_name, other_name)


def _with_exact_endgame(agent: Agent, name: str) -> tuple[Agent, str]:
    return (agent, name) if solves_endgame(agent) else (ExactEndgame(agent), f"{name}+{EXACT}")
