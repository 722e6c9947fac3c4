"""Environments of one learner: its opponent, and its seat."""

from __future__ import annotations

from typing import Any, Literal

from gymnasium.error import ResetNeeded

from german_whist.agents.asking import check_device
from german_whist.agents.base import Agent, AgentLike
from german_whist.agents.registry import make_agent
from german_whist.game.rules import Rules
from german_whist.game.utils.checks import is_int

Seat = Literal[0, 1, "alternate"]


class PlaysOpponent:
    """An environment's opponent, which may be replaced between two steps.

    An exception in a step, such as a time-out of the opponent, leaves a deal in which the learner is not to act. So
    environments note where a reset or a step has ended, and everything else needs that.
    """

    rules: Rules
    device: Any = None
    _opponent: Agent
    _is_ready = False  # whether the last reset or step has ended, so that the learner may act

    @property
    def opponent(self) -> Agent:
        """The agent that plays against the learner; set any value of ``opponent=``."""
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: AgentLike) -> None:
        agent = make_agent(opponent, self.rules)
        check_device(agent, self.device)
        self._opponent = agent

    def _check_ready(self, call: str) -> None:
        """Check that the learner may act.

        Raises:
            ResetNeeded: before the first reset, and after an exception in a reset or a step.
        """
        if not self._is_ready:
            raise ResetNeeded(f"{call} was called before the first reset, or after an exception without one")


def check_seat(seat: object) -> None:
    """Check a learner's seat.

    Raises:
        ValueError: if it is not 0, 1 or ``"alternate"``.
    """
    if not is_int(seat, 0, 1) and seat != "alternate":
        raise ValueError(f"seat must be 0, 1 or 'alternate', got {seat!r}")


def learner_seats(seat: int | str, numbers: Any) -> Any:
    """Return the learner's seat in some episodes, or its one seat.

    The dealer alternates with every deal, so an alternating learner changes seats after every second deal: in any four
    consecutive deals it sits in each seat once as dealer and once as non-dealer.

    Args:
        seat: 0, 1 or ``"alternate"``.
        numbers: the numbers of the episodes.
    """
    return numbers >> 1 & 1 if seat == "alternate" else int(seat)
