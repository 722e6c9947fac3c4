"""What decides a game: shares of variance of margins that are made with known ones, and decks that share hands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.agents.registry import make_agent
from german_whist.arena.match import play_match
from german_whist.benchmarks.skill_and_luck.luck import (
    bootstrap_interval,
    decks_with_stocks,
    hands_share,
    luck_shares,
    play_decks,
    who_wins_both,
)
from german_whist.benchmarks.skill_and_luck.separation import deals_needed, separations, spread_of
from german_whist.envs.engine.rules import rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.simulator.batch import DealBatch
from tests.arena.resigning import Resigns


def made(deals: int, cards: float, skill: float, play: float, seed: int) -> np.ndarray:
    """Margins of the first agent: a deal's effect on seat 0, the agent's mean margin, and noise of each game."""
    rng = np.random.default_rng(seed)
    deal, noise = rng.normal(0, cards, deals), rng.normal(0, play, (deals, 2))
    return np.stack([deal + skill + noise[:, 0], -deal + skill + noise[:, 1]], axis=1)


@pytest.mark.parametrize(("cards", "skill", "play"), [(3, 0, 1), (1, 2, 1), (0, 1, 2), (2, 0, 0)])
def test_the_shares_are_those_that_the_margins_were_made_of(cards: float, skill: float, play: float) -> None:
    found = luck_shares(made(20_000, cards, skill, play, 1))
    total = cards**2 + skill**2 + play**2
    assert found == pytest.approx((cards**2 / total, skill**2 / total, play**2 / total), abs=0.02)
    assert sum(found) == pytest.approx(1)


@given(st.integers(0, 1000), st.floats(0, 3), st.floats(-2, 2))
def test_swapping_the_agents_changes_no_share(seed: int, cards: float, skill: float) -> None:
    margins = made(30, cards, skill, 1, seed)
    assert luck_shares(-margins[:, ::-1]) == pytest.approx(luck_shares(margins), abs=1e-9)


def test_an_agent_against_itself_is_all_cards() -> None:
    margins = play_match("heuristic", "heuristic", 50, rules="small").margins
    assert luck_shares(margins) == pytest.approx((1, 0, 0))
    assert who_wins_both(margins)[1:] == (0, 0)


def test_who_wins_both_games_is_counted() -> None:
    margins = np.array([[1, 3], [-1, -1], [2, -2], [-5, 1], [0, 2]])
    assert who_wins_both(margins) == (2 / 5, 1 / 5, 1 / 5)


@pytest.mark.parametrize("game", ["small", "small:open_stock=3"])
def test_decks_share_their_hands_and_open_cards_and_nothing_else(game: str) -> None:
    game_rules = rules(game)
    decks, dealers = decks_with_stocks(game_rules, 5, 3, 7)
    seen = 2 * game_rules.hand + game_rules.open_stock
    states = DealBatch(game_rules, 5, 7).states
    assert (decks[::3] == states["deck"][:, : len(game_rules.cards)]).all()
    assert (dealers == np.repeat(states["dealer"], 3)).all()
    assert (np.sort(decks) == np.sort(decks[0])).all()
    assert (decks[:, :seen] == np.repeat(decks[::3, :seen], 3, axis=0)).all()
    assert len({row.tobytes() for row in decks}) == 15


def test_decks_are_played_as_in_a_match() -> None:
    game_rules = rules("small")
    decks, dealers = decks_with_stocks(game_rules, 6, 1, 3)
    agents = (make_agent("heuristic"), make_agent("greedy"))
    played = play_decks(agents, ("heuristic", "greedy"), game_rules, decks, dealers, 3, "played")
    assert (played == play_match("heuristic", "greedy", 6, 3, "small").margins).all()


@pytest.mark.parametrize(("hand", "stock"), [(2.0, 1.0), (0.0, 2.0), (1.0, 0.0)])
def test_the_share_of_the_hands_is_the_one_that_the_margins_were_made_of(hand: float, stock: float) -> None:
    rng, hands, stocks = np.random.default_rng(2), 8000, 4
    deal = np.repeat(rng.normal(0, hand, hands), stocks) + rng.normal(0, stock, hands * stocks)
    noise = rng.normal(0, 1, (hands * stocks, 2))
    margins = np.stack([deal, -deal], axis=1) + noise
    assert hands_share(margins, stocks) == pytest.approx(hand**2 / (hand**2 + stock**2 + 1), abs=0.03)


def test_an_interval_holds_the_share_and_shrinks_with_more_deals() -> None:
    widths = []
    for deals in (50, 800):
        margins = made(deals, 1, 0, 1, 4)
        low, high = bootstrap_interval(lambda drawn: luck_shares(drawn).cards, margins, samples=200)
        assert low < luck_shares(margins).cards < high
        assert low < 0.5 < high
        widths.append(high - low)
    assert widths[1] < widths[0] / 2
    alike = np.repeat([[2, -2], [-1, 1], [3, -3]], 4, axis=0)  # four equal deals each: one group
    assert bootstrap_interval(lambda drawn: float(len(np.unique(drawn, axis=0))), alike, 4, 50)[1] <= 3


def test_the_deals_needed_separate_as_often_as_they_say() -> None:
    rate, spread = 0.55, 0.3
    deals = deals_needed(rate, spread)
    assert deals == 468  # ((1.95996 + 1.64485) * 0.3 / 0.05)²
    rng = np.random.default_rng(0)
    means = rng.normal(rate, spread / np.sqrt(deals), 20_000)
    assert (means - 1.96 * spread / np.sqrt(deals) > 0.5).mean() == pytest.approx(0.95, abs=0.01)
    with pytest.raises(ValueError, match=r"rate 0\.5"):
        deals_needed(0.5, spread)


def test_each_rate_takes_the_spread_of_the_nearest_pair() -> None:
    even, strong = made(400, 3, 0.0, 1, 0), -made(400, 1, 1.0, 1, 1)
    found = separations({("a", "b"): even, ("c", "d"): strong})
    assert [one.rate for one in found] == [0.51, 0.55, 0.60, 0.70]
    assert (found[0].pair, found[-1].pair) == (("a", "b"), ("c", "d"))
    assert found[0].spread == spread_of(even)
    assert [one.deals for one in found] == sorted((one.deals for one in found), reverse=True)
    assert found[-1].games == deals_needed(0.70, np.sqrt(0.21))
    alike = {("bot", "bot+exact"): even, ("c", "d"): strong}  # the same foreplay
    assert {one.pair for one in separations(alike)} == {("c", "d")}


def test_a_game_that_an_agent_forfeits_is_lost_by_the_largest_margin() -> None:
    game = rules("small")
    decks, dealers = decks_with_stocks(game, 6, 2, 1)
    margins = play_decks((Resigns(), make_agent("greedy")), ("a", "b"), game, decks, dealers, 0, "played")
    plain = play_decks((make_agent("greedy"), make_agent("greedy")), ("a", "b"), game, decks, dealers, 0, "played")
    lost = margins != plain
    assert 0 < lost.sum() < lost.size
    assert set(margins[lost]) == {-reward_limit(game.game, "margin")}
