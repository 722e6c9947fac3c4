"""Agents by name whose policy can be searched: ``heuristic``, ``checkpoint:PATH`` and the pretrained networks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from german_whist.agents.bots.base import Agent
from german_whist.envs.engine.endgame_hook import EXACT, check_endgame
from german_whist.envs.utils.specs import shown, split_spec, unknown_name

if TYPE_CHECKING:
    from german_whist.agents.policy.checkpoint import Checkpoint
    from german_whist.agents.search.settings import SearchSettings


def heuristic_agent(settings: str) -> Agent:
    """Return the ``heuristic`` bot, or a search with it as its policy.

    Raises:
        ValueError: when a setting is unknown or wrong.
    """
    from german_whist.agents.bots.base import RuleBot
    from german_whist.agents.bots.heuristic.bot_kernels import choose
    from german_whist.agents.search.settings import SETTINGS

    bot = RuleBot("heuristic", choose)
    given = split_spec(f"heuristic:{settings}", "agent")[1]
    searching = _search_settings("heuristic", given)
    for key in given:
        raise unknown_name("heuristic setting", key, SETTINGS)
    return _search_agent(bot, searching, f"heuristic:{settings}") if searching else bot


def split_checkpoint(settings: str) -> tuple[str, str]:
    """Return the file of ``PATH[,SETTINGS]``, which has no comma, and the settings."""
    path, _, rest = settings.partition(",")
    return path, rest


def checkpoint_agent(settings: str) -> Agent:
    """Return the agent of a single network, ``PATH[,temperature=T][,endgame=HOW][,search=N]``.

    Instead of a path, the name of a network that ships with the package will do, such as ``champion-every``.

    Raises:
        ValueError: when the file cannot be read or a setting is wrong.
    """
    from german_whist.agents.pretrained.catalog import find_network

    path, rest = split_checkpoint(settings)
    if not path:
        raise ValueError("agent 'checkpoint' needs a file: checkpoint:PATH[,temperature=T][,endgame=HOW]")
    return _network_agent(find_network(path), Path(path).stem, "checkpoint", rest)


def pretrained_agent(name: str, settings: str) -> Agent:
    """Return a pretrained agent: ``champion`` or ``small``.

    Raises:
        ValueError: when a setting is wrong.
    """
    from german_whist.agents.pretrained.catalog import every_network, load_pretrained

    return _network_agent(load_pretrained(name), name, name, settings, load_pretrained(every_network(name)))


def _network_agent(
    checkpoint: Checkpoint, name: str, kind: str, settings: str, every: Checkpoint | None = None
) -> Agent:
    """Return the agent of a network: with an exact endgame if ``endgame=`` or else the model card says so.

    Args:
        checkpoint: the network.
        name: name of the agent.
        kind: what its specification begins with.
        settings: the settings in its specification.
        every: a network with universal inputs for all other games, if any.
    """
    from german_whist.agents.endgame.exact_agent import ExactEndgame
    from german_whist.agents.policy.agent import PolicyAgent
    from german_whist.agents.pretrained.multi_network_agent import MultiNetworkAgent
    from german_whist.agents.search.settings import SETTINGS

    given = split_spec(f"{kind}:{settings}", "agent")[1]
    searching = _search_settings(kind, given)
    for key in given:
        if key not in ("temperature", "endgame"):
            raise unknown_name(f"{kind} setting", key, ("temperature", "endgame", *SETTINGS))
    temperature = _number(given.get("temperature", "0"))
    agent = (
        PolicyAgent(checkpoint, temperature, name)
        if every is None
        else MultiNetworkAgent(checkpoint, every, temperature, name)
    )
    endgame = check_endgame(given.get("endgame", checkpoint.endgame))
    if searching:
        if agent.temperature or endgame != EXACT:
            raise ValueError(f"agent {kind!r}: search plays the best card and an exact endgame, no other settings")
        return _search_agent(agent, searching, f"{name}:{settings}")
    return ExactEndgame(agent, name) if endgame == EXACT else agent


def _search_settings(kind: str, given: dict[str, str]) -> SearchSettings | None:
    """Take the settings of a search out of an agent's settings; ``None`` without a search."""
    from german_whist.agents.search.settings import SETTINGS, settings_from

    taken = {key: given.pop(key) for key in SETTINGS if key in given}
    if taken.get("search", "0").strip() == "0":
        for key in taken:
            if key != "search":
                raise ValueError(f"agent {kind!r}: {key} needs a search: give search=N as well")
        return None
    return settings_from(taken)


def _search_agent(policy: Agent, settings: SearchSettings, name: str) -> Agent:
    """Return an agent that searches, with an exact endgame.

    ``small`` plays the rollouts of networks: a large network would take many times as long. The heuristic bot plays
    its own.
    """
    from german_whist.agents.endgame.exact_agent import ExactEndgame
    from german_whist.agents.policy.agent import PolicyAgent
    from german_whist.agents.pretrained.catalog import SMALL, every_network, load_pretrained
    from german_whist.agents.search.agent import SearchAgent

    names = (SMALL, every_network(SMALL)) if isinstance(policy, PolicyAgent) else ()
    return ExactEndgame(SearchAgent(policy, settings, [load_pretrained(one) for one in names], name), name)


def _number(temperature: str) -> float:
    try:
        return float(temperature)
    except ValueError:
        raise ValueError(f"temperature {shown(temperature)} is not a number") from None
