"""The catalogue: games, and agents from the easiest to the hardest."""

from __future__ import annotations

import pytest

from german_whist.agents.registry import make_agent
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.session import catalogue
from german_whist.session.opponent import check_agent


@pytest.mark.parametrize("game", rule_names())
def test_every_agent_offered_for_a_game_plays_it_and_is_described(game: str) -> None:
    described = {agent["spec"]: agent for agent in catalogue.agents()}
    offered = catalogue.agents_for(rules(game))
    assert len(set(offered)) == len(offered)
    for spec in offered:
        check_agent(make_agent(spec), rules(game))
        assert described[spec]["title"] == catalogue.agent_title(spec)


def test_the_hardest_level_is_the_champion_with_a_search_where_a_champion_plays() -> None:
    for game, hardest in (("classic", "champion"), ("small", "champion-small"), ("no_trump", "champion-no_trump")):
        assert catalogue.agents_for(rules(game))[-2:] == [hardest, catalogue.search_of(hardest)]
        assert catalogue.default_agent(rules(game)) == hardest  # answers at once
    assert not any(":search=" in spec for spec in catalogue.agents_for(rules("humbug")))
    searching = [agent for agent in catalogue.agents() if ":search=" in agent["spec"]]
    assert {agent["level"] for agent in searching} == {"hardest"}
    assert {agent["strength"] for agent in searching} == {None}  # nothing has been measured


def test_titles() -> None:
    assert catalogue.agent_title("champion:search=9") == "Champion with search"
    assert catalogue.agent_title("heuristic:search=9") == "Textbook with search"
    assert catalogue.agent_title("checkpoint:file,search=9") == "checkpoint:file,search=9"
