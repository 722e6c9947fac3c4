"""``Standings``: the result of a tournament, with ratings, pairs and intervals; as text, as data, and as files."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.turns import Forfeit
from german_whist.envs.utils.files import write_atomically
from german_whist.envs.utils.specs import count_text
from german_whist.evaluation.match import forfeit_lines, game_title
from german_whist.evaluation.report import Report, Table
from german_whist.evaluation.statistics import finite_ends, games_cancel, interval_text, paired_intervals
from german_whist.evaluation.tournament.ratings import bradley_terry, nash_averaging

BOOTSTRAPS = 1000
_SEED = 0  # of the bootstrap
_CHUNK = 100  # bootstrap samples at a time

Interval = tuple[float, float]
Margins = npt.NDArray[np.int64]


class PairResult(NamedTuple):
    """One agent against another.

    Attributes:
        win_rate: share of the games that the first agent won, draws counted half.
        interval: its 95 % interval, paired over deals, as in ``MatchResult``.
        margin: the first agent's counted tricks minus the other's, mean over games.
        margin_interval: its 95 % interval, paired over deals.
    """

    win_rate: float
    interval: Interval
    margin: float
    margin_interval: Interval


class Upset(NamedTuple):
    """A pair in which the lower-rated agent won more games.

    Attributes:
        winner: index of the agent with the lower rating.
        loser: index of the agent with the higher rating.
        is_certain: whether the 95 % interval of the win rate excludes ½.
    """

    winner: int
    loser: int
    is_certain: bool


@dataclass(frozen=True, eq=False)
class Standings(Report):
    """The result of a tournament; agents are in order of rating, the strongest first.

    Attributes:
        agents: the agents' specifications.
        ratings: Bradley-Terry ratings in Elo, with mean 0.
        intervals: 95 % intervals of the ratings: percentiles of a bootstrap over deals, with the same deals for all
            pairs. Unbounded for an agent if within each of its pairs all deals have the same result, which says nothing
            about the variance.
        nash_weights: probabilities in the equilibrium of largest entropy (see ``ratings``).
        nash_averages: win rate minus ½ against that equilibrium.
        pairs: result of every agent (index i) against every other (index j), in both orders.
        margins: for each of these pairs, the first agent's margin in every deal, int64[deals, 2], in the game in which
            it has seat 0 and in the other.
        upsets: pairs that contradict the order of ratings, certain ones first.
        deals: number of mirrored deals of each pair.
        seed: seed of the deals.
        rules: fields of the rules.
        endgame: ``"played"`` or ``"exact"``.
        forfeits: games that an agent lost without playing them to the end.
    """

    agents: tuple[str, ...]
    ratings: tuple[float, ...]
    intervals: tuple[Interval, ...]
    nash_weights: tuple[float, ...]
    nash_averages: tuple[float, ...]
    pairs: dict[tuple[int, int], PairResult]
    margins: dict[tuple[int, int], Margins]
    upsets: tuple[Upset, ...]
    deals: int
    seed: int
    rules: dict[str, Any]
    endgame: str
    forfeits: tuple[Forfeit, ...] = ()

    def report(self) -> Sequence[Table | str]:
        """Return tables of ratings and win rates, and lines on upsets and forfeits."""
        places = range(len(self.agents))
        ratings = Table(
            game_title(self.rules, self.endgame),
            ("", "agent", "Elo", "95 % interval", "Nash weight", "Nash average"),
            [(str(i + 1), self.agents[i], *rating_cells(self, i)) for i in places],
        )
        rates = Table(
            "Games won by the agent of the row, in %",
            ("", *(f"vs {j + 1}" for j in places)),
            [(str(i + 1), *(pair_rate(self, i, j) if i != j else "" for j in places)) for i in places],
            [
                f"{count_text(self.deals, 'mirrored deal')} of seed {self.seed} for each pair; Elo by Bradley-Terry, "
                "mean 0, bootstrapped over deals; ± is the 95 % interval"
            ],
        )
        return [ratings, rates, upsets_text(self), *forfeit_lines(self.forfeits)]

    def to_dict(self) -> dict[str, Any]:
        """Return the standings as plain data, ready for JSON; unbounded ends of intervals are ``None``."""
        agents = [
            {
                "agent": spec,
                "rating": self.ratings[i],
                "interval": finite_ends(self.intervals[i]),
                "nash_weight": self.nash_weights[i],
                "nash_average": self.nash_averages[i],
            }
            for i, spec in enumerate(self.agents)
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
        upsets = [
            {"winner": self.agents[one.winner], "loser": self.agents[one.loser], "is_certain": one.is_certain}
            for one in self.upsets
        ]
        about = {"deals": self.deals, "seed": self.seed, "rules": self.rules, "endgame": self.endgame}
        forfeits = {"forfeits": [one._asdict() for one in self.forfeits]} if self.forfeits else {}
        return {**about, "agents": agents, "pairs": pairs, "upsets": upsets, **forfeits}


def standings(
    agents: tuple[str, ...],
    margins: dict[tuple[int, int], Margins],
    rules: Rules,
    seed: int,
    endgame: str,
    forfeits: tuple[Forfeit, ...] = (),
    bootstraps: int = BOOTSTRAPS,
) -> Standings:
    """Compute the standings of agents that have all played each other.

    Args:
        agents: the agents' specifications.
        margins: for every i < j, agent i's margins against agent j, int64[deals, 2], in the game in which agent i has
            seat 0 and in the other.
        rules: the rules.
        seed: seed of the deals.
        endgame: ``"played"`` or ``"exact"``.
        forfeits: games that an agent lost without playing them to the end.
        bootstraps: number of bootstrap samples, for the intervals of the ratings.
    """
    size, places = len(agents), list(margins)
    # One number per pair and deal: games won by the first agent out of two, draws counted half.
    won = np.array([(np.sign(margins[place]) + 1).sum(axis=1) / 2 for place in places])
    deals = won.shape[1]
    ratings = bradley_terry(_win_matrix(won.sum(axis=1), places, size, deals))
    sampled = _bootstrapped_ratings(won, places, size, bootstraps)
    rate = _win_matrix(won.mean(axis=1) / 2, places, size, 0.5)
    nash = nash_averaging(np.where(np.eye(size), 0, rate - 0.5))
    order = np.argsort(-ratings, kind="stable")
    place_of = {int(agent): place for place, agent in enumerate(order)}
    largest = reward_limit(rules.game, "margin")
    ranked: dict[tuple[int, int], Margins] = {}
    for (i, j), own in margins.items():
        ranked[place_of[i], place_of[j]], ranked[place_of[j], place_of[i]] = own, -own[:, ::-1]
    ranked = dict(sorted(ranked.items()))
    pairs = {pair: PairResult(*paired_intervals(np.sign(own), own, largest)) for pair, own in ranked.items()}
    low, high = np.percentile(sampled, [2.5, 97.5], axis=0)
    unknown = ~_has_interval(margins, won, size)
    low[unknown], high[unknown] = -np.inf, np.inf
    return Standings(
        tuple(agents[agent] for agent in order),
        tuple(ratings[order].tolist()),
        tuple(zip(low[order].tolist(), high[order].tolist(), strict=True)),
        tuple(nash.weights[order].tolist()),
        tuple(nash.averages[order].tolist()),
        pairs,
        ranked,
        _upsets(pairs),
        deals,
        seed,
        rules.to_dict(),
        endgame,
        forfeits,
    )


def _has_interval(
    margins: dict[tuple[int, int], Margins], won: npt.NDArray[np.float64], size: int
) -> npt.NDArray[np.bool_]:
    """Return for which agents the bootstrap gives a valid interval, bool[agents].

    An agent needs a pair whose deals have different results, or all its pairs must cancel out in every deal, so that
    there is no variance.
    """
    varies, cancels = np.zeros(size, np.bool_), np.full(size, won.shape[1] > 1)
    for pair, one in zip(margins, won, strict=True):
        varies[list(pair)] |= bool(np.ptp(one))
        cancels[list(pair)] &= games_cancel(margins[pair])
    known: npt.NDArray[np.bool_] = varies | cancels
    return known


def _win_matrix(
    won: npt.NDArray[np.float64], places: list[tuple[int, int]], size: int, pairs: float
) -> npt.NDArray[np.float64]:
    """Return a matrix of wins, float64[…, size, size], from the first agents' wins in 2 · ``pairs`` games."""
    matrix = np.zeros((*won.shape[1:], size, size))
    for number, (i, j) in enumerate(places):
        matrix[..., i, j], matrix[..., j, i] = won[number], 2 * pairs - won[number]
    return matrix


