"""Endgame statistics, checked on few deals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from german_whist.agents.registry import make_agent
from german_whist.arena.match import play_match
from german_whist.benchmarks.strength import endgame_statistics
from german_whist.benchmarks.strength.endgame_statistics import (
    Endgames,
    LowestBestCard,
    error_statistics,
    exact_statistics,
    main,
    random_endgames,
    self_play_endgames,
    tie_break_statistics,
    value_statistics,
)
from german_whist.envs.engine.cards import parse_hand


@pytest.mark.parametrize("make", [random_endgames, self_play_endgames])
def test_endgames_are_two_hands_of_thirteen(make: Any) -> None:
    leaders, followers, trumps = make(50, 3)
    assert not (leaders & followers).any()
    assert {int(hand).bit_count() for hand in (*leaders, *followers)} == {13}
    assert set(trumps.tolist()) == {0, 1, 2, 3}
    again = make(50, 3)
    assert all((one == other).all() for one, other in zip((leaders, followers, trumps), again, strict=True))


def test_leading_from_ace_and_queen_to_a_king_costs_a_trick() -> None:
    hands = np.array([parse_hand("AQ..."), parse_hand("K2...")], np.uint64)
    stats = value_statistics(Endgames(hands[[0, 0]], hands[[1, 1]], np.array([3, 0], np.int8)))
    assert stats["tricks"] == [0, 1, 0]
    assert stats["lead_gains"] == {-1: 1}
    assert stats["lead_gain"] == {"mean": -1, "half": 0}
    assert stats["leader_wins"]["mean"] == 0
    assert stats["lead_decides"]["mean"] == 1


def test_shares_add_up_and_the_lead_is_a_small_advantage() -> None:
    stats = value_statistics(random_endgames(400, 1))
    assert sum(stats["tricks"]) == pytest.approx(1)
    assert sum(stats["lead_gains"].values()) == pytest.approx(1)
    assert min(stats["lead_gains"]) >= -1
    assert stats["lead_gain"]["mean"] == pytest.approx(sum(gain * share for gain, share in stats["lead_gains"].items()))
    assert 0 < stats["lead_gain"]["mean"] < 1


def test_a_perfect_endgame_has_no_errors_and_bots_have_some() -> None:
    exact = error_statistics(make_agent("heuristic+exact"), 60, 0)
    assert exact["choices_wrong"] == 0
    assert {exact[name]["mean"] for name in ("hands_with_errors", "tricks_lost", "winner_changed")} == {0}
    bots = [error_statistics(make_agent(name), 60, 0) for name in ("heuristic", "random")]
    for name in ("hands_with_errors", "tricks_lost"):
        assert 0 < bots[0][name]["mean"] < bots[1][name]["mean"]
    assert 0 < bots[0]["choices_wrong"] < bots[1]["choices_wrong"] < 1


def test_what_exact_play_adds_is_measured_by_a_match() -> None:
    result = play_match("greedy+exact", "greedy", 40, 2)
    stats = exact_statistics("greedy", 40, 2)
    assert (stats["win_rate"]["mean"], stats["margin"]["mean"]) == (result.win_rate, result.margin)


def test_the_tie_break_changes_nothing_against_perfect_play() -> None:
    stats = tie_break_statistics(make_agent("greedy+exact"), 30, 1)
    assert stats == {name: {"mean": 0, "half": 0} for name in ("win_rate", "margin")}


def test_without_a_tie_break_the_lowest_best_card_is_played() -> None:
    result = play_match(LowestBestCard(make_agent("greedy")), "greedy+exact", 30, 1)
    assert (result.win_rate, result.margin) == (0.5, 0)


def test_the_command_prints_tables_or_json_and_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endgame_statistics, "BATCH", 16)
    picture = tmp_path / "values.png"
    main(["--deals", "20", "--seed", "4", "--bots", "greedy", "--picture", str(picture)])
    printed = capsys.readouterr().out
    assert sum(line.startswith("| --- |") for line in printed.splitlines()) == 4
    assert "| `greedy` |" in printed
    assert "20 endgames or mirrored deals each, seed 4" in printed
    assert picture.read_bytes().startswith(b"\x89PNG")
    main(["--deals", "20", "--seed", "4", "--bots", "greedy", "--json"])
    stats = json.loads(capsys.readouterr().out)
    assert (stats["deals"], stats["seed"], list(stats["errors"])) == (20, 4, ["greedy"])
    with pytest.raises(SystemExit):
        main(["--deals", "1"])
