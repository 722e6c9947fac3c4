"""The strength tables of a trained agent: they agree with matches, and can be written into the model card."""

from __future__ import annotations

import json
import shutil
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import german_whist as gw
from german_whist.agents.policy.checkpoint import read_card
from german_whist.agents.pretrained.catalog import weights_folder
from german_whist.agents.pretrained.model_cards import against
from german_whist.benchmarks.strength import agent_strength as strength
from german_whist.benchmarks.strength.agent_report import markdown
from german_whist.benchmarks.strength.agent_strength import hand_results, main, measure, seat_results, total
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch

DEALS = 6


@pytest.fixture(autouse=True)
def few_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row._replace(opponent=row.opponent.replace("240", "2")) for row in strength.ROWS]
    monkeypatch.setattr(strength, "ROWS", tuple(rows))


EXACT_ROWS = ("random+exact", "greedy+exact", "heuristic+exact", "mc:worlds=2+exact")
BARE = "small:endgame=played"


def assert_is_match(result: dict[str, Any], first: str, second: str, endgame: str = "played") -> None:
    match = gw.play_match(first, second, DEALS, 5, "small", endgame=endgame).to_dict()
    assert result == {key: match[key] for key in result}


def test_the_rows_are_matches_of_the_agent_and_of_its_network_alone() -> None:
    played: list[int] = []
    report = measure("small", DEALS, 5, rules("small"), played.append)
    assert sum(played) == total("small", DEALS)
    own = ("heuristic", "heuristic, network to the end", "itself+exact, network to the end")
    assert tuple(report["results"]) == (*EXACT_ROWS, *own)
    assert_is_match(report["results"]["greedy+exact"], "small", "greedy", "exact")
    assert_is_match(report["results"]["heuristic"], "small", "heuristic")
    assert_is_match(report["results"]["heuristic, network to the end"], BARE, "heuristic")
    assert_is_match(report["results"]["itself+exact, network to the end"], BARE, "small")
    assert report["results"]["mc:worlds=2+exact"]["deals"] == 2
    won = sum(seat["games"] * seat["win_rate"] for seat in report["seats"].values())
    assert won == pytest.approx(2 * DEALS * report["results"]["heuristic+exact"]["win_rate"])
    by_hand = sum(entry["agent"]["games"] * entry["agent"]["win_rate"] for entry in report["hands"])
    assert by_hand == pytest.approx(won)


def test_an_agent_that_plays_its_own_endgames_has_a_row_less() -> None:
    played: list[int] = []
    report = measure(BARE, DEALS, 5, rules("small"), played.append)
    assert sum(played) == total(BARE, DEALS)
    assert tuple(report["results"]) == (*EXACT_ROWS, "heuristic", "itself+exact")
    assert_is_match(report["results"]["heuristic"], BARE, "heuristic")
    assert_is_match(report["results"]["itself+exact"], BARE, f"{BARE}+exact")


def test_seats_are_distinguished_by_who_leads_the_first_trick() -> None:
    batch = DealBatch("classic", 40, seed=3)
    leader = batch.turn
    margins = np.stack([np.where(leader == 0, 3.0, -1.0), np.where(leader == 1, 3.0, -1.0)], axis=1)
    report = seat_results(margins, rules("classic"), 3)
    assert (report["leads the first trick"]["win_rate"], report["leads the first trick"]["games"]) == (1, 40)
    assert (report["deals"]["win_rate"], report["deals"]["games"]) == (0, 40)


def test_hands_are_ranked_by_card_values_and_skill_is_the_gain_over_the_bot() -> None:
    game = rules("classic")
    first = DealBatch(game, 300, seed=4).states["hands"]
    aces = np.array([[sum(int(hand) >> ace & 1 for ace in (12, 25, 38, 51)) for hand in row] for row in first])
    classes = hand_results(aces - 1.5, np.full((300, 2), -1.0), game, 4)
    rates = [entry["agent"]["win_rate"] for entry in classes]
    assert rates[0] < rates[2] < rates[4]
    assert [entry["agent"]["games"] for entry in classes] == [120] * 5
    for entry in classes:
        assert entry["heuristic"]["win_rate"] == 0
        assert entry["gain"]["win_rate"] == pytest.approx(entry["agent"]["win_rate"])


def test_the_command_prints_the_table_and_writes_the_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.safetensors"
    with resources.as_file(weights_folder() / "small.safetensors") as file:
        shutil.copy(file, path)
    words = [f"checkpoint:{path}", "--deals", str(DEALS), "--seed", "5"]
    assert main([*words, "--json", "--write-card", str(path)]) == 0
    report = json.loads(capsys.readouterr().out)
    results = read_card(path)["results"]
    assert report["rules"] == "classic"  # the agent's own game
    assert results["heuristic+exact"]["hands"] == report["hands"]
    assert results["heuristic+exact"]["seats"] == report["seats"]
    assert {name: result["win_rate"] for name, result in results.items()} == {
        name: result["win_rate"] for name, result in report["results"].items()
    }
    assert str(tmp_path) not in json.dumps(results)
    table = markdown(report)
    for opponent in report["results"]:
        assert f"| {against(opponent)} | " in table
    assert main(words) == 0
    assert capsys.readouterr().out.strip() == table


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["champion", "--deals", "1"], "deals 1 is not allowed: a whole number from 5"),
        (["greedy+exact", "--deals", "5"], "leave out +exact"),
        (["champio"], "unknown agent 'champio': did you mean 'champion'"),
        (["checkpoint:small", "--rules", "all", "--deals", "5"], "plays no other game"),
        (["small", "--deals", "5", "--write-card", "gone.safetensors"], "there is no such file"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    completed = capsys.readouterr()
    assert message in completed.err
    assert completed.err.count("\n") == 1
    assert not completed.out
