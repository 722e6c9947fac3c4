"""Matches: deals one after the other, the dealer alternating, until somebody has enough.

``"first_to:25"``: the winner of a deal scores its points (``Rules.points``), and the first to reach 25 wins; if both
reach it with the same deal the higher score wins, and equal scores play on. ``"best_of:5"``: the first to win three
deals wins; drawn deals count for nobody, and the next dealer deals again.

Match ``m`` of a seed has deals of its own, up to ``MAX_DEALS`` of them: deal ``d`` of it (from 0) has the index
``4096 * m + m % 2 + d``, so that the first dealer alternates from match to match too. A match that nobody has won after
so many deals is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.layout import Kind
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.utils.checks import SEED_LIMIT, check_seed
from german_whist.envs.utils.specs import unknown_name

FIRST_TO, BEST_OF = KINDS = ("first_to", "best_of")

DEALS_PER_MATCH = 4096  # the indices that a match takes
MAX_DEALS = DEALS_PER_MATCH - 1
MATCH_LIMIT = SEED_LIMIT // DEALS_PER_MATCH

LARGEST = 1000  # of a target: twice as many deals as it takes to reach it, half a point a deal, still fit in a match

_BASE = 128  # numbers too large for a cell take two


@dataclass(frozen=True)
class Match:
    """What decides a match.

    Attributes:
        kind: ``"first_to"`` (points) or ``"best_of"`` (deals won).
        number: the points to reach, or the most deals that are won by either.
    """

    kind: str
    number: int

    def __post_init__(self) -> None:
        """Refuse what decides nothing."""
        if self.kind not in KINDS:
            raise unknown_name("match", self.kind, [f"{kind}:N" for kind in KINDS])
        whole = isinstance(self.number, int) and not isinstance(self.number, bool)
        if not whole or not 1 <= self.number <= LARGEST:
            raise ValueError(
                f"match {self.kind}:{self.number} is not allowed: a whole number from 1 to {LARGEST} is needed"
            )
        if self.kind == BEST_OF and self.number % 2 == 0:
            raise ValueError(f"match best_of:{self.number} is not allowed: an odd number of deals is needed")

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}"

    @property
    def target(self) -> int:
        """The score that wins: points, or deals won."""
        return self.number if self.kind == FIRST_TO else self.number // 2 + 1

    @property
    def deal_reward(self) -> str:
        """The reward of a deal (``REWARDS``) whose positive part is what the deal scores."""
        return "points" if self.kind == FIRST_TO else "win"

    def unit(self, rules: Rules) -> int:
        """Return in how many parts a point is counted: 2 where the rules score half points, otherwise 1."""
        return 2 if self.kind == FIRST_TO and rules.points == "over_half" and rules.counted % 2 else 1

    def largest_score(self, rules: Rules) -> float:
        """Return the highest score that a match can end with, which is also the largest difference of scores."""
        return self.target - 1 / self.unit(rules) + reward_limit(rules.game, self.deal_reward)

    def kinds(self, rules: Rules, sides: str = "this seat's score, the opponent's") -> tuple[Kind, ...]:
        """Return the block that a match adds to a vector of cells."""
        unit, cells = self.unit(rules), self._cells_each(rules)
        score = {FIRST_TO: "half points" if unit == 2 else "points", BEST_OF: "deals won"}[self.kind]
        how = f", each in {cells} cells: 128 * first + second" if cells > 1 else ""
        high = _BASE - 1 if cells > 1 else int(unit * self.largest_score(rules))
        return (("match", 3 * cells, high, f"{sides}, and the score that wins, in {score}{how}"),)

    def cells(self, rules: Rules, scores: tuple[float, float]) -> npt.NDArray[np.int8]:
        """Return the cells of that block, int8, for the scores of (its side, the other)."""
        numbers = [round(self.unit(rules) * number) for number in (*scores, self.target)]
        if self._cells_each(rules) > 1:
            numbers = [digit for number in numbers for digit in divmod(number, _BASE)]
        return np.array(numbers, np.int8)

    def _cells_each(self, rules: Rules) -> int:
        return 1 if self.unit(rules) * self.largest_score(rules) < _BASE else 2

    def add_deals(self, scores: npt.NDArray[np.float64], returns: npt.NDArray[Any]) -> None:
        """Add finished deals to the scores, in place.

        Args:
            scores: float64[k, 2], by seat.
            returns: ``DealBatch.returns(match.deal_reward)`` of the deals, float[k, 2]: only the winner's is positive.
        """
        scores += np.maximum(returns, 0)

    def winners(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return who has won, int64[k]: a seat, or −1 while nobody has; scores are float64[k, 2], by seat."""
        ahead = np.sign(scores[:, 1] - scores[:, 0])
        decided = (scores.max(axis=1) >= self.target) & (ahead != 0)
        return np.where(decided, (ahead > 0).astype(np.int64), -1)

    def reward_limit(self, rules: Rules, reward: str) -> float:
        """Return the largest reward that a seat can get for a match, which is also what an illegal action loses."""
        return 1.0 if reward == "win" else self.largest_score(rules)


def match_of(spec: str | Match) -> Match:
    """Return the match that a specification stands for, as ``"first_to:25"`` or ``"best_of:3"``.

    Raises:
        ValueError: when there is no such match.
    """
    if isinstance(spec, Match):
        return spec
    if not isinstance(spec, str):
        raise ValueError(f"match {spec!r} is neither a specification as 'first_to:25' nor a Match")
    kind, colon, number = spec.partition(":")
    if kind not in KINDS or not colon:
        raise unknown_name("match", spec, [f"{kind}:N" for kind in KINDS])
    if not (number.isascii() and number.isdigit()):
        raise ValueError(f"match {spec!r} is not allowed: {number!r} is not a whole number from 1 to {LARGEST}")
    return Match(kind, int(number))


def check_match_number(number: object, name: str = "match number") -> int:
    """Return the number of a match of a seed.

    Raises:
        ValueError: when it is not a whole number from 0 to 2**52 - 1.
    """
    try:
        checked = check_seed(number, name)
    except ValueError:
        checked = MATCH_LIMIT
    if checked >= MATCH_LIMIT:
        raise ValueError(f"{name} {number!r} is not allowed: a whole number from 0 to 2**52 - 1")
    return checked


def first_deals(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the indices of the first deals of some matches of a seed, uint64 both."""
    first: npt.NDArray[np.uint64] = np.uint64(DEALS_PER_MATCH) * numbers + (numbers & np.uint64(1))
    return first
