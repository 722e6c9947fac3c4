"""Match formats, and episodes that are matches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.envs.pettingzoo_env import raw_env
from german_whist.game.match_format import MAX_DEALS, MAX_TARGET, first_deals, match_format_of
from german_whist.simulator import episodes
from german_whist.simulator.episode import Episode
from tests.players import HALF_POINTS, play_out_match


def won(match: str, *scores: tuple[float, float]) -> list[int]:
    return match_format_of(match).winners(np.array(scores, np.float64)).tolist()


# What decides a match


def test_first_to_reach_the_target_wins() -> None:
    assert won("first_to:10", (9, 9), (10, 9), (3, 14), (0, 0)) == [-1, 0, 1, -1]


def test_both_reach_target() -> None:
    assert won("first_to:10", (10, 12), (12, 11), (12, 12), (10, 10)) == [1, 0, -1, -1]


def test_best_of_ends_when_it_is_decided() -> None:
    assert won("best_of:3", (1, 1), (2, 1), (0, 2)) == [-1, 0, 1]
    assert won("best_of:5", (2, 2), (3, 2), (0, 2)) == [-1, 0, -1]
    assert won("best_of:1", (0, 0), (0, 1)) == [-1, 1]


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ("first_two:25", r"did you mean 'first_to:N'"),
        ("first_to", "first_to:N"),
        ("25", "best_of:N"),
        ("first_to:0", "from 1 to 1000"),
        ("first_to:-3", "from 1 to 1000"),
        ("first_to:ten", "'ten'"),
        ("first_to:1001", "from 1 to 1000"),
        ("best_of:4", "must be odd, got 4"),
        ("best_of:", "''"),
        (25, "25"),
    ],
)
def test_unknown_match_format_is_refused(given: Any, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        match_format_of(given)
    with pytest.raises(ValueError, match="match"):
        raw_env(match=given)


# Episodes that are matches


@pytest.mark.parametrize(
    ("rules", "endgame", "match"),
    [
        ("tiny", "played", "first_to:25"),
        ("small_all", "played", "best_of:5"),
        ("humbug", "played", "first_to:10"),
        ("race", "exact", "best_of:3"),
        (HALF_POINTS, "played", "first_to:10"),
    ],
)
def test_match_has_its_deals_and_dealers(rules: Any, endgame: str, match: str, rng: np.random.Generator) -> None:
    episode = Episode(rules, match, endgame=endgame)
    for number in (0, 1):
        episode.reset(seed=4 if number == 0 else None)
        deals = play_out_match(episode, rng)
        assert [index for index, _, _, _ in deals] == [4096 * number + number + i for i in range(len(deals))]
        assert [dealer for _, dealer, _, _ in deals] == [(number + i) % 2 for i in range(len(deals))]
        scores = np.zeros(2)
        for i, (_, _, returns, after) in enumerate(deals):
            scores += np.maximum(returns, 0)
            assert scores.tolist() == list(after)
            assert (scores.max() >= match_format_of(match).target) == (i == len(deals) - 1)
        winner = int(scores.argmax())
        assert episode.returns("win") == (1 - 2 * winner, 2 * winner - 1)
        assert episode.returns("points") == (scores[0] - scores[1], scores[1] - scores[0])


def test_first_dealer_is_an_option(rng: np.random.Generator) -> None:
    episode = Episode("tiny", "best_of:5")
    for options in ({"dealer": 1}, None):  # then match 1, as it is dealt
        episode.reset(seed=1 if options else None, options=options)
        assert [dealer for _, dealer, _, _ in play_out_match(episode, rng)][:3] == [1, 0, 1]


def test_drawn_deals_are_replayed() -> None:
    episode = Episode("tiny:counts=all", "best_of:3")
    drawn = 0
    for seed in range(20):
        episode.reset(seed=seed)
        deals = play_out_match(episode, np.random.default_rng(seed))
        drawn += sum(returns[0] == 0 for _, _, returns, _ in deals)
        assert sum(returns[0] != 0 for _, _, returns, _ in deals) in (2, 3)
        assert [dealer for _, dealer, _, _ in deals] == [i % 2 for i in range(len(deals))]
    assert drawn > 5


def test_match_of_max_deals_is_a_draw(monkeypatch: pytest.MonkeyPatch, rng) -> None:
    monkeypatch.setattr(episodes, "MAX_DEALS", 3)
    episode = Episode("tiny", "first_to:50")
    episode.reset(seed=1)
    assert len(play_out_match(episode, rng)) == 3
    assert episode.returns("win") == (0, 0)
    assert episode.is_over


def test_matches_share_no_deal() -> None:
    first = first_deals(np.arange(4, dtype=np.uint64)).astype(object)
    assert all(first[i] + MAX_DEALS <= first[i + 1] for i in range(3))
    assert 2 * (2 * MAX_TARGET - 1) + 1 <= MAX_DEALS  # the longest match: half a point a deal, won in turn
