"""Results of mirrored play between two agents."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from german_whist.arena.statistics import finite_ends, paired_intervals
from german_whist.envs.engine.endgame_hook import PLAYED
from german_whist.envs.engine.rules import Rules


class Forfeit(NamedTuple):
    """A game that an agent lost without playing it to the end.

    Attributes:
        agent: name of the agent.
        deal: index of the deal.
        seat: the agent's seat.
        reason: why, such as a time limit, a crash or an illegal card.
    """

    agent: str
    deal: int
    seat: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class MirroredResult:
    """Result of the first agent against the second, every game played twice with the seats swapped.

    Intervals are 95 % confidence intervals of the mean over mirrored pairs (normal approximation; the Wilson interval
    where all pairs are alike). With a single pair they are unbounded. They have width 0 where the two games of every
    pair cancel out, as when a deterministic agent plays itself.

    Attributes:
        first: name of the first agent.
        second: name of the second agent.
        rules: fields of the rules.
        seed: seed of the deals and of the agents' randomness.
        wins: games that the first agent won, out of two for each pair.
        draws: games drawn.
        losses: games lost.
        win_rate: (wins + draws / 2) / games.
        interval: 95 % interval of ``win_rate``.
        margin: the first agent's score minus the second's, mean over all games.
        margin_interval: 95 % interval of ``margin``.
        endgame: ``"played"`` or ``"exact"``.
        forfeits: games that an agent lost without playing them to the end, sorted by deal; no part of comparisons and
            of ``repr``.
    """

    first: str
    second: str
    rules: dict[str, Any]
    seed: int
    wins: int
    draws: int
    losses: int
    win_rate: float
    interval: tuple[float, float]
    margin: float
    margin_interval: tuple[float, float]
    endgame: str = PLAYED
    forfeits: tuple[Forfeit, ...] = field(default=(), repr=False, compare=False)

    def with_forfeits(self, forfeits: Iterable[Forfeit]) -> Self:
        """Return a copy with these forfeits, sorted by deal."""
        return replace(self, forfeits=tuple(sorted(forfeits, key=lambda one: (one.deal, one.seat))))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON; unbounded ends of intervals are ``None``."""
        fields = asdict(self)
        del fields["forfeits"]  # results without any say nothing of them
        for name in ("interval", "margin_interval"):
            fields[name] = finite_ends(fields[name])
        if self.forfeits:
            fields["forfeits"] = [forfeit._asdict() for forfeit in self.forfeits]
        return fields


@dataclass(frozen=True, kw_only=True)
class MatchResult(MirroredResult):
    """Result of ``play_match``: mirrored deals. ``margin`` is in counted tricks per deal.

    Attributes:
        deals: number of deals, each played twice.
        first_deal: index of the first deal.
        forfeits: games that an agent lost without playing them to the end, sorted by deal, as :class:`Forfeit`; no part
            of comparisons and of ``repr``.
    """

    deals: int
    first_deal: int = 0
    _margins: npt.NDArray[np.int64] | None = field(default=None, repr=False, compare=False)

    @property
    def margins(self) -> npt.NDArray[np.int64]:
        """The first agent's margin in every game, int64[deals, 2].

        Row i is deal ``first_deal + i``; column 0 is the game in which the first agent has seat 0, column 1 the one
        with the seats swapped. No part of comparisons, of ``repr`` and of ``to_dict``.

        Raises:
            ValueError: for a result that does not come from ``play_match``.
        """
        if self._margins is None:
            raise ValueError("this result has no margins: play_match gives them")
        return self._margins

    def with_margins(self, margins: npt.NDArray[Any]) -> Self:
        """Return a copy with these margins, of whole numbers, [deals, 2]."""
        return replace(self, _margins=margins.astype(np.int64))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON; unbounded ends of intervals are ``None``."""
        result = super().to_dict()
        del result["_margins"]
        return result


@dataclass(frozen=True, kw_only=True)
class SeriesResult(MirroredResult):
    """Result of ``play_series``: mirrored matches of several deals. ``margin`` is in points of the final score.

    A match that nobody has won after the largest number of deals is a draw.

    Attributes:
        match: the match format, such as ``"first_to:25"``.
        matches: number of matches, each played twice.
        deals_per_match: mean number of deals in a match.
    """

    match: str
    matches: int
    deals_per_match: float


def result_fields(
    names: tuple[str, str],
    rules: Rules,
    seed: int,
    outcomes: npt.NDArray[Any],
    margins: npt.NDArray[np.float64],
    endgame: str,
    largest: float = math.inf,
) -> dict[str, Any]:
    """Return the fields of a ``MirroredResult``.

    Args:
        names: names of the two agents.
        rules: the rules.
        seed: the seed.
        outcomes: 1, 0 or −1 for the first agent's wins, draws and losses, [n, 2]: pairs of mirrored games.
        margins: the first agent's margins, float64[n, 2].
        endgame: ``"played"`` or ``"exact"``.
        largest: the largest possible margin.
    """
    return {
        "first": names[0],
        "second": names[1],
        "rules": rules.to_dict(),
        "seed": int(seed),
        "wins": int((outcomes > 0).sum()),
        "draws": int((outcomes == 0).sum()),
        "losses": int((outcomes < 0).sum()),
        **paired_intervals(outcomes, margins, largest)._asdict(),
        "endgame": endgame,
    }
