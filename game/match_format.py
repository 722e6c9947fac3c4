"""Match formats: how many deals make a match, and who wins it. The dealer alternates from deal to deal.

``"first_to:25"``: the winner of a deal scores its points (``Rules.points``), and the first to reach 25 wins. If both
reach it on the same deal the higher score wins; equal scores play on. ``"best_of:5"``: the first to win three deals
wins; a drawn deal counts for neither.

Match ``m`` of a seed has its own deals, up to ``MAX_DEALS`` of them: its deal ``d`` (from 0) has the index
``4096 * m + m % 2 + d``, so that the first dealer alternates from match to match too. A match that nobody has won after
that many deals is a draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.game.layout import BlockSpec
from german_whist.game.rules import Rules
from german_whist.game.scoring import Reward, reward_limit
from german_whist.game.utils.checks import SEED_LIMIT, check_int, is_int
from german_whist.game.utils.names import unknown_name_error

FIRST_TO, BEST_OF = KINDS = ("first_to", "best_of")

DEALS_PER_MATCH = 4096  # deal indices reserved for each match
MAX_DEALS = DEALS_PER_MATCH - 1
MATCH_LIMIT = SEED_LIMIT // DEALS_PER_MATCH

MAX_TARGET = 1000  # even if the seats win half a point in turn, a match reaches it within MAX_DEALS

_BASE = 128  # scores too large for one int8 feature take two digits in this base


@dataclass(frozen=True)
class MatchFormat:
    """A match format: what decides a match.

    Attributes:
        kind: ``"first_to"`` (points) or ``"best_of"`` (deals won).
        number: the points to reach, or the number of deals, of which a majority wins.

    Raises:
        ValueError: if there is no such kind, or the number is out of range (or even, for ``"best_of"``).
    """

    kind: str
    number: int

    def __post_init__(self) -> None:
        """Check the fields."""
        if self.kind not in KINDS:
            raise unknown_name_error("match", self.kind, [f"{kind}:N" for kind in KINDS])
        if not is_int(self.number, 1, MAX_TARGET):
            raise ValueError(f"match {self.kind}:N: N must be an integer from 1 to {MAX_TARGET}, got {self.number!r}")
        if self.kind == BEST_OF and self.number % 2 == 0:
            raise ValueError(f"match best_of:N: N must be odd, got {self.number}")

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}"

    @property
    def target(self) -> int:
        """The score that wins: points, or deals won."""
        return self.number if self.kind == FIRST_TO else self.number // 2 + 1

    @property
    def deal_reward(self) -> Reward:
        """The reward of a deal (``REWARDS``) whose positive part is added to the winner's score."""
        return "points" if self.kind == FIRST_TO else "win"

    def score_unit(self, rules: Rules) -> int:
        """Return how many units a point is in features: 2 if the rules score half points, otherwise 1."""
        return 2 if self.kind == FIRST_TO and rules.points == "over_half" and rules.counted % 2 else 1

    def largest_score(self, rules: Rules) -> float:
        """Return the highest score that a match can end with, which is also the largest difference of scores."""
        return self.target - 1 / self.score_unit(rules) + reward_limit(rules.record, self.deal_reward)

    def block(self, rules: Rules, sides: str = "this seat's score, the opponent's") -> BlockSpec:
        """Return the block of match scores, the last one of an observation or a full state."""
        unit, size = self.score_unit(rules), self._features_per_score(rules)
        scored_in = {FIRST_TO: "half points" if unit == 2 else "points", BEST_OF: "deals won"}[self.kind]
        digits = f", each in {size} features: 128 * first + second" if size > 1 else ""
        high = _BASE - 1 if size > 1 else int(unit * self.largest_score(rules))
        return BlockSpec("match", 3 * size, high, f"{sides}, and the score that wins, in {scored_in}{digits}")

    def features(self, rules: Rules, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int8]:
        """Return the features of :meth:`block`, int8[k, 3] or int8[k, 6], from float64[k, 2]: own and other scores."""
        three = np.concatenate([scores, np.full((len(scores), 1), float(self.target))], axis=1)
        numbers = np.rint(self.score_unit(rules) * three).astype(np.int64)
        if self._features_per_score(rules) > 1:
            numbers = np.stack(np.divmod(numbers, _BASE), axis=2).reshape(len(scores), 6)
        rows: npt.NDArray[np.int8] = numbers.astype(np.int8)
        return rows

    def _features_per_score(self, rules: Rules) -> int:
        return 1 if self.score_unit(rules) * self.largest_score(rules) < _BASE else 2

    def winners(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the winning seat of each match, int64[k], −1 if undecided; ``scores`` are float64[k, 2] by seat."""
        ahead = np.sign(scores[:, 1] - scores[:, 0])
        decided = (scores.max(axis=1) >= self.target) & (ahead != 0)
        return np.where(decided, (ahead > 0).astype(np.int64), -1)

    def reward_limit(self, rules: Rules, reward: Reward) -> float:
        """Return the largest reward that a match can pay, which is also the penalty for an illegal action."""
        return 1.0 if reward == "win" else self.largest_score(rules)


def match_format_of(spec: str | MatchFormat) -> MatchFormat:
    """Return the match format of a specification, such as ``"first_to:25"`` or ``"best_of:3"``.

    Raises:
        ValueError: if there is no such format.
    """
    if isinstance(spec, MatchFormat):
        return spec
    if not isinstance(spec, str):
        raise ValueError(f"match must be text such as 'first_to:25' or a MatchFormat, got {spec!r}")
    kind, colon, number = spec.partition(":")
    if kind not in KINDS or not colon:
        raise unknown_name_error("match", spec, [f"{kind}:N" for kind in KINDS])
    value: Any = int(number) if number.isascii() and number.isdecimal() else number
    return MatchFormat(kind, value)


def check_match_number(number: object, name: str = "match number") -> int:
    """Return the number of a match of a seed as an int.

    Raises:
        ValueError: if it is not an integer from 0 to 2**52 - 1.
    """
    return check_int(name, number, 0, MATCH_LIMIT - 1)


def first_deals(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the index of the first deal of each match of a seed, uint64[k], from the match numbers, uint64[k]."""
    first: npt.NDArray[np.uint64] = np.uint64(DEALS_PER_MATCH) * numbers + (numbers & np.uint64(1))
    return first
