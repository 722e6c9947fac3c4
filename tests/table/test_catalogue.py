"""What can be played: games, scorings, and agents from the easiest to the hardest."""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from german_whist.agents.asking import ask
from german_whist.agents.registry import KINDS, make_agent
from german_whist.game.rules import rule_names, rules
from german_whist.simulator.batch import DealBatch
from german_whist.table import catalogue
from german_whist.table.page_data import ServeOptions, page_data


def test_every_preset_is_offered_with_scorings_and_agents_that_play_them() -> None:
    assert [game["id"] for game in catalogue.games()][:2] == ["classic", "small"]
    assert {game["id"] for game in catalogue.games()} == set(rule_names())
    known = [agent["spec"] for agent in catalogue.agents()]
    for game in catalogue.games():
        assert rules(game["scorings"][0]["rules"]) == rules(game["id"])
        assert len({str(rules(scoring["rules"])) for scoring in game["scorings"]}) == len(game["scorings"])
        for spec in known:
            plays = spec in game["agents"]
            for scoring in game["scorings"]:
                with nullcontext() if plays else pytest.raises(ValueError, match=r"hidden|endgame|known"):
                    make_agent(spec, scoring["rules"])


def test_every_scoring_and_the_lesson_have_a_name_of_their_own() -> None:
    titles = [words["title"] for words in page_data()["games"].values()]
    assert [title for title in titles if "=" in title] == []
    assert len(set(titles)) == len(titles)


def test_a_game_that_is_no_preset_is_offered_with_the_agents_that_play_it() -> None:
    options = ServeOptions("humbug:suits=2,ranks=4,hand=2,book=1")
    found = page_data(options)["catalog"]
    (agents,) = (game["agents"] for game in found["games"] if game["id"] == options.rules)
    assert found["defaults"]["agent"] in agents
    for agent in found["agents"]:
        with nullcontext() if agent["spec"] in agents else pytest.raises(ValueError, match=r"hidden|endgame|known"):
            make_agent(agent["spec"], options.rules)


def test_the_scorings_of_the_app_are_offered() -> None:
    classic, small = ({scoring["rules"] for scoring in game["scorings"]} for game in catalogue.games()[:2])
    assert {"seventh", "classic:counts=all,points=over_book,book=13"} <= classic
    assert {"small", "small_all"} <= small


def test_the_hardest_level_is_the_champion_with_a_search_where_the_endgame_is_open() -> None:
    for game in ("classic", "small", "no_trump", "draft", "tiny", "short:counts=all"):
        assert catalogue.agents_for(rules(game))[-2:] == ["champion", "champion:search=256"]
        assert catalogue.default_agent(rules(game)) == "champion"  # answers at once
    assert not any(":search=" in spec for spec in catalogue.agents_for(rules("humbug")))
    searching = [agent for agent in catalogue.agents() if ":search=" in agent["spec"]]
    assert {agent["level"] for agent in searching} == {"hardest"}


def test_every_level_says_how_many_deals_it_wins() -> None:
    strength = {agent["spec"]: agent["strength"] for agent in catalogue.agents()}
    assert strength["heuristic+exact"].keys() == {"classic"}
    assert strength["champion"]["draft"].startswith("Take or leave: wins ")
    wins = {spec: int(texts["classic"].split("wins ")[1].split(" %")[0]) for spec, texts in strength.items() if texts}
    assert wins["heuristic+exact"] == 50
    assert wins["champion:search=256"] > wins["champion"] > wins["heuristic+exact"]


def test_every_kind_of_agent_is_a_level_of_the_games_that_it_plays() -> None:
    for game in ("classic", "draft", "high_low", "short", "race"):
        offered = catalogue.agents_for(rules(game))
        kinds = {spec.split(":")[0].split("+")[0] for spec in offered}
        assert kinds >= set(KINDS) - {"checkpoint", "python"}
        assert sum(":search=" in spec for spec in offered) == 1
    assert not {"ismcts:iterations=500"} & set(catalogue.agents_for(rules("humbug")))


@pytest.mark.usefixtures("classic_agent")
def test_the_agent_of_the_command_line_is_offered_where_it_plays() -> None:
    spec = "checkpoint:mine.safetensors"
    offered = 0
    for game in page_data(ServeOptions(agents=(spec,)))["catalog"]["games"]:
        for scoring in game["scorings"]:
            plays = spec in scoring.get("agents", game["agents"])
            with nullcontext() if plays else pytest.raises(ValueError, match="trained for"):
                make_agent(spec, scoring["rules"])
            offered += plays
    assert offered > 1


def test_agents_of_the_command_line_are_suggested_under_the_names_of_tables(classic_agent: str, tmp_path: Path) -> None:
    other = tmp_path / "runs" / "mine" / "final.safetensors"
    other.parent.mkdir(parents=True)
    shutil.copy("mine.safetensors", other)
    specs = (classic_agent, f"checkpoint:{other}", "greedy", "champion:search=2")
    found = page_data(ServeOptions(agents=specs))["catalog"]
    assert found["suggested"] == specs
    assert found["defaults"]["agent"] == classic_agent
    named = {agent["spec"]: agent["title"] for agent in found["agents"]}
    assert [named[spec] for spec in specs] == ["mine #1", "mine #2", "Greedy", "champion:search=2"]


@pytest.mark.parametrize("game", ["tiny", "humbug"])
def test_every_level_plays_a_card(game: str) -> None:
    for spec in catalogue.agents_for(rules(game)):
        batch = DealBatch(game, 1, seed=1, history=True)
        batch.step(ask(make_agent(spec, game), batch.decisions(rng=np.random.default_rng(1))))
