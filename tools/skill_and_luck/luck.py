"""How much of a deal's result is the cards? Analysis of variance of mirrored games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.agent import Agent
from german_whist.envs.engine.endgame_hook import EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.episodes import Episodes
from german_whist.evaluation.games import mirrored_returns, play_mirrored

Margins = npt.NDArray[Any]

BOOTSTRAPS = 400


class LuckShares(NamedTuple):
    """What decides the margin of a game between two agents, as shares of its variance, which sum to 1.

    Attributes:
        cards: the deal: what both games of a mirrored deal have in common, from the point of view of a seat.
        skill: the difference in strength: the square of the mean margin.
        play: the rest: what the agents make of these particular cards.
    """

    cards: float
    skill: float
    play: float


class Wins(NamedTuple):
    """Who wins both games of a mirrored deal, as shares of the deals; the remaining deals have a drawn game.

    Attributes:
        seat: the same seat, so the cards decided.
        first: the first agent.
        second: the second agent.
    """

    seat: float
    first: float
    second: float


def _seat_margins(margins: Margins) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the margins of seat 0 with the first agent there, and with the second, float64[deals] each."""
    return margins[:, 0].astype(np.float64), -margins[:, 1].astype(np.float64)


def luck_shares(margins: Margins) -> LuckShares:
    """Return the shares of the cards, of skill and of play in the variance of a game's margin.

    A deal is modelled as a random effect on the margin of seat 0, whoever sits there. The variance of this effect is
    the covariance of the deal's two games; as a share, it is the intraclass correlation of analysis of variance.

    Args:
        margins: the first agent's margins, [deals, 2], as in ``MatchResult.margins``; at least two deals.
    """
    first, second = _seat_margins(margins)
    gap = float(np.var(first - second, ddof=1))
    skill = max(0.0, (first.mean() - second.mean()) ** 2 / 4 - gap / (4 * len(first)))  # without its sampling variance
    cards = float(np.cov(first, second)[0, 1])
    total = (float(np.var(first, ddof=1)) + float(np.var(second, ddof=1))) / 2 + skill
    if total == 0:
        return LuckShares(0.0, 0.0, 0.0)
    return LuckShares(cards / total, skill / total, (total - cards - skill) / total)


def bootstrap_interval(
    statistic: Callable[[Margins], float], margins: Margins, group: int = 1, samples: int = BOOTSTRAPS
) -> tuple[float, float]:
    """Return the 95 % percentile interval of a statistic of margins, by a bootstrap over deals.

    Args:
        statistic: a function of margins.
        margins: margins, [deals, 2].
        group: number of neighbouring deals to draw together.
        samples: number of bootstrap samples.
    """
    rng, groups = np.random.default_rng(0), margins.reshape(-1, group, 2)
    drawn = (groups[rng.integers(0, len(groups), len(groups))].reshape(-1, 2) for _ in range(samples))
    low, high = np.percentile([statistic(one) for one in drawn], [2.5, 97.5])
    return float(low), float(high)


def who_wins_both(margins: Margins) -> Wins:
    """Return how often one seat, and how often each agent, wins both games of a deal."""
    signs = np.sign(margins)
    return Wins(
        seat=float((signs[:, 0] * signs[:, 1] < 0).mean()),
        first=float((signs > 0).all(axis=1).mean()),
        second=float((signs < 0).all(axis=1).mean()),
    )


def decks_with_stocks(rules: Rules, hands: int, stocks: int, seed: int) -> tuple[npt.NDArray[np.int64], Any]:
    """Return groups of decks with the same hands and face-up cards but different orders of the face-down stock.

    Args:
        rules: the rules.
        hands: number of groups; their hands are those of deals 0 … hands − 1 of the seed.
        stocks: orders of the stock in each group; the first is the deal's own.
        seed: seed of the deals and of the other orders.

    Returns:
        Decks, int64[hands · stocks, cards], group by group, and the dealers, int64[hands · stocks].
    """
    states, cards = DealBatch(rules, hands, seed).states, len(rules.cards)
    seen = 2 * rules.hand + max(rules.open_stock, 1)
    decks = np.repeat(states["deck"][:, :cards].astype(np.int64), stocks, axis=0)
    rng = np.random.default_rng(seed)
    for row in range(len(decks)):
        if row % stocks:
            decks[row, seen:] = rng.permutation(decks[row, seen:])
    return decks, np.repeat(states["dealer"].astype(np.int64), stocks)


def play_decks(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    rules: Rules,
    decks: npt.NDArray[np.int64],
    dealers: npt.NDArray[np.int64],
    seed: int,
    endgame: str | EndgameHook,
) -> Margins:
    """Play decks twice, with the seats swapped, and return the first agent's margins, float64[decks, 2].

    A forfeited game counts as lost by the largest margin.
    """
    size = len(decks)
    episodes = Episodes(rules, 2 * size, history=any(one.uses_games for one in agents), endgame=endgame)
    numbers = np.tile(np.arange(size, dtype=np.uint64), 2)
    episodes.start(episodes.every_row, np.full(2 * size, seed, np.uint64), numbers)
    episodes.batch.deal_decks(np.tile(decks, (2, 1)).tolist(), np.tile(dealers, 2))
    play_mirrored(agents, names, episodes)
    return mirrored_returns(episodes, "margin")


def hands_share(margins: Margins, stocks: int) -> float:
    """Return the share of the hands and face-up cards alone in the variance of a game's margin.

    The rest of the cards' share is due to the order of the stock.

    Args:
        margins: the first agent's margins, [hands · stocks, 2], on the decks of :func:`decks_with_stocks`.
        stocks: orders of the stock for the same hands, at least two.
    """
    first, second = _seat_margins(margins)
    means = ((first + second) / 2).reshape(-1, stocks)
    within = float(means.var(axis=1, ddof=1).mean())
    between = float(means.mean(axis=1).var(ddof=1)) - within / stocks
    total = (float(np.var(first, ddof=1)) + float(np.var(second, ddof=1))) / 2
    return between / total if total > 0 else 0.0
