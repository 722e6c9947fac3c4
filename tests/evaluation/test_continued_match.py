"""Matches that are continued or split: ``first_deal``, the margins of single deals, and progress within a batch."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from german_whist.cli import main
from german_whist.evaluation.match import play_match
from tests.evaluation.resigning import Resigns


@pytest.mark.parametrize("endgame", ["played", "exact"])
def test_two_halves_equal_the_whole_game_by_game(endgame: str) -> None:
    games: dict[str, list[Any]] = {"whole": [], "halves": []}
    play = {"first": "random", "second": "greedy", "seed": 5, "endgame": endgame}
    whole = play_match(**play, deals=20, record=games["whole"].append)
    halves = [play_match(**play, deals=10, first_deal=first, record=games["halves"].append) for first in (0, 10)]
    assert games["halves"] == games["whole"]
    assert np.array_equal(np.concatenate([half.margins for half in halves]), whole.margins)
    assert [half.first_deal for half in halves] == [0, 10]
    assert halves[0].wins + halves[1].wins == whole.wins


def test_margins_are_whole_numbers_per_deal_and_game() -> None:
    games: list[Any] = []
    result = play_match("heuristic", "random", deals=12, seed=1, batch_size=5, record=games.append)
    assert result.margins.dtype == np.int64
    assert result.margins.shape == (12, 2)
    assert result.margins.ravel().tolist() == [
        game.result.margin * (1 if game.names[0] == "heuristic" else -1) for game in games
    ]
    assert result.margins.mean() == pytest.approx(result.margin)
    assert int((result.margins > 0).sum()) == result.wins


def test_forfeits_are_sorted_and_stay_out_of_comparisons() -> None:
    result = play_match(Resigns(), Resigns("SK", 26), deals=30, seed=3, batch_size=4)
    assert [one.deal for one in result.forfeits] == sorted(one.deal for one in result.forfeits)
    assert len({one.seat for one in result.forfeits}) == 2
    assert result.to_dict()["forfeits"] == [one._asdict() for one in result.forfeits]
    assert replace(result, forfeits=()) == result
    assert "forfeits" not in repr(result)
    assert "forfeits" not in play_match("greedy", "random", deals=3).to_dict()


@pytest.mark.parametrize("game", ["classic", "humbug", "race", "tiny"])
def test_progress_goes_on_within_a_batch(game: str) -> None:
    reported: list[int] = []
    play_match("greedy", "random", deals=60, rules=game, progress=reported.append)
    assert sum(reported) == 60
    assert min(reported) >= 1
    assert len(reported) > 3


def test_the_command_continues_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", "greedy", "random", "--deals", "4", "--first-deal", "7"]
    assert main([*words, "--json"]) == 0
    (match,) = json.loads(capsys.readouterr().out)["matches"]
    assert match == json.loads(json.dumps(play_match("greedy", "random", deals=4, first_deal=7).to_dict()))
    assert main(words) == 0
    assert "4 mirrored deals from number 7 on" in capsys.readouterr().out
    assert main(["evaluate", "greedy", "random", "--match", "best_of:3", "--first-deal", "7"]) == 2
    assert "--first-deal cannot be combined with --match" in capsys.readouterr().err
