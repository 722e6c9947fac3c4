"""Agents by name: the specification strings that commands and ``make_agent`` take, as ``heuristic+exact``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from german_whist.agents.bots.base import Agent
from german_whist.envs.utils.specs import split_spec, unknown_name


class AgentKind(NamedTuple):
    """A kind of agent: how to make one from the part of its specification after the colon, and what it is."""

    make: Callable[[str], Agent]
    usage: str
    description: str


class AgentSuffix(NamedTuple):
    """What can be added to any agent: how, and what that is."""

    add: Callable[[Agent], Agent]
    usage: str
    description: str


def _no_settings(name: str, settings: str) -> None:
    for key in split_spec(f"{name}:{settings}", "agent")[1] if settings else ():
        raise ValueError(f"agent {name!r} takes no settings, {key!r} was given")


def _random(settings: str) -> Agent:
    from german_whist.agents.bots.random import RandomBot

    _no_settings("random", settings)
    return RandomBot()


def _greedy(settings: str) -> Agent:
    from german_whist.agents.bots.base import RuleBot
    from german_whist.agents.bots.greedy_kernels import choose

    _no_settings("greedy", settings)
    return RuleBot("greedy", choose)


def _heuristic(settings: str) -> Agent:
    from german_whist.agents.bots.base import RuleBot
    from german_whist.agents.bots.heuristic.bot_kernels import choose

    _no_settings("heuristic", settings)
    return RuleBot("heuristic", choose)


def _checkpoint(settings: str) -> Agent:
    from german_whist.agents.policy.agent import PolicyAgent

    return PolicyAgent.from_spec(settings)


def _pretrained(name: str, settings: str) -> Agent:
    from german_whist.agents.policy.agent import PolicyAgent
    from german_whist.agents.pretrained.catalog import load_pretrained

    return PolicyAgent.from_settings(load_pretrained(name), name, name, settings)


def _mc(settings: str) -> Agent:
    from german_whist.agents.monte_carlo.bot import MonteCarloBot

    return MonteCarloBot.from_spec(settings)


def _exact(agent: Agent) -> Agent:
    from german_whist.agents.endgame.exact_agent import ExactEndgame
    from german_whist.agents.policy.agent import PolicyAgent, solves_endgame

    if isinstance(agent, PolicyAgent) and solves_endgame(agent):
        return agent
    return ExactEndgame(agent)


NETWORK_SETTINGS = "temperature=T (0: best card, 1: samples), endgame=played or solved"

KINDS: dict[str, AgentKind] = {
    "random": AgentKind(_random, "random", "every legal card equally likely"),
    "greedy": AgentKind(_greedy, "greedy", "wins a trick as cheaply as possible when the prize is worth it"),
    "heuristic": AgentKind(_heuristic, "heuristic", "the hard bot: perfect memory and the strategy of the books"),
    "mc": AgentKind(_mc, "mc[:worlds=N]", "flat Monte Carlo: each card tried in N random worlds (60)"),
    "checkpoint": AgentKind(
        _checkpoint,
        "checkpoint:PATH[,SETTINGS]",
        f"a trained network: {NETWORK_SETTINGS}",
    ),
}


EXACT = "exact"

SUFFIXES: dict[str, AgentSuffix] = {
    EXACT: AgentSuffix(_exact, "NAME+exact", "any agent, with a perfect endgame"),
}


def agent_names() -> tuple[str, ...]:
    """Return the names of the kinds of agents, and of the trained agents in the box."""
    from german_whist.agents.pretrained.catalog import pretrained_names

    return (*KINDS, *pretrained_names())


def _maker(name: str) -> Callable[[str], Agent] | None:
    """Return what makes the agent of a name from its settings; ``None`` when there is no such agent."""
    if name in KINDS:
        return KINDS[name].make
    return partial(_pretrained, name) if name in agent_names() else None


def make_agent(spec: str | Agent) -> Agent:
    """Return the agent that a specification string names.

    Args:
        spec: ``"random"``, ``"greedy"``, ``"heuristic"``, ``"mc:worlds=N"``, ``"checkpoint:PATH"``, a trained agent in
            the box, as ``"champion"``, each with ``"+exact"`` behind it for a perfect endgame, which those in the box
            have by themselves (without it: ``"champion:endgame=played"``); or an agent object, returned as it is.

    Raises:
        ValueError: when there is no such agent, its settings are wrong, or ``+exact`` stands twice.
    """
    if not isinstance(spec, str):
        if not callable(getattr(spec, "act", None)):
            raise ValueError(f"{spec!r} is neither an agent's name nor an object with act(views, rng)")
        return spec
    rest, plus, suffix = spec.rpartition("+")
    if plus and suffix in SUFFIXES:
        return SUFFIXES[suffix].add(make_agent(rest))
    name, _, settings = spec.partition(":")
    make = _maker(name)
    if make is None:
        if plus and _maker(rest.partition(":")[0]):
            raise unknown_name("agent suffix", f"+{suffix}", [f"+{one}" for one in SUFFIXES])
        raise unknown_name("agent", name, agent_names())
    return make(settings)