def _bootstrapped_ratings(
    won: npt.NDArray[np.float64], places: list[tuple[int, int]], size: int, bootstraps: int
) -> npt.NDArray[np.float64]:
    """Return the ratings of bootstrap samples of the deals, float64[bootstraps, size]."""
    rng, deals = np.random.default_rng(_SEED), won.shape[1]
    found = []
    for start in range(0, bootstraps, _CHUNK):
        number = min(_CHUNK, bootstraps - start)
        counts = np.array([np.bincount(rng.integers(0, deals, deals), minlength=deals) for _ in range(number)])
        found.append(bradley_terry(_win_matrix(won @ counts.T, places, size, deals)))
    return np.concatenate(found)


def _upsets(pairs: dict[tuple[int, int], PairResult]) -> tuple[Upset, ...]:
    found = [Upset(j, i, pair.interval[1] < 0.5) for (i, j), pair in pairs.items() if i < j and pair.win_rate < 0.5]
    return tuple(sorted(found, key=lambda upset: (not upset.is_certain, upset)))


def write_report(standings: Standings, folder: str | Path) -> list[Path]:
    """Write ``standings.json``, ``standings.md``, ``ratings.csv`` and ``pairs.csv`` and return their paths.

    Raises:
        OSError: when a file cannot be written.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    files = {
        "standings.json": json.dumps(standings.to_dict(), indent=2) + "\n",
        "standings.md": standings_markdown(standings),
        "ratings.csv": ratings_csv(standings),
        "pairs.csv": pairs_csv(standings),
    }
    for name, text in files.items():
        write_atomically(target / name, text.encode())
    return [target / name for name in files]


def ratings_csv(standings: Standings) -> str:
    """Return the ratings as CSV, one line per agent."""
    rows = zip(
        standings.agents,
        standings.ratings,
        *zip(*standings.intervals, strict=True),
        standings.nash_weights,
        standings.nash_averages,
        strict=True,
    )
    return _csv(("agent", "rating", "low", "high", "nash_weight", "nash_average"), rows)


def pairs_csv(standings: Standings) -> str:
    """Return the pairs as CSV, one line per ordered pair."""
    columns = ("first", "second", "deals", "win_rate", "low", "high", "margin", "margin_low", "margin_high")
    agents = standings.agents
    return _csv(
        columns,
        (
            (agents[i], agents[j], standings.deals, pair.win_rate, *pair.interval, pair.margin, *pair.margin_interval)
            for (i, j), pair in standings.pairs.items()
        ),
    )


def standings_markdown(standings: Standings) -> str:
    """Return the standings as a Markdown page."""
    places = range(len(standings.agents))
    lines = [
        "# Standings",
        "",
        f"{game_title(standings.rules, standings.endgame)}; {count_text(standings.deals, 'mirrored deal')} of seed "
        f"{standings.seed} for each pair. ± is the 95 % interval.",
        "",
        "| | agent | Elo | 95 % interval | Nash weight | Nash average |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for i in places:
        cells = (str(i + 1), _cell(standings.agents[i]), *rating_cells(standings, i))
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "Games won by the agent of the row, in %:", ""]
    lines += ["| | " + " | ".join(str(j + 1) for j in places) + " |", "| --- |" + " --- |" * len(places)]
    for i in places:
        rates = [pair_rate(standings, i, j) if i != j else "—" for j in places]
        lines.append(f"| {i + 1} {_cell(standings.agents[i])} | " + " | ".join(rates) + " |")
    lines += ["", upsets_text(standings), ""]
    return "\n".join(lines)


def upsets_text(standings: Standings) -> str:
    """Return all upsets in words."""
    if not standings.upsets:
        return "Nobody beats an agent with a higher rating."
    return "Against the order: " + "; ".join(upset_text(standings, one) for one in standings.upsets) + "."


def upset_text(standings: Standings, upset: Upset) -> str:
    """Return one upset in words."""
    rate = 100 * standings.pairs[upset.winner, upset.loser].win_rate
    doubt = "" if upset.is_certain else " (within the interval)"
    return f"{standings.agents[upset.winner]} beats {standings.agents[upset.loser]}, {rate:.1f} %{doubt}"


def rating_cells(standings: Standings, i: int) -> tuple[str, str, str, str]:
    """Return the Elo, its interval, the Nash weight and the Nash average of agent i, as text."""
    return (
        f"{standings.ratings[i]:+z.0f}",
        rating_interval(standings.intervals[i]),
        f"{standings.nash_weights[i]:.2f}",
        f"{100 * standings.nash_averages[i]:+z.1f} %",
    )


def rating_interval(interval: Interval) -> str:
    """Return the interval of a rating, as text."""
    low, high = interval
    return f"{low:+z.0f} to {high:+z.0f}" if math.isfinite(high - low) else "unbounded"


def pair_rate(standings: Standings, i: int, j: int) -> str:
    """Return the win rate in per cent of agent i against agent j with its interval, as text."""
    pair = standings.pairs[i, j]
    low, high = pair.interval
    return f"{100 * pair.win_rate:.1f} {interval_text(100 * pair.win_rate, (100 * low, 100 * high), 1)}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _csv(columns: tuple[str, ...], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    return text.getvalue()
