"""Agents called with something else than views and a generator, and classes in place of agents."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import german_whist as gw
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Actions, Views

SEARCHERS = ("mc:worlds=2", "ismcts:iterations=9")
AGENTS = ("random", "greedy", "heuristic", *SEARCHERS, "greedy+exact", "champion", "champion:temperature=1")


@pytest.fixture
def views() -> Views:
    return gw.DealBatch("classic", 3).views()


@pytest.mark.parametrize("name", ["random", *SEARCHERS, "mc:worlds=2+exact", "champion:temperature=1"])
@pytest.mark.parametrize("rng", [None, 7])
def test_an_agent_that_draws_says_what_it_needs(name: str, rng: Any, views: Views) -> None:
    with pytest.raises(
        ValueError, match=r"agent '[\w:=,]+' draws random numbers: rng must be a generator such as .*, got"
    ):
        make_agent(name).act(views, rng)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_refuses_what_is_not_an_array_of_views(name: str, views: Views) -> None:
    agent, rng = make_agent(name), np.random.default_rng(0)
    for given, message in (
        (views[0], r"views must be a VIEW array of shape \(n,\), got a single view: np.atleast_1d\(view\) is an array"),
        (views[:1].reshape(1, 1), r"views must be a VIEW array of shape \(n,\), got shape \(1, 1\)"),
        (gw.observe(views), r"views must be a VIEW array of shape \(n,\), as .*, got an array of dtype int8"),
        (None, r"views must be a VIEW array of shape \(n,\), as .*, got 'NoneType'"),
    ):
        with pytest.raises(ValueError, match=message):
            agent.act(given, rng)
    assert len(agent.act(np.atleast_1d(views[0]), rng)) == 1


class Highest:
    def act(self, views: Views, rng: Any) -> Actions:
        return np.array([int(mask).bit_length() - 1 for mask in views["legal"]])


class Static:
    @staticmethod
    def act(views: Views, rng: Any) -> Actions:
        return Highest().act(views, rng)


def test_a_class_in_place_of_an_agent_is_named() -> None:
    message = r"Highest is a class: pass an object of it, such as Highest\(\)"
    with pytest.raises(ValueError, match=message):
        gw.play_match(Highest, "random", deals=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        gymnasium.make("german_whist:GermanWhist-v0", opponent=Highest)
    assert gw.play_match(Static, "random", deals=1).deals == 1  # needs no object
