"""One match at a time: a table on which the next deal is dealt as soon as the last is finished."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.match_format import MAX_DEALS, Match, check_match_number, first_deals, match_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.simulator.reset_options import read_match_options
from german_whist.envs.simulator.single_deal import SingleDeal


class SingleMatch(SingleDeal):
    """The current deal of the current match; resets walk along the matches of a seed.

    ``legal`` is 0 only when the match is over; ``sequence`` holds the addresses (seed, number) of matches.

    Attributes:
        match: what decides it.
        scores: by seat, points or deals won.
        deals: how many deals of this match are finished.
    """

    def __init__(
        self, rules: str | Rules, match: str | Match, history: bool = False, endgame: str | EndgameHook = PLAYED
    ) -> None:
        """Set up the table.

        Raises:
            ValueError: when the rules or the match are unknown, or there is no such endgame in the rules.
        """
        super().__init__(rules, history, endgame)
        self.match = match_of(match)
        self.scores = (0.0, 0.0)
        self.deals = 0
        self._winner = -1
        self._dealer: int | None = None  # of the next deal, when the first dealer was asked for

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin the next match, as the seed and the options of an environment's ``reset`` say.

        Raises:
            ValueError: when the seed or an option is not allowed; then the match goes on as it was.
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
        """Play an action for the seat to act and return whether it was legal; when not, nothing has moved.

        The action that finishes a deal but not the match leads to the next deal.
        """
        if not super().play(action):
            return False
        if not self.legal:
            self._finish_deal()
        return True

    def _finish_deal(self) -> None:
        """Score the deal and, unless the match is over, deal the next."""
        scores = np.array([self.scores])
        self.match.add_deals(scores, self.batch.returns(self.match.deal_reward))
        self.scores = (float(scores[0, 0]), float(scores[0, 1]))
        self.deals += 1
        self._winner = int(self.match.winners(scores)[0])
        if self._winner < 0 and self.deals < MAX_DEALS:
            self._dealer = None if self._dealer is None else 1 - self._dealer
            self._deal(self.index + 1, self._dealer)

    def returns(self, reward: str) -> list[float]:
        """Return what each seat gets for a finished match: ``"win"`` ±1 (0 for a draw), else the scores' difference."""
        if reward == "win":
            first = 0.0 if self._winner < 0 else 1.0 - 2.0 * self._winner
        else:
            first = self.scores[0] - self.scores[1]
        return [first, -first]

    def observe(self, seat: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Return a seat's observation, int8[n_obs], the scores at its end, and its action mask, int8[n_actions]."""
        observation, mask = super().observe(seat)
        return np.concatenate((observation, self.score_cells(seat))), mask

    def score_cells(self, seat: int) -> npt.NDArray[np.int8]:
        """Return the scores as a seat sees them and the score that wins, as ``Match.kinds`` describes them."""
        return self.match.cells(self.rules, (self.scores[seat], self.scores[1 - seat]))

    def truth(self) -> npt.NDArray[np.int8]:
        """Return the whole truth of the deal, int8[n_state], the scores of the match at its end."""
        return np.concatenate((super().truth(), self.score_cells(0)))


def one_table(
    rules: str | Rules, match: str | Match | None, history: bool = False, endgame: str | EndgameHook = PLAYED
) -> SingleDeal:
    """Return the table that an environment plays on: one deal an episode, or one match.

    Raises:
        ValueError: when the rules or the match are unknown, or there is no such endgame in the rules.
    """
    return SingleDeal(rules, history, endgame) if match is None else SingleMatch(rules, match, history, endgame)
