"""Opponents that are objects of this process: settings name them, as ``object:NAME``, while their run trains."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from german_whist.agents.base import AgentLike, agent_name
from german_whist.agents.registry import make_agent

OBJECT = "object:"
_objects: dict[str, AgentLike] = {}


def with_named_opponents(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings in which names stand for the opponents that are objects; those of earlier runs are forgotten.

    Raises:
        ValueError: if an object is no agent.
    """
    _objects.clear()
    named = dict(settings)
    if isinstance(shares := named.get("opponents"), Mapping):
        named["opponents"] = {_named(agent): share for agent, share in shares.items()}
    return named


def _named(agent: AgentLike) -> AgentLike:
    if isinstance(agent, (str, os.PathLike)):
        return agent
    base = name = f"{OBJECT}{agent_name(make_agent(agent))}"
    number = 1
    while name in _objects:
        number += 1
        name = f"{base}-{number}"
    _objects[name] = agent
    return name


def opponent(name: str) -> AgentLike:
    """Return the object that a name stands for; other names of agents are returned as they are.

    Raises:
        ValueError: if the object was of another run, such as the one that is resumed.
    """
    if name.startswith(OBJECT) and name not in _objects:
        raise ValueError(f"opponent {name!r} is an object: pass it again, opponents={{agent: share}}")
    return _objects.get(name, name)


def check_one_process(size: int) -> None:
    """Refuse objects in a run of several processes.

    Raises:
        ValueError: naming the objects.
    """
    if _objects and size > 1:
        raise ValueError(
            f"opponents: {', '.join(_objects)}: objects can play in one process only, got {size} processes"
        )
