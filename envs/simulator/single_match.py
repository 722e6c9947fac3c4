"""One match at a time: the next deal starts as soon as the last one is finished."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.match_format import (
    MAX_DEALS,
    MatchFormat,
    check_match_number,
    first_deals,
    match_format_of,
)
from german_whist.envs.engine.rules import Rules
from german_whist.envs.simulator.reset_options import read_match_options
from german_whist.envs.simulator.single_deal import SingleDeal


class SingleMatch(SingleDeal):
    """Simulates one match at a time; resets walk through the matches of a seed.

    ``legal`` is 0 only when the match is over; ``sequence`` holds the addresses (seed, number) of matches.

    Attributes:
        match_format: what decides the match.
        scores: by seat, points or deals won.
        deals: number of finished deals of this match.
    """

    def __init__(
        self, rules: str | Rules, match: str | MatchFormat, history: bool = False, endgame: str | EndgameHook = PLAYED
    ) -> None:
        """Create the simulator; :meth:`reset` starts the first match.

        Raises:
            ValueError: if the rules or the match format are unknown, or the rules do not allow this endgame.
        """
        super().__init__(rules, history, endgame)
        self.match_format = match_format_of(match)
        self.scores = (0.0, 0.0)
        self.deals = 0
        self._winner = -1
        self._dealer: int | None = None  # of the next deal, if the first dealer was given

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start the next match, as the seed and the options of an environment's ``reset`` say.

        Raises:
            ValueError: if the seed or an option is not allowed; then the current match continues.
        """
        address, dealer = read_match_options(options)
        if address is not None:
            check_match_number(address[1], "option match: number")
        elif seed is None and self.sequence.seed is not None:
            check_match_number(self.sequence.first + 1)
        self.batch.seed, number = self.sequence.advance(seed, address)
        self.scores, self.deals, self._winner, self._dealer = (0.0, 0.0), 0, -1, dealer
        self._deal(int(first_deals(np.array([number], np.uint64))[0]), dealer)

    def play(self, action: int) -> bool:
        """Play an action for the seat to act and return whether it was legal; if not, nothing has changed.

        An action that finishes a deal but not the match starts the next deal.
        """
        if not super().play(action):
            return False
        if not self.legal:
            self._finish_deal()
        return True

    def _finish_deal(self) -> None:
        """Score the deal and, unless the match is over, start the next one."""
        scores = np.array([self.scores])
        self.match_format.add_deals(scores, self.batch.returns(self.match_format.deal_reward))
        self.scores = (float(scores[0, 0]), float(scores[0, 1]))
        self.deals += 1
        self._winner = int(self.match_format.winners(scores)[0])
        if self._winner < 0 and self.deals < MAX_DEALS:
            self._dealer = None if self._dealer is None else 1 - self._dealer
            self._deal(self.index + 1, self._dealer)

    def returns(self, reward: str) -> list[float]:
        """Return both seats' returns of a finished match: ±1 or 0 for ``"win"``, else the difference of the scores."""
        if reward == "win":
            first = 0.0 if self._winner < 0 else 1.0 - 2.0 * self._winner
        else:
            first = self.scores[0] - self.scores[1]
        return [first, -first]

    def reward_limit(self, reward: str) -> float:
        """Return the largest reward that a match can pay, which is also the penalty for an illegal action."""
        return self.match_format.reward_limit(self.rules, reward)

    def observe(self, seat: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Return a seat's observation, int8[n_obs], which ends with the scores, and its mask, int8[n_actions]."""
        observation, mask = super().observe(seat)
        return np.concatenate((observation, self.score_features(seat))), mask

    def score_features(self, seat: int) -> npt.NDArray[np.int8]:
        """Return the scores from a seat's side and the score that wins (``MatchFormat.features``)."""
        return self.match_format.features(self.rules, (self.scores[seat], self.scores[1 - seat]))

    def full_state(self) -> npt.NDArray[np.int8]:
        """Return the full state vector, int8[n_state], with the scores of the match at its end."""
        return np.concatenate((super().full_state(), self.score_features(0)))


def make_simulator(
    rules: str | Rules, match: str | MatchFormat | None, history: bool = False, endgame: str | EndgameHook = PLAYED
) -> SingleDeal:
    """Return the simulator of an environment whose episodes are single deals, or matches if a format is given.

    Raises:
        ValueError: if the rules or the match format are unknown, or the rules do not allow this endgame.
    """
    return SingleDeal(rules, history, endgame) if match is None else SingleMatch(rules, match, history, endgame)
