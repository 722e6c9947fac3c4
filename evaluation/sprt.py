"""``play_sprt``: a match that ends as soon as a sequential probability ratio test decides between two hypotheses.

A mirrored deal is a pair of games and scores 0, ½, 1, 1½ or 2. Its two games are not independent, so the model is the
multinomial distribution of these five scores, the *pentanomial* model of chess engine testing. Normalised Elo measures
strength by t = (mean − ½) / σ, with the mean and standard deviation of a single game; the number of games that a test
takes depends on t alone (M. Van den Bergh, "Normalized Elo", 2020, and "A practical introduction to normalized Elo",
2021; the reference implementation is fishtest's ``LLRcalc.py``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.registry import AgentLike
from german_whist.envs.engine.endgame_hook import PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.turns import Forfeit
from german_whist.envs.utils.checks import whole_number
from german_whist.envs.utils.specs import must_be
from german_whist.evaluation.games import DEFAULT_BATCH, Progress, games, two_players
from german_whist.evaluation.match import forfeit_lines, game_title, sorted_forfeits
from german_whist.evaluation.report import Report, Table
from german_whist.evaluation.statistics import Z95, finite_ends, largest_unseen_share

Counts = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]

DEFAULT_DEALS = 100_000  # after which a match ends undecided
MAX_ELO = 10_000  # beyond it, a hypothesis means that all pairs have the same score
CHECK_EVERY = 16  # deals between two checks of the ratio
ACCEPTED = {1: "elo1", -1: "elo0", 0: "undecided"}

SCORES = np.arange(5) / 4  # of a pair, as shares of its two games
_PAIR_SCORES = ("0 won", "½", "1", "1½", "2 won")
NELO_PER_T = 800 / math.log(10)
_PAIR = math.sqrt(2)  # σ of one game is √2 times that of a pair's mean score
_PSEUDO_COUNT = 1e-3  # pairs assumed for a score that did not occur, to keep likelihoods finite
_ITERATIONS = 50
_CLOSE = 1e-10
_MOST = 0.99  # share of one score in the starting points of ``most_likely``


class NormalisedElo(NamedTuple):
    """An estimate of strength in normalised Elo.

    Attributes:
        nelo: the estimate; infinite if all pairs had the same score, unless that is 1 of 2.
        interval: 95 % interval of the estimate; if that is infinite, so is one end.
    """

    nelo: float
    interval: tuple[float, float]


def pentanomial_counts(margins: npt.NDArray[Any]) -> Counts:
    """Return the number of pairs that scored 0, ½, 1, 1½ and 2, int64[5].

    Args:
        margins: the first agent's margins in the two games of each deal, [deals, 2].
    """
    return np.bincount(np.sign(margins).astype(np.int64).sum(axis=1) + 2, minlength=5)


def normalised_elo(counts: npt.ArrayLike) -> NormalisedElo:
    """Estimate normalised Elo and its 95 % interval from pairs counted by score.

    The interval accounts for the errors of both the mean and σ by the delta method: the variance of an estimate of t
    from n pairs is (1 − t · skewness + t² (kurtosis − 1) / 4) / n (a standardised effect size without normality;
    A. van der Vaart, "Asymptotic Statistics", 1998, chapter 3).

    Args:
        counts: pairs with score 0, ½, 1, 1½ and 2.
    """
    seen = np.asarray(counts, np.float64)
    (scores,) = np.nonzero(seen)
    if len(scores) == 1 and SCORES[scores[0]] != 0.5:
        return _without_variance(float(SCORES[scores[0]]), int(seen.sum()))
    number, shares = (float(seen.sum()), seen / seen.sum()) if len(scores) > 1 else _shares(counts)
    mean, deviation = _moments(shares)
    t = (mean - 0.5) / deviation
    skewness, kurtosis = (float(shares @ ((SCORES - mean) / deviation) ** power) for power in (3, 4))
    nelo = t / _PAIR * NELO_PER_T
    spread = math.sqrt(max(0.0, 1 - t * skewness + t**2 * (kurtosis - 1) / 4))
    half = spread * Z95 / math.sqrt(number) / _PAIR * NELO_PER_T
    return NormalisedElo(nelo, (nelo - half, nelo + half))


def _without_variance(score: float, pairs: int) -> NormalisedElo:
    """Return the estimate if all pairs had the same ``score``, other than ½.

    The finite bound is the t of the least favourable distribution that is compatible with the result: the largest share
    of pairs that may have gone unseen (``largest_unseen_share``) has the score at the other end.
    """
    share = largest_unseen_share(pairs)
    t = (abs(score - 0.5) / max(score, 1 - score) - share) / math.sqrt(share * (1 - share))
    bound = t / _PAIR * NELO_PER_T
    return NormalisedElo(math.inf, (bound, math.inf)) if score > 0.5 else NormalisedElo(-math.inf, (-math.inf, -bound))


def log_likelihood_ratio(counts: npt.ArrayLike, elo0: float, elo1: float) -> float:
    """Return log L(elo1) − log L(elo0) of pairs counted by score, each likelihood maximised over its hypothesis.

    A hypothesis is the set of all distributions of the five scores with the given normalised Elo. This makes it the
    generalised sequential probability ratio test (GSPRT; Li, Liu and Ying, "Generalized sequential probability ratio
    test for separate families of hypotheses", Sequential Analysis 33, 2014).

    Args:
        counts: pairs with score 0, ½, 1, 1½ and 2.
        elo0: normalised Elo of the null hypothesis.
        elo1: normalised Elo of the alternative.
    """
    number, shares = _shares(counts)
    null, alternative = (most_likely(shares, elo * _PAIR / NELO_PER_T) for elo in (elo0, elo1))
    return float(number * (shares * np.log(alternative / null)).sum())


def _shares(counts: npt.ArrayLike) -> tuple[float, Shares]:
    seen = np.asarray(counts, np.float64)
    seen = np.where(seen > 0, seen, _PSEUDO_COUNT)
    return float(seen.sum()), seen / seen.sum()


def _moments(shares: Shares) -> tuple[float, float]:
    mean = float(shares @ SCORES)
    return mean, math.sqrt(float(shares @ (SCORES - mean) ** 2))


def most_likely(shares: Shares, t: float) -> Shares:
    """Return the maximum-likelihood distribution of the five scores subject to (mean − ½) / σ = t, float64[5].

    If |t| > 1 there may be several local maxima, because such a distribution must concentrate on one of the two scores
    on that side of ½. Both are then tried as starting points.

    Args:
        shares: observed shares of the five scores, all positive, float64[5].
        t: normalised Elo in units of the σ of a pair.
    """
    starts = [_tilted(shares, t)]
    if abs(t) > 1:
        peaks = np.eye(5)[SCORES > 0.5 if t > 0 else SCORES < 0.5]
        starts += [_tilted((1 - _MOST) * shares + _MOST * peak, t) for peak in peaks]
    found = [_local_maximum(shares, start, t) for start in starts]
    return max(found, key=lambda likely: float(shares @ np.log(likely)))


def _tilted(shares: Shares, t: float) -> Shares:
    """Return the distribution ∝ shares · exp(x · score) with (mean − ½) / σ = t, which increases with x (bisection)."""

    def at(x: float) -> Shares:
        weights = shares * np.exp(x * SCORES - max(x, 0.0))
        tilted: Shares = weights / weights.sum()
        return tilted

    def is_below(x: float) -> bool:
        mean, deviation = _moments(at(x))
        return mean - 0.5 < t * deviation

    low, high = -1.0, 1.0
    while not is_below(low):
        low *= 2
    while is_below(high):
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return at(middle)


def _local_maximum(shares: Shares, start: Shares, t: float) -> Shares:
    """Return the local maximum of the likelihood subject to (mean − ½) / σ = t (Van den Bergh 2021, section 4.1).

    The constraint is linearised at the current distribution and the linear problem solved, until nothing changes. If
    ``start`` meets the constraint, ``levels`` has entries of both signs there, and also at all later distributions,
    because (σ² + σ'²) / 2σ ≥ σ'.
    """
    likely = start
    for _ in range(_ITERATIONS):
        mean, deviation = _moments(likely)
        levels = SCORES - 0.5 - t * deviation * (1 + ((mean - SCORES) / deviation) ** 2) / 2
        last, likely = likely, shares / (1 + _multiplier(shares, levels) * levels)
        if np.abs(likely - last).max() < _CLOSE:
            break
    return likely


def _multiplier(shares: Shares, levels: Shares) -> float:
    """Return the x with Σ shares · levels / (1 + x · levels) = 0 and all 1 + x · levels > 0; the sum decreases in x."""
    low, high = -1 / float(levels.max()), -1 / float(levels.min())
    x = 0.0
    for _ in range(200):
        terms = levels / (1 + x * levels)
        value = float(shares @ terms)
        low, high = (x, high) if value > 0 else (low, x)
        step = x + value / float(shares @ terms**2)  # Newton's method, else bisection
        last, x = x, step if low < step < high else (low + high) / 2
        if abs(x - last) < 1e-14 * (1 + abs(x)):
            break
    return x


@dataclass(frozen=True, kw_only=True)
class SPRTBounds:
    """The hypotheses of a sequential probability ratio test, in normalised Elo, and its error rates.

    Attributes:
        elo0: null hypothesis: the first agent is at most this much stronger.
        elo1: alternative: the first agent is at least this much stronger.
        alpha: probability of rejecting ``elo0`` when it is true.
        beta: probability of rejecting ``elo1`` when it is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            ValueError: when ``elo0`` is not below ``elo1``, one of them is beyond ±10,000, or an error rate is not
                between 0 and ½.
        """
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
            raise ValueError(
                f"SPRT bounds must be two numbers from -{MAX_ELO} to {MAX_ELO}, the lower one first, "
                f"got {self.elo0:g},{self.elo1:g}"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(must_be(name, "a number between 0 and 0.5", getattr(self, name)))

    @property
    def log_ratios(self) -> tuple[float, float]:
        """The log-likelihood ratios at which ``elo0`` and ``elo1`` are accepted (Wald, 1945)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def decision(self, log_ratio: float) -> int:
        """Return 1 if ``elo1`` is accepted, −1 if ``elo0`` is, and 0 if the match goes on."""
        low, high = self.log_ratios
        return 1 if log_ratio >= high else -1 if log_ratio <= low else 0


@dataclass(frozen=True, kw_only=True)
class SPRTResult(Report):
    """Result of ``play_sprt``.

    Attributes:
        accepted: ``"elo1"``, ``"elo0"``, or ``"undecided"`` if the largest number of deals was reached.
        log_ratio: log-likelihood ratio of ``elo1`` against ``elo0``.
        bounds: the hypotheses and error rates.
        counts: mirrored deals in which the first agent scored 0, ½, 1, 1½ and 2.
        nelo: normalised Elo of the first agent, biased away from zero by early stopping; infinite if all deals had the
            same score, unless that is 1 of 2.
        interval: 95 % interval of ``nelo``, as if the number of deals had been fixed; if ``nelo`` is infinite, so is
            one end.
        deals: number of deals, each played twice.
        first: name of the first agent.
        second: name of the second agent.
        rules: fields of the rules.
        seed: seed of the deals and of the agents' randomness.
        endgame: ``"played"`` or ``"exact"``.
        forfeits: games of these deals that an agent lost without playing them to the end.
    """

    accepted: str
    log_ratio: float
    bounds: SPRTBounds
    counts: tuple[int, ...]
    nelo: float
    interval: tuple[float, float]
    deals: int
    first: str
    second: str
    rules: dict[str, Any]
    seed: int
    endgame: str
    forfeits: tuple[Forfeit, ...] = ()

    def report(self) -> Sequence[Table | str]:
        """Return a table of the figures, the decision, and lines on forfeits."""
        bounds, (low, high) = self.bounds, self.bounds.log_ratios
        verdict = {
            "elo1": f"accepted: the agent is stronger by {bounds.elo1:g} or more",
            "elo0": f"rejected: the agent is stronger by {bounds.elo0:g} at most",
            "undecided": "undecided: more deals are needed",
        }[self.accepted]
        row = (self.first, self.second, self._nelo_text(), f"{self.log_ratio:.2f}", str(self.deals))
        table = Table(
            game_title(self.rules, self.endgame),
            ("agent", "opponent", "normalised Elo", "log-likelihood ratio", "deals", *_PAIR_SCORES),
            [(*row, *map(str, self.counts))],
            [
                f"the test ends at a ratio of {low:.2f} or {high:.2f} (error rates {bounds.alpha:g} and "
                f"{bounds.beta:g}), seed {self.seed}",
                "± is the 95 % interval, as if the number of deals had been fixed; "
                f"{_PAIR_SCORES[0]} to {_PAIR_SCORES[-1]}: deals by games won of two",
            ],
        )
        return [table, verdict, *forfeit_lines(self.forfeits)]

    def _nelo_text(self) -> str:
        low, high = self.interval
        if math.isinf(high):
            return f"above {low:+z.2f}"
        if math.isinf(low):
            return f"below {high:+z.2f}"
        return f"{self.nelo:+z.2f} ± {(high - low) / 2:.2f}"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON; infinite figures are ``None``.

        ``forfeits`` is left out if there are none.
        """
        fields = asdict(self)
        fields["nelo"] = self.nelo if math.isfinite(self.nelo) else None
        fields["interval"] = finite_ends(self.interval)
        del fields["forfeits"]
        if self.forfeits:
            fields["forfeits"] = [forfeit._asdict() for forfeit in self.forfeits]
        return fields


def play_sprt(
    first: AgentLike,
    second: AgentLike,
    *,
    elo0: float = 0.0,
    elo1: float = 5.0,
    seed: int = 0,
    rules: str | Rules = "classic",
    alpha: float = 0.05,
    beta: float = 0.05,
    most_deals: int = DEFAULT_DEALS,
    endgame: str = PLAYED,
    batch_size: int = DEFAULT_BATCH,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> SPRTResult:
    """Play mirrored deals until one of two hypotheses about the first agent's normalised Elo is accepted.

    The ratio is checked after every 16 deals. Deals played after the last check are not counted, so the result does not
    depend on the batch size or the executor.

    Args:
        first: an agent object or a specification string.
        second: its opponent, likewise.
        elo0: normalised Elo of the null hypothesis.
        elo1: normalised Elo of the alternative.
        seed: seed of the deals and of the agents' randomness.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        alpha: probability of rejecting ``elo0`` when it is true.
        beta: probability of rejecting ``elo1`` when it is true.
        most_deals: number of deals after which the match ends undecided.
        endgame: ``"played"`` or ``"exact"``, as in ``play_match``.
        batch_size: deals played together.
        progress: called with the number of deals played since the last call.
        executor: as in ``play_match``.

    Raises:
        ValueError: when a name or number is not allowed, or an agent does not return one legal action per view.
        ChildProcessError: when a worker of the executor ended abruptly.
    """
    bounds = SPRTBounds(elo0=float(elo0), elo1=float(elo1), alpha=alpha, beta=beta)
    most_deals, batch_size = whole_number("most_deals", most_deals, 1), whole_number("batch_size", batch_size, 1)
    rules = rules_named(rules)
    players = two_players(first, second, rules)
    margins, played, decision, log_ratio = np.zeros((0, 2), np.int64), 0, 0, 0.0
    forfeits: list[Forfeit] = []
    how: dict[str, Any] = {
        "endgame": endgame,
        "batch_size": batch_size,
        "executor": executor,
        "progress": progress,
    }
    for block in chain.from_iterable(
        games(players, rules, seed, numbers, **how) for numbers in _growing_ranges(most_deals, batch_size)
    ):
        margins = np.concatenate([margins, block.margins.astype(np.int64)])
        forfeits += block.forfeits
        is_last = len(margins) == most_deals
        played, decision, log_ratio = first_decision(bounds, margins, after=played, is_last=is_last)
        if decision:
            break
    counts = pentanomial_counts(margins[:played])
    nelo, interval = normalised_elo(counts)
    return SPRTResult(
        accepted=ACCEPTED[decision],
        log_ratio=log_ratio,
        bounds=bounds,
        counts=tuple(counts.tolist()),
        nelo=nelo,
        interval=interval,
        deals=played,
        first=players.names[0],
        second=players.names[1],
        rules=rules.to_dict(),
        seed=int(seed),
        endgame=endgame,
        forfeits=sorted_forfeits(one for one in forfeits if one.deal < played),
    )


def _growing_ranges(most_deals: int, batch_size: int) -> Iterator[range]:
    """Yield growing ranges of deals, so that a test that ends early plays few deals in vain."""
    start = 0
    while start < most_deals:
        stop = min(most_deals, start + min(batch_size, max(8 * CHECK_EVERY, start)))
        yield range(start, stop)
        start = stop


def first_decision(
    bounds: SPRTBounds, margins: npt.NDArray[Any], after: int = 0, *, is_last: bool = True
) -> tuple[int, int, float]:
    """Check the ratio after every 16 deals, and after the last deal of the match, until it decides.

    Args:
        bounds: the test.
        margins: the first agent's margins, [deals, 2].
        after: number of deals after which nothing was decided yet.
        is_last: whether no more deals will follow.

    Returns:
        The number of deals at the last check, the decision there, and the log-likelihood ratio.
    """
    deals = len(margins)
    looks = [*range(after - after % CHECK_EVERY + CHECK_EVERY, deals + 1, CHECK_EVERY)]
    if is_last and (not looks or looks[-1] != deals):
        looks.append(deals)
    look, decision, log_ratio = after, 0, 0.0
    for look in looks:
        log_ratio = log_likelihood_ratio(pentanomial_counts(margins[:look]), bounds.elo0, bounds.elo1)
        decision = bounds.decision(log_ratio)
        if decision:
            break
    return look, decision, log_ratio
