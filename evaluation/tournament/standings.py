"""``Standings``: ratings and win rates of agents that have all played each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.evaluation.match import game_title
from german_whist.evaluation.report import Report, Table
from german_whist.evaluation.statistics import (
    PairedIntervals,
    finite_ends,
    interval_text,
    paired_intervals,
)
from german_whist.evaluation.tournament.ratings import bradley_terry, games_won, interval_without_variance, resampled
from german_whist.game.endgame_setting import Endgame
from german_whist.game.rules import Rules
from german_whist.game.scoring import reward_limit

Interval = tuple[float, float]
Margins = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Standings(Report):
    """The result of a tournament; agents are in order of rating, the strongest first.

    Attributes:
        agents: the agents' names, or their specifications where names are the same.
        ratings: Bradley-Terry ratings in Elo, with mean 0.
        intervals: 95 % intervals of the ratings: percentiles of a bootstrap over deals, with the same deals for all
            pairs. For an agent whose results are the same in all deals of each pair, they are the win rates' own
            intervals turned into Elo; unbounded after a single deal.
        pairs: win rate and margin of every agent (index i) against every other (index j), in both orders.
        margins: for each of these pairs, the first agent's margin in every deal, int64[deals, 2], in the game in which
            it has seat 0 and in the other.
        deals: number of mirrored deals of each pair.
        seed: seed of the deals.
        rules: fields of the rules.
        endgame: ``"played"`` or ``"exact"``.
    """

    agents: tuple[str, ...]
    ratings: tuple[float, ...]
    intervals: tuple[Interval, ...]
    pairs: dict[tuple[int, int], PairedIntervals]
    margins: dict[tuple[int, int], Margins]
    deals: int
    seed: int
    rules: dict[str, Any]
    endgame: Endgame

    @property
    def upsets(self) -> list[tuple[int, int]]:
        """Pairs (i, j) in which agent i won more games than agent j, which has the higher rating."""
        return [(i, j) for (i, j), pair in self.pairs.items() if i > j and pair.win_rate > 0.5]

    def report(self) -> Sequence[Table | str]:
        """Return tables of ratings and win rates, and a line on upsets."""
        agents = range(len(self.agents))
        ratings = Table(
            game_title(self.rules, self.endgame),
            ("", "agent", "Elo", "95 % interval"),
            [
                (str(i + 1), self.agents[i], f"{self.ratings[i]:+z.0f}", rating_interval(self.intervals[i]))
                for i in agents
            ],
        )
        rates = Table(
            "Games won by the agent of the row, in %",
            ("", *(f"vs {j + 1}" for j in agents)),
            [(str(i + 1), *("" if i == j else _rate_text(self.pairs[i, j]) for j in agents)) for i in agents],
            [
                f"{self.deals:,} mirrored deal{'s' * (self.deals != 1)} of seed {self.seed} for each pair; "
                "Elo by Bradley-Terry, mean 0, bootstrapped over deals; ± is the 95 % interval"
            ],
        )
        beaten = [f"{self.agents[i]} beats {self.agents[j]}, {_rate_text(self.pairs[i, j])} %" for i, j in self.upsets]
        order = f"Against the order: {'; '.join(beaten)}." if beaten else "Nobody beats an agent with a higher rating."
        return [ratings, rates, order]

    def to_dict(self) -> dict[str, Any]:
        """Return the standings as plain data, ready for JSON; unbounded ends of intervals are ``None``."""
        agents = [
            {"agent": agent, "rating": rating, "interval": finite_ends(interval)}
            for agent, rating, interval in zip(self.agents, self.ratings, self.intervals, strict=True)
        ]
        pairs = [
            {
                "first": self.agents[i],
                "second": self.agents[j],
                **pair._asdict(),
                "interval": finite_ends(pair.interval),
                "margin_interval": finite_ends(pair.margin_interval),
            }
            for (i, j), pair in self.pairs.items()
            if i < j
        ]
        about = {"deals": self.deals, "seed": self.seed, "rules": self.rules, "endgame": self.endgame}
        return {**about, "agents": agents, "pairs": pairs}


def standings(
    agents: tuple[str, ...],
    margins: dict[tuple[int, int], Margins],
    rules: Rules,
    seed: int,
    endgame: Endgame,
) -> Standings:
    """Compute the standings of agents that have all played each other.

    Args:
        agents: the agents' names, or their specifications where names are the same.
        margins: for every i < j, agent i's margins against agent j, int64[deals, 2], in the game in which agent i has
            seat 0 and in the other.
        rules: the rules.
        seed: seed of the deals.
        endgame: ``"played"`` or ``"exact"``.
    """
    # One number per pair and deal: games won by the first agent out of two, draws counted half.
    won = np.array([games_won(own) for own in margins.values()])
    deals = won.shape[1]
    totals = np.array([won @ weights for weights in resampled(deals)])
    wins = np.zeros((len(totals), len(agents), len(agents)))
    for number, (i, j) in enumerate(margins):
        wins[:, i, j], wins[:, j, i] = totals[:, number], 2 * deals - totals[:, number]
    ratings, *bootstraps = bradley_terry(wins)
    low, high = np.percentile(bootstraps, [2.5, 97.5], axis=0)
    for agent in range(len(agents)):
        results = [one if i == agent else 2 - one for (i, j), one in zip(margins, won, strict=True) if agent in (i, j)]
        if not np.ptp(results, axis=1).any():
            others = np.delete(ratings, agent)
            ends = np.array(interval_without_variance(results, others))
            # The mean of all ratings, which is 0, moves with the agent's.
            low[agent], high[agent] = ratings[agent] + (ends - ratings[agent]) * len(others) / len(agents)
    order = np.argsort(-ratings, kind="stable")
    rank = np.argsort(order).tolist()
    ranked: dict[tuple[int, int], Margins] = {}
    for (i, j), own in margins.items():
        ranked[rank[i], rank[j]], ranked[rank[j], rank[i]] = own, -own[:, ::-1]
    ranked = dict(sorted(ranked.items()))
    largest = reward_limit(rules.record, "margin")
    return Standings(
        tuple(agents[agent] for agent in order),
        tuple(ratings[order].tolist()),
        tuple(zip(low[order].tolist(), high[order].tolist(), strict=True)),
        {pair: paired_intervals(np.sign(own), own, largest) for pair, own in ranked.items()},
        ranked,
        deals,
        seed,
        rules.to_dict(),
        endgame,
    )


def rating_interval(interval: Interval) -> str:
    """Return the interval of a rating, as text."""
    low, high = interval
    return f"{low:+z.0f} to {high:+z.0f}" if math.isfinite(high - low) else "unbounded"


def _rate_text(pair: PairedIntervals) -> str:
    """Return a win rate in per cent with its interval, as text."""
    rate, low, high = (100 * share for share in (pair.win_rate, *pair.interval))
    return f"{rate:.1f} {interval_text(rate, (low, high), 1)}"
