"""The environments' ids in the registries of Gymnasium and PettingZoo; agents and endings by name for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gymnasium
import pettingzoo

from german_whist.envs.engine.endgame_hook import SOLVED, register_endgame_hook

if TYPE_CHECKING:
    from german_whist.agents.bots.base import Agent
    from german_whist.envs.engine.endgame_hook import EndgameHook
    from german_whist.envs.engine.match_format import MatchFormat
    from german_whist.envs.engine.rules import Rules
    from german_whist.envs.gymnasium_env import GermanWhistEnv
    from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv

GYMNASIUM_ID = "GermanWhist-v0"
PETTINGZOO_ID = "german_whist/classic-v0"


def register_environments() -> None:
    """Register the ids, and the endings by name; older versions of PettingZoo have no registry."""
    register_endgame_hook(SOLVED, "german_whist.solver.exact_endgame:ExactEndgameHook")
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="german_whist.registration:make_single",
            vector_entry_point="german_whist.registration:make_vector",
        )
    if hasattr(pettingzoo, "register") and PETTINGZOO_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", PETTINGZOO_ID, "german_whist.envs.pettingzoo_env:env", kwargs={"rules": "classic"})


def make_single(
    rules: str | Rules = "classic",
    opponent: str | Agent = "heuristic",
    reward: str = "margin",
    seat: int | str = "alternate",
    render_mode: str | None = None,
    match: str | MatchFormat | None = None,
    endgame: str | EndgameHook = "played",
) -> GermanWhistEnv:
    """Return one environment, as ``gymnasium.make("german_whist:GermanWhist-v0", …)`` does.

    Args:
        rules: a preset's name, with settings if wanted, or ``Rules``.
        opponent: an agent's name (see ``german_whist.agent_names``) or an agent object.
        reward: ``"margin"``, ``"win"`` or ``"points"``.
        seat: the learner's seat, 0, 1 or ``"alternate"``.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or ``None``.
        match: ``None`` for episodes of one deal; ``"first_to:25"``, ``"best_of:3"`` for episodes of a whole match.
        endgame: ``"played"``, or ``"solved"`` for deals that end with the foreplay and pay as perfect play would.

    Raises:
        ValueError: when an argument is not allowed.
    """
    from german_whist.agents.registry import make_agent
    from german_whist.envs.gymnasium_env import GermanWhistEnv

    return GermanWhistEnv(make_agent(opponent), rules, reward, seat, render_mode, match, endgame)


def make_vector(
    num_envs: int = 1,
    rules: str | Rules = "classic",
    opponent: str | Agent = "heuristic",
    reward: str = "margin",
    seat: int | str = "alternate",
    render_mode: str | None = None,
    endgame: str | EndgameHook = "played",
) -> GermanWhistVectorEnv:
    """Return a native batch, as ``gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=…, …)`` does.

    Args:
        num_envs: number of rows.
        rules: as for one environment, like the arguments that follow.
        opponent: an agent's name or an agent object.
        reward: ``"margin"``, ``"win"`` or ``"points"``.
        seat: the learner's seat, 0, 1 or ``"alternate"``.
        render_mode: ``"ansi"``, ``"rgb_array"`` or ``None``.
        endgame: ``"played"`` or ``"solved"``.

    Raises:
        ValueError: when an argument is not allowed.
    """
    from german_whist.agents.registry import make_agent
    from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv

    return GermanWhistVectorEnv(make_agent(opponent), num_envs, rules, reward, seat, render_mode, endgame)
