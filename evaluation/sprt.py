"""``play_sprt``: a contest that ends as soon as a sequential probability ratio test decides between two hypotheses.

A mirrored deal is a pair of games and scores 0, ½, 1, 1½ or 2. Its two games are not independent, so the model is the
distribution of these five scores, the *pentanomial* model of chess engine testing. Strength is normalised Elo, a
multiple of t = (mean − ½) / σ, on which alone the length of a test depends (M. Van den Bergh, "Normalized Elo", 2020).

With z a standardised score, mean − ½ − t σ is estimated from n pairs with the variance
σ² E[(z − t (z² − 1) / 2)²] / n (delta method; A. van der Vaart, "Asymptotic Statistics", 1998, chapter 3). The
log-likelihood ratio takes the estimate of t as normal, with this variance halfway between the hypotheses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import AgentLike
from german_whist.evaluation.games import DEFAULT_BATCH, MirroredGames, Progress, two_players
from german_whist.evaluation.match import game_title
from german_whist.evaluation.report import Report, Table
from german_whist.evaluation.statistics import Z95
from german_whist.evaluation.stopped_walk import median_unbiased
from german_whist.game.endgame_setting import PLAYED, Endgame
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.utils.checks import check_int

DEFAULT_DEALS = 100_000  # after which a contest ends undecided
CHECK_EVERY = 16  # deals between two checks of the ratio
BOUND = math.log(19)  # bound of the log-likelihood ratio for error rates of 5 % (Wald, 1945)
MAX_ELO = 1000  # largest Elo of a hypothesis; beyond it, almost all pairs have the same score
NELO_PER_T = 800 / math.log(10) / math.sqrt(2)  # σ of one game is √2 times that of a pair's mean score

SCORES = np.arange(5) / 4  # scores of a pair, as shares of its two games
_UNSEEN = 0.5  # pairs assumed for a score that did not occur


def estimate(counts: npt.ArrayLike, truth: float | None = None) -> tuple[float, float]:
    """Return normalised Elo and its standard error if ``truth``, by default the estimate itself, were true.

    Args:
        counts: pairs that scored 0, ½, 1, 1½ and 2, [5].
        truth: normalised Elo.
    """
    seen = np.maximum(np.asarray(counts, np.float64), _UNSEEN)
    pairs = float(seen.sum())
    mean = float(seen @ SCORES) / pairs
    deviation = math.sqrt(float(seen @ (SCORES - mean) ** 2) / pairs)
    t, z = (mean - 0.5) / deviation, (SCORES - mean) / deviation
    of = t if truth is None else truth / NELO_PER_T
    return NELO_PER_T * t, NELO_PER_T * math.sqrt(float(seen @ (z - of * (z**2 - 1) / 2) ** 2)) / pairs


def log_likelihood_ratio(counts: npt.ArrayLike, elo0: float, elo1: float) -> float:
    """Return the log-likelihood ratio of normalised Elo ``elo1`` to ``elo0``; counts as in :func:`estimate`."""
    middle = (elo0 + elo1) / 2
    nelo, error = estimate(counts, middle)
    return (elo1 - elo0) * (nelo - middle) / error**2


def estimate_after_test(counts: npt.ArrayLike, elo0: float, elo1: float) -> tuple[float, tuple[float, float]]:
    """Return the median-unbiased normalised Elo after a test, and its 95 % interval.

    The log-likelihood ratio is taken as a random walk that is looked at after every 16 pairs and has stopped now; see
    :func:`~german_whist.evaluation.stopped_walk.median_unbiased`.

    Args:
        counts: pairs that scored 0, ½, 1, 1½ and 2.
        elo0: normalised Elo of the null hypothesis.
        elo1: normalised Elo of the alternative.
    """
    looks, middle = math.ceil(int(np.sum(counts)) / CHECK_EVERY), (elo0 + elo1) / 2
    (nelo, error), (_, error_at_middle) = estimate(counts), estimate(counts, middle)
    slope = (elo1 - elo0) / error_at_middle**2  # change of the ratio per unit of normalised Elo
    drifts = median_unbiased(looks, slope * (nelo - middle), slope * error / math.sqrt(looks), BOUND)
    unbiased, low, high = (middle + drift * looks / slope for drift in drifts)
    return unbiased, (low, high)


@dataclass(frozen=True, kw_only=True, repr=False)
class SPRTResult(Report):
    """Result of ``play_sprt``.

    Attributes:
        accepted: ``"elo1"``, ``"elo0"``, or ``"undecided"`` if the largest number of deals was reached.
        log_ratio: log-likelihood ratio of ``elo1`` to ``elo0``.
        elo0: the null hypothesis: the first agent is at most this much stronger, in normalised Elo.
        elo1: the alternative: it is at least this much stronger.
        counts: mirrored deals in which the first agent scored 0, ½, 1, 1½ and 2.
        nelo: normalised Elo of the first agent, too far from the hypotheses' middle on average: tests stop early by
            luck.
        interval: 95 % interval of ``nelo``, as if the number of deals had been fixed.
        unbiased: normalised Elo that is too high as often as too low.
        unbiased_interval: 95 % interval of ``unbiased``.
        deals: number of deals, each played twice.
        first: name of the first agent.
        second: name of the second agent.
        rules: fields of the rules.
        seed: seed of the deals and of the agents' randomness.
        endgame: ``"played"`` or ``"exact"``.
    """

    accepted: str
    log_ratio: float
    elo0: float
    elo1: float
    counts: tuple[int, ...]
    nelo: float
    interval: tuple[float, float]
    unbiased: float
    unbiased_interval: tuple[float, float]
    deals: int
    first: str
    second: str
    rules: dict[str, Any]
    seed: int
    endgame: Endgame

    def report(self) -> Sequence[Table | str]:
        """Return a table of the figures, and the decision."""
        verdict = {
            "elo1": f"H1 accepted: normalised Elo of at least {self.elo1:g}",
            "elo0": f"H0 accepted: normalised Elo of at most {self.elo0:g}",
            "undecided": f"undecided after {self.deals:,} deals",
        }[self.accepted]
        nelo = f"{self.nelo:+z.1f} ± {(self.interval[1] - self.interval[0]) / 2:.1f}"
        counts = " / ".join(map(str, self.counts))
        low, high = self.unbiased_interval
        unbiased = f"{self.unbiased:+z.1f} ({low:+z.1f} to {high:+z.1f})"
        row = (self.first, self.second, nelo, f"{self.log_ratio:.2f}", str(self.deals), counts)
        columns = ("agent", "opponent", "nElo", "LLR", "deals", "0 / ½ / 1 / 1½ / 2 won")
        notes = [
            f"LLR: log-likelihood ratio; the test ends at ±{BOUND:.2f} (error rates of 5 %), seed {self.seed}",
            "nElo: normalised Elo; ± is the 95 % interval, as if the number of deals had been fixed",
            f"unbiased nElo: {unbiased}, corrected for the early stop",
            "won: mirrored deals by the games that the agent won of two",
        ]
        return [Table(game_title(self.rules, self.endgame), columns, [row], notes), verdict]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        return asdict(self)


def play_sprt(
    first: AgentLike,
    second: AgentLike,
    *,
    elo0: float = 0.0,
    elo1: float = 5.0,
    seed: int = 0,
    rules: str | Rules = "classic",
    max_deals: int = DEFAULT_DEALS,
    endgame: Endgame = PLAYED,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> SPRTResult:
    """Play mirrored deals until one of two hypotheses about the first agent's normalised Elo is accepted.

    The error rates are 5 %. The ratio is checked after every 16 deals, and deals played after the last check are not
    counted, so the result does not depend on the executor.

    Args:
        first: an agent object or a specification string.
        second: its opponent, likewise.
        elo0: normalised Elo of the null hypothesis, from −1,000 to 1,000.
        elo1: normalised Elo of the alternative, above ``elo0``.
        seed: seed of the deals and of the agents' randomness.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        max_deals: number of deals after which the contest ends undecided.
        endgame: ``"played"`` or ``"exact"``, as in ``play_match``.
        progress: called with the number of deals played since the last call.
        executor: as in ``play_match``.

    Raises:
        ValueError: when a name or number is not allowed, or an agent does not return one legal action per view.
    """
    if not -MAX_ELO <= elo0 < elo1 <= MAX_ELO:
        raise ValueError(f"elo0 and elo1 must be from -{MAX_ELO} to {MAX_ELO}, the lower first, got {elo0:g},{elo1:g}")
    max_deals, rules = check_int("max_deals", max_deals, 1), get_rules(rules)
    players, games = two_players(first, second, rules), MirroredGames(rules=rules, seed=seed, endgame=endgame)

    def scores() -> Iterator[int]:
        """Yield each pair's half points. The ranges grow, so that a test that ends early plays few deals in vain."""
        start, least = 0, 8 * CHECK_EVERY if executor is None else DEFAULT_BATCH // 2
        while start < max_deals:
            stop = min(max_deals, start + min(DEFAULT_BATCH, max(least, start)))
            for block in games.play(players, range(start, stop), executor=executor, progress=progress):
                yield from (block.outcomes.sum(axis=1) + 2).tolist()
            start = stop

    counts, deals, log_ratio = np.zeros(5, np.int64), 0, 0.0
    for deals, score in enumerate(scores(), 1):
        counts[score] += 1
        if deals % CHECK_EVERY == 0 or deals == max_deals:
            log_ratio = log_likelihood_ratio(counts, elo0, elo1)
            if abs(log_ratio) >= BOUND:
                break
    nelo, error = estimate(counts)
    unbiased, unbiased_interval = estimate_after_test(counts, elo0, elo1)
    return SPRTResult(
        accepted="undecided" if abs(log_ratio) < BOUND else "elo1" if log_ratio > 0 else "elo0",
        log_ratio=log_ratio,
        elo0=float(elo0),
        elo1=float(elo1),
        counts=tuple(counts.tolist()),
        nelo=nelo,
        interval=(nelo - Z95 * error, nelo + Z95 * error),
        unbiased=unbiased,
        unbiased_interval=unbiased_interval,
        deals=deals,
        first=players.names[0],
        second=players.names[1],
        rules=rules.to_dict(),
        seed=int(seed),
        endgame=endgame,
    )
