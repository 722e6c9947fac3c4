"""An agent is made for a game: another game is refused when it is made, or before the first card."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

import german_whist as gw
from german_whist.agents.pretrained import load_pretrained
from german_whist.agents.registry import make_agent
from tests.presets import PRESETS

OPEN = [preset for preset in PRESETS if preset != "humbug"]


@pytest.mark.parametrize("own", gw.rule_names())
def test_rules_play_like_those_that_differ_in_counting(own: str) -> None:
    alike = {name for name in gw.rule_names() if gw.rules(own).plays_like(gw.rules(name))}
    assert alike == ({"classic", "seventh"} if own in ("classic", "seventh") else {own})


@pytest.mark.parametrize("spec", ["small", "ismcts", "heuristic:search=4"])
def test_search_refuses_humbug(spec: str) -> None:
    with pytest.raises(ValueError, match="humbug"):
        make_agent(spec, "humbug")


@pytest.mark.parametrize("game", OPEN)
def test_champion_plays_every_game(game: str) -> None:
    agent: Any = make_agent("champion", game)
    assert agent.prior.checkpoint is load_pretrained("champion")
    assert agent.rules == gw.rules(game)


def test_agent_of_other_game_is_refused() -> None:
    message = r"no_trump.*classic"
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
