"""An agent is made for a game: another game is refused when it is made, or before the first card."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import german_whist as gw
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import load_pretrained
from german_whist.agents.registry import make_agent
from tests.agents.networks import some_network
from tests.presets import PRESETS

OPEN = [preset for preset in PRESETS if preset != "humbug"]


@pytest.mark.parametrize("own", gw.rule_names())
def test_plays_like(own: str) -> None:
    alike = {name for name in gw.rule_names() if gw.rules(own).plays_like(gw.rules(name))}
    assert alike == ({"classic", "seventh"} if own in ("classic", "seventh") else {own})


@pytest.mark.parametrize("change", ["points=over_book", "points=over_book,book=3,slam=11"])
def test_other_scoring_is_accepted(change: str) -> None:
    views = gw.DealBatch(f"classic:{change}", 20).views()
    agent = PolicyAgent(some_network(), rules=gw.rules(f"classic:{change}"))
    assert (agent.act(views, None) == PolicyAgent(some_network()).act(gw.DealBatch("classic", 20).views(), None)).all()


@pytest.mark.parametrize("spec", ["small", "ismcts", "heuristic:search=4"])
def test_search_refuses_humbug(spec: str) -> None:
    with pytest.raises(ValueError, match="humbug"):
        make_agent(spec, "humbug")


@pytest.mark.parametrize("game", OPEN)
def test_champion_plays_every_game(game: str) -> None:
    agent: Any = make_agent("champion", game)
    assert agent.network.checkpoint is load_pretrained("champion")
    assert agent.rules == gw.rules(game)


def test_agent_of_other_game_is_refused() -> None:
    message = "plays 'no_trump', but the deals are of 'classic'"
    agent: Any = make_agent("mc:worlds=2", "no_trump")
    with pytest.raises(ValueError, match=message):
        gw.play_match(agent, "random", deals=1)
    with pytest.raises(ValueError, match=message):
        gw.play_match("random", agent, match="best_of:3", deals=1)
    with pytest.raises(ValueError, match=message):
        gymnasium.make("german_whist:GermanWhist-v0", opponent=agent)
    with pytest.raises(ValueError, match=message):
        gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=2, opponent=agent)
    assert gw.play_match(agent, "random", deals=1, rules="no_trump").deals == 1


@pytest.mark.parametrize("spec", ["champion", "small", "champion:search=4,threads=1"])
def test_estimates_in_open_endgames(spec: str) -> None:
    agent: Any = make_agent(spec)
    batch = gw.DealBatch("classic", 16, seed=4, history=True)
    bot = make_agent("heuristic")
    while batch.states["face_up"].any():
        batch.step(bot.act(batch.views(), None))
    for _ in range(3):
        views, rows = batch.views(), np.arange(16)
        actions = agent.act(views, np.random.default_rng(0))
        assert (agent.probabilities(views)[rows, actions] == 1).all()
        assert (agent.probabilities(views).sum(axis=1) == 1).all()
        if "search" not in spec:
            assert (agent.policy(views)[rows, actions] == 1).all()
        advantages = agent.advantages(views)
        assert (advantages[rows, actions] == 0).all()
        assert (np.isfinite(advantages[:, :52]) == batch.action_mask().astype(bool)).all()
        assert (advantages[np.isfinite(advantages)] <= 0).all()
        batch.step(actions)
