"""Variance reduction of a match's result: unbiased for any value, and worth something."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from german_whist.agents.registry import make_agent
from german_whist.arena.games import play_turn
from german_whist.arena.match import play_match
from german_whist.arena.variance_reduction import (
    HandValue,
    corrected,
    play_variance_reduced_match,
    stock_luck,
    value_of,
)
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from tests.arena.resigning import Resigns
from tests.cli.commands import Run, runner


class Hash:
    """A value without any meaning: a hash of the view."""

    name = "hash"

    def values(self, views: np.ndarray) -> np.ndarray:
        mixed = views["hand"] * np.uint64(0x9E3779B97F4A7C15) ^ views["face_up"] * np.uint64(0xC2B2AE3D27D4EB4F)
        mixed ^= (views["unseen"] + views["opponent_known"]) * np.uint64(0x165667B19E3779F9)
        return (mixed >> np.uint64(40)).astype(np.float64) / 2**20


def luck_of_decks(game: str, decks: list[list[int]], names: tuple[str, str], value: Any) -> np.ndarray:
    """Play decks to the end and return the luck of seat 0 in each, draw by draw: float64[decks, steps]."""
    batch = DealBatch(game, len(decks), 0)
    batch.deal_decks(decks, np.zeros(len(decks), np.int64))
    agents = (make_agent(names[0]), make_agent(names[1]))
    indices, swapped = np.zeros(len(decks), np.uint64), np.zeros(len(decks), np.int8)
    steps, luck = np.zeros(len(decks), np.int64), []
    while not batch.done.all():
        before = batch.states.copy()
        actions = play_turn(agents, names, batch, indices, swapped, steps)
        luck.append(stock_luck(batch.rules, before, actions, value))
        steps += 1
    return np.stack(luck, axis=1)


@pytest.mark.parametrize("game", ["tiny", "tiny:draft=true", "tiny:open_stock=2", "tiny:open_stock=0,trump=none"])
@pytest.mark.parametrize("names", [("heuristic", "greedy"), ("random", "heuristic")])
def test_luck_is_zero_on_average_over_all_orders_of_the_stock(game: str, names: tuple[str, str]) -> None:
    cards = list(rules(game).cards)
    size = 0
    for seed in range(3):
        cards = np.random.default_rng(seed).permutation(cards).tolist()
        open_cards = rules(game).open_stock
        dealt, rest = cards[: 4 + open_cards], cards[4 + open_cards :]
        decks = [[*dealt, *order] for order in permutations(rest)]
        luck = luck_of_decks(game, decks, names, Hash())
        assert luck.sum() == pytest.approx(0, abs=1e-6)
        size = max(size, np.abs(luck).max())
    if len(rest) > 2:
        assert size > 0.01  # there was luck to take out


def test_the_match_is_the_one_that_play_match_plays() -> None:
    result = play_variance_reduced_match("greedy", "random", 20, 3, "small", batch_size=7)
    assert result.plain == play_match("greedy", "random", 20, 3, "small")
    again = play_variance_reduced_match("greedy", "random", 20, 3, "small")
    assert again.plain == result.plain
    assert (again.win_rate, again.margin) == pytest.approx((result.win_rate, result.margin))


def test_a_forfeited_game_leaves_the_luck_of_the_others_alone() -> None:
    results = [
        play_variance_reduced_match(Resigns(), "greedy", 20, 3, "small", value=Hash(), batch_size=size)
        for size in (1, 20)
    ]
    assert results[0].plain.forfeits
    assert (results[0].win_rate, results[0].margin) == pytest.approx((results[1].win_rate, results[1].margin))


def test_cards_in_the_hand_explain_a_part_of_the_luck() -> None:
    result = play_variance_reduced_match("heuristic", "random", 400, 1)
    assert result.margin_factor > 1.02
    low, high = result.margin_interval
    plain_low, plain_high = result.plain.margin_interval
    assert high - low < plain_high - plain_low
    assert low - 1 < result.plain.margin < high + 1


def test_a_useless_value_hardly_changes_anything() -> None:
    result = play_variance_reduced_match("greedy", "random", 200, 1, "small", value=Hash())
    assert 0.9 < result.factor < 1.1
    assert result.value == "hash"
    nothing = play_variance_reduced_match("greedy", "random", 8, 1, "humbug")  # no stock, no luck
    assert (nothing.win_rate, nothing.factor) == (nothing.plain.win_rate, 1.0)


def test_the_coefficient_is_estimated_on_the_other_half() -> None:
    rng = np.random.default_rng(0)
    control = rng.normal(size=1000)
    samples = 5 + 2 * control + rng.normal(size=1000) / 10
    reduced = corrected(samples, control)
    assert np.std(reduced) < 0.12
    changed = samples.copy()
    changed[0] += 100  # an own sample moves no own correction
    assert np.array_equal(corrected(changed, control)[2::2], reduced[2::2])
    assert not np.allclose(corrected(changed, control)[1::2], reduced[1::2])


def test_low_deals_turn_the_value_of_a_hand_around() -> None:
    batch = DealBatch("high_low", 40, 0)
    views = batch.views()
    values, low = HandValue().values(views), views["low"] == 1
    assert (values[low] < 0).all()
    assert (values[~low] > 0).all()
    assert low.any()
    assert not low.all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"deals": 7}, "deals must be an integer >= 8, got 7"),
        ({"value": "greedy"}, r"'greedy' has no values\(views\)"),
    ],
)
def test_what_cannot_be_corrected_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play_variance_reduced_match("greedy", "random", **{"deals": 10, "rules": "small", **settings})


def test_a_value_has_to_give_a_number_per_view() -> None:
    class Wrong:
        def values(self, views: np.ndarray) -> float:
            return 1.0

    assert value_of(Hash(), rules("classic")).values is not None
    with pytest.raises(ValueError, match=r"values\(views\) returned shape \[\] for"):
        play_variance_reduced_match("greedy", "random", 10, rules="small", value=Wrong())


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_the_command_prints_both_results(run: Run) -> None:
    words = ["evaluate", "greedy", "random", "--deals", "10", "--rules", "small", "--variance-reduction"]
    assert "times as many deals" in run(*words).out
    content = json.loads(run(*words, "--json").out)
    assert content["plain"]["deals"] == 10
    refused = run(*words, "--sprt", "0,5")
    assert (refused.code, "--sprt cannot be combined with --variance-reduction" in refused.err) == (2, True)
