"""Environments of one learner: its opponent, and its seat."""

from __future__ import annotations

from typing import Any

from german_whist.agents.base import Agent, AgentLike, check_device
from german_whist.agents.registry import make_agent
from german_whist.game.rules import Rules
from german_whist.game.utils.checks import is_whole_number


class PlaysOpponent:
    """An environment's opponent, which may be replaced between two steps."""

    rules: Rules
    device: Any = None
    _opponent: Agent

    @property
    def opponent(self) -> Agent:
        """The agent that plays against the learner; set any value of ``opponent=``."""
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: AgentLike) -> None:
        agent = make_agent(opponent, self.rules)
        check_device(agent, self.device)
        self._opponent = agent


def check_seat(seat: object) -> None:
    """Check a learner's seat.

    Raises:
        ValueError: if it is not 0, 1 or ``"alternate"``.
    """
    if not is_whole_number(seat, 0, 1) and seat != "alternate":
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
