"""``german-whist benchmark``: an agent's rating on a fixed scale, by the protocol ``gw-bench-v1``.

The agent plays fixed mirrored deals against a fixed ladder of agents, whose ratings are part of the protocol. Its
rating is the maximum-likelihood one (Bradley-Terry, as in tournaments), with an interval from a bootstrap over deals.
Any change that affects ratings (a rung, its deals, its rating, the network behind it) needs a new version of the
protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import AgentLike
from german_whist.agents.registry import as_spec
from german_whist.evaluation.games import Progress
from german_whist.evaluation.match import MatchResult, play_match
from german_whist.evaluation.report import Report, Table
from german_whist.evaluation.statistics import finite_ends, format_percent, format_tricks
from german_whist.evaluation.tournament.ratings import games_won, interval_without_variance, rating_against, resampled
from german_whist.evaluation.tournament.standings import rating_interval

PROTOCOL = "gw-bench-v1"
RULES = "classic"
SEED = 6301  # seed of the deals; nothing else in this project uses it


class Rung(NamedTuple):
    """An agent of the ladder.

    Attributes:
        agent: specification string.
        deals: number of mirrored deals against it, fewer for slow agents and for those that tell little.
        elo: rating; that of ``heuristic+exact`` is 1000 by definition.
    """

    agent: str
    deals: int
    elo: float


# Ratings of a round robin, measured once (docs/how-to/evaluate.md).
LADDER = (
    Rung("random", 100, 441.0),
    Rung("greedy", 200, 810.0),
    Rung("heuristic", 400, 945.0),
    Rung("heuristic+exact", 800, 1000.0),
    Rung("mc:worlds=60", 100, 1070.0),
    Rung("small", 800, 1100.0),
    Rung("champion", 800, 1131.0),
)


@dataclass(frozen=True, repr=False)
class BenchmarkResult(Report):
    """Result of the benchmark.

    Attributes:
        agent: name of the agent.
        rating: rating on the protocol's scale, in Elo.
        interval: 95 % interval of the rating, percentiles of a bootstrap over deals.
        matches: results of the agent against each rung.
    """

    agent: str
    rating: float
    interval: tuple[float, float]
    matches: tuple[MatchResult, ...]

    def report(self) -> Sequence[Table | str]:
        """Return a table with a row per rung, and the rating."""
        rows = [
            (
                rung.agent,
                f"{rung.elo:.0f}",
                f"{rung.deals:,}",
                format_percent(match.win_rate, match.interval),
                format_tricks(match.margin, match.margin_interval),
            )
            for rung, match in zip(LADDER, self.matches, strict=True)
        ]
        note = f"mirrored deals of seed {SEED}, {RULES}; draws count half; ± is the 95 % interval"
        table = Table(f"{PROTOCOL}: {self.agent}", ("opponent", "Elo", "deals", "games won", "margin"), rows, [note])
        rating = f"{PROTOCOL} rating of {self.agent}: {self.rating:.0f}, 95 % interval {_ends(self.interval)}"
        return [table, rating]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON; unbounded ends of intervals are ``None``."""
        return {
            "protocol": PROTOCOL,
            "version": version("german-whist"),
            "agent": self.agent,
            "rating": self.rating,
            "interval": finite_ends(self.interval),
            "matches": [{"elo": rung.elo, **match.to_dict()} for rung, match in zip(LADDER, self.matches, strict=True)],
        }


def _ends(interval: tuple[float, float]) -> str:
    return rating_interval(interval).replace("+", "")


def benchmark(
    agent: AgentLike, *, progress: Progress | None = None, executor: Executor | None = None
) -> BenchmarkResult:
    """Play an agent against the ladder and rate it.

    Args:
        agent: an agent object or a specification string (see ``make_agent``).
        progress: called with the number of deals played since the last call; the numbers add up to ``total_deals()``.
        executor: as in ``play_match``.

    Raises:
        ValueError: when there is no such agent, or it cannot play ``classic``.
    """
    given = as_spec(agent)  # a run's folder stands for one checkpoint throughout
    matches = tuple(
        play_match(given, rung.agent, deals=rung.deals, seed=SEED, rules=RULES, progress=progress, executor=executor)
        for rung in LADDER
    )
    rating, interval = rate([games_won(contest.margins) for contest in matches], [rung.elo for rung in LADDER])
    return BenchmarkResult(matches[0].first, rating, interval, matches)


def total_deals() -> int:
    """Return the number of mirrored deals in the protocol."""
    return sum(rung.deals for rung in LADDER)


def rate(won: Sequence[npt.NDArray[np.float64]], elos: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """Return a rating in Elo and its 95 % interval.

    Args:
        won: per rung, the games won in each deal, 0 to 2, float64[deals]. All rungs begin with the same deals.
        elos: the ratings of the rungs.
    """
    weights = np.array([*resampled(max(map(len, won)))])
    wins = np.stack([weights[:, : len(one)] @ one for one in won], axis=1)
    games = np.stack([2.0 * weights[:, : len(one)].sum(axis=1) for one in won], axis=1)
    rating, *bootstraps = rating_against(wins, games, elos).tolist()
    if not any(np.ptp(one) for one in won):
        return rating, interval_without_variance(won, elos)
    low, high = np.percentile(bootstraps, [2.5, 97.5])
    return rating, (float(low), float(high))
