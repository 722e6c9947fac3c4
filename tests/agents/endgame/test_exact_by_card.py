"""Trained agents whose networks were never shown an endgame leave it to the solver, by themselves."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import PRETRAINED_NAMES, load_pretrained
from german_whist.agents.registry import make_agent
from german_whist.game.agent_rng import AgentRng
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.observation.views import Views
from german_whist.simulator.text.rules_text import rules_spec
from tests.agents.networks import some_network
from tests.players import play_randomly

RACE = "small:counts=all,race=9,points=difference,slam=0,book=null"
GAMES = ("high_low", "draft", RACE)


def views_of(game: str, size: int = 12) -> Views:
    """Views of every stage of a game's deals."""
    batch, rng, parts = DealBatch(game, size, seed=4), np.random.default_rng(0), []
    while not batch.done.all():
        parts.append(batch.views(np.flatnonzero(~batch.done)))
        play_randomly(batch, rng, 3)
    return np.concatenate(parts)


def saved(folder: Path, endgame: str, game: str = "classic") -> str:
    """The specification of a network whose card says how it comes to the end of a deal."""
    path = folder / f"{endgame}.safetensors"
    dataclasses.replace(some_network(game=game), endgame=endgame).save(path)
    return f"checkpoint:{path}"


@pytest.mark.parametrize("temperature", [0, 1])
@pytest.mark.parametrize("game", GAMES)
def test_network_until_open_then_solver(tmp_path: Path, game: str, temperature: int) -> None:
    views = views_of(game)
    bare = PolicyAgent(some_network(game=game), temperature)
    agent = make_agent(f"{saved(tmp_path, 'exact', game)},temperature={temperature}")
    known = opponent_hand_known(views)
    assert 10 < known.sum() < len(views) - 10

    def decisions() -> Decisions:
        return Decisions(views, game, AgentRng(3, np.arange(len(views))))

    actions, exact, by_network = (np.asarray(one.act(decisions())) for one in (agent, ExactEndgame(bare), bare))
    assert (actions == exact).all()
    assert (actions[~known] == by_network[~known]).all()
    assert (actions[known] != by_network[known]).any()


@pytest.mark.parametrize("name", PRETRAINED_NAMES)
def test_pretrained_solve_their_endgames(name: str) -> None:
    agent, bare = make_agent(name), make_agent(f"{name}:endgame=played")
    assert load_pretrained(name).endgame == "exact"
    assert [isinstance(one, ExactEndgame) for one in (agent, bare, make_agent(f"{bare.name}+exact"))] == [
        True,
        False,
        True,
    ]  # type: ignore[attr-defined]
    game = rules_spec(load_pretrained(name).rules)
    decisions = Decisions(views_of(game, 3), game)
    actions = agent.act(decisions)
    for spec in (f"{name}+exact", f"{name}:endgame=exact+exact", f"{name}:endgame=played+exact"):
        assert np.array_equal(make_agent(spec).act(decisions), actions)
    assert not np.array_equal(bare.act(decisions), actions)


def test_every_checkpoint_can_search(tmp_path: Path) -> None:
    agent = make_agent(f"{saved(tmp_path, 'played')},search=2")
    assert isinstance(agent, ExactEndgame)
