"""The table of an agent's strength by game, and its place in a model card."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.agents.policy.checkpoint import read_card
from german_whist.arena.match import play_match
from german_whist.benchmarks.strength.by_game import main, measure, open_games
from german_whist.envs.engine.rules import rule_names
from tests.agents.networks import universal_network


def test_the_games_are_the_presets_with_an_open_endgame() -> None:
    assert set(open_games()) == set(rule_names()) - {"humbug"}


def test_results_are_those_of_matches_with_exact_endgames() -> None:
    results = measure("greedy", ["tiny", "six_cards"], 20, 5)
    expected = play_match("greedy", "heuristic+exact", deals=20, seed=5, rules="six_cards", endgame="exact")
    assert list(results) == ["heuristic+exact, tiny", "heuristic+exact, six_cards"]
    assert results["heuristic+exact, six_cards"] == expected.to_dict()


def test_a_card_keeps_its_other_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.safetensors"
    universal_network().save(path)
    for game in ("tiny", "six_cards"):
        assert main([f"checkpoint:{path}", game, "--deals", "10", "--write-card", str(path)]) == 0
    assert set(read_card(path)["results"]) == {"heuristic+exact, tiny", "heuristic+exact, six_cards"}
    assert "| six_cards " in capsys.readouterr().out
    assert main(["greedy", "tny"]) == 2
    assert "did you mean 'tiny'" in capsys.readouterr().err
