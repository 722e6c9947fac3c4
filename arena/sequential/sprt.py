"""``play_sprt``: a match that ends as soon as it is decided."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent
from german_whist.arena.match import DEFAULT_BATCH, check_counts, match_margins, play_match, two_agents
from german_whist.arena.match_result import Forfeit
from german_whist.arena.mirrored_deals import Progress
from german_whist.arena.sequential.pentanomial import log_likelihood_ratio, normalised_elo, pentanomial_counts
from german_whist.arena.statistics import finite_ends
from german_whist.envs.engine.endgame_hook import PLAYED, check_endgame
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named

MOST_DEALS = 100_000
LARGEST_ELO = 10_000  # beyond it, a hypothesis is that one score comes always
CHECK_EVERY = 16  # deals between two looks at the ratio
ACCEPTED = {1: "elo1", -1: "elo0", 0: "undecided"}


@dataclass(frozen=True, kw_only=True)
class SPRTBounds:
    """The two hypotheses of a sequential probability ratio test, in normalised Elo, and its error rates.

    Attributes:
        elo0: the null hypothesis: the first agent is at most this much stronger.
        elo1: the alternative: it is at least this much stronger.
        alpha: rate at which ``elo0`` is rejected though it is true.
        beta: rate at which ``elo1`` is rejected though it is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Refuse bounds that make no test.

        Raises:
            ValueError: when ``elo0`` is not below ``elo1``, one of them is beyond ±10,000, or an error rate is not
                between 0 and ½.
        """
        if not -LARGEST_ELO <= self.elo0 < self.elo1 <= LARGEST_ELO:
            raise ValueError(
                f"SPRT bounds {self.elo0:g},{self.elo1:g} are not allowed: two numbers from -{LARGEST_ELO} to "
                f"{LARGEST_ELO}, the lower one first"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} {getattr(self, name)} is not allowed: a number between 0 and 0.5")

    @property
    def log_ratios(self) -> tuple[float, float]:
        """The log-likelihood ratios at which ``elo0`` and ``elo1`` are accepted (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def decision(self, log_ratio: float) -> int:
        """Return 1 where ``elo1`` is accepted, −1 where ``elo0`` is, 0 while the match goes on."""
        low, high = self.log_ratios
        return 1 if log_ratio >= high else -1 if log_ratio <= low else 0


@dataclass(frozen=True, kw_only=True)
class SPRTResult:
    """Result of ``play_sprt``.

    Attributes:
        accepted: ``"elo1"``, ``"elo0"``, or ``"undecided"`` after the largest number of deals.
        log_ratio: log-likelihood ratio of ``elo1`` against ``elo0``.
        bounds: the hypotheses and error rates.
        counts: mirrored deals in which the first agent scored 0, ½, 1, 1½ and 2.
        nelo: normalised Elo of the first agent; biased away from zero by the stopping. Infinite where every deal had
            the same score, other than 1 of 2.
        interval: its 95 % interval, as if the number of deals had been fixed; then, one end is infinite.
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

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON; infinite figures are ``None``.

        ``forfeits`` is there only if there are any.
        """
        fields = asdict(self)
        fields["nelo"] = self.nelo if math.isfinite(self.nelo) else None
        fields["interval"] = finite_ends(self.interval)
        del fields["forfeits"]
        if self.forfeits:
            fields["forfeits"] = [forfeit._asdict() for forfeit in self.forfeits]
        return fields


def play_sprt(
    first: str | Agent,
    second: str | Agent,
    elo0: float = 0.0,
    elo1: float = 5.0,
    seed: int = 0,
    rules: str | Rules = "classic",
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
    most_deals: int = MOST_DEALS,
    endgame: str = PLAYED,
    batch_size: int = DEFAULT_BATCH,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> SPRTResult:
    """Play mirrored deals until one of two hypotheses about the first agent's normalised Elo is accepted.

    The ratio is looked at after every 16 deals. The result does not depend on the batch size or the executor, because
    deals that were played beyond the last look are not counted.

    Args:
        first: an agent object or a specification string.
        second: its opponent, likewise.
        elo0: normalised Elo of the null hypothesis.
        elo1: normalised Elo of the alternative.
        seed: seed of the deals and of the agents' randomness.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        alpha: rate at which ``elo0`` may be rejected though it is true.
        beta: rate at which ``elo1`` may be rejected though it is true.
        most_deals: when to give up.
        endgame: ``"played"`` or ``"exact"``, as in ``play_match``.
        batch_size: deals played together.
        progress: called with the number of deals played since the last call.
        executor: as in ``play_match``.

    Raises:
        ValueError: when a name or number is not allowed, or an agent does not return one legal action per view.
    """
    bounds = SPRTBounds(elo0=float(elo0), elo1=float(elo1), alpha=alpha, beta=beta)
    check_counts(most_deals=most_deals, batch_size=batch_size)
    agents, names = two_agents(first, second)  # the same in all parts, which are one match
    rules, endgame = rules_named(rules), check_endgame(endgame)
    margins, played = np.zeros((0, 2), np.int64), 0
    forfeits: list[Forfeit] = []
    while True:
        # Batches grow, so that a short test plays few deals in vain.
        size = min(most_deals - len(margins), batch_size, max(8 * CHECK_EVERY, len(margins)))
        how: dict[str, Any] = {
            "batch_size": batch_size,
            "progress": progress,
            "endgame": endgame,
            "first_deal": len(margins),
        }
        if executor is None:
            new = match_margins(agents, names, size, seed, rules, forfeits=forfeits, **how).astype(np.int64)
        else:
            result = play_match(first, second, size, seed, rules, executor=executor, **how)
            new, forfeits = result.margins, [*forfeits, *result.forfeits]
        margins = np.concatenate([margins, new])
        is_last = len(margins) == most_deals
        played, decision, log_ratio = first_decision(bounds, margins, after=played, is_last=is_last)
        if decision or is_last:
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
        first=names[0],
        second=names[1],
        rules=rules.to_dict(),
        seed=int(seed),
        endgame=endgame,
        forfeits=tuple(sorted((one for one in forfeits if one.deal < played), key=lambda one: (one.deal, one.seat))),
    )


def first_decision(
    bounds: SPRTBounds, margins: npt.NDArray[Any], after: int = 0, *, is_last: bool = True
) -> tuple[int, int, float]:
    """Look at the ratio after every 16 deals, and after the last one of the match.

    Args:
        bounds: the test.
        margins: the first agent's margins, [deals, 2].
        after: deals at which nothing was decided yet.
        is_last: whether no more deals will follow.

    Returns:
        The number of deals at the last look, the decision there, and the ratio.
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
