"""What an environment asks of the agent that plays against the learner."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.agent_rng import AgentRng


class Opponent(Protocol):
    """Anything that chooses actions for a batch of views: it sees what its seat knows, never the deal itself."""

    def act(self, views: np.ndarray[Any, Any], rng: AgentRng) -> npt.NDArray[np.integer[Any]]:
        """Return one legal action per view, an integer array of shape (len(views),).

        Args:
            views: ``VIEW`` array of shape (rows,), each of the seat to act.
            rng: the only source of randomness to use; its rows are those of ``views``.
        """
        ...


def check_opponent(opponent: object) -> None:
    """Refuse what cannot play.

    Raises:
        ValueError: when the opponent has no method ``act``; a name is told where names are understood.
    """
    if isinstance(opponent, str):
        raise ValueError(
            f"opponent {opponent!r} is a name, and this class takes an agent object: use gymnasium.make, which knows "
            f"names, or pass german_whist.make_agent({opponent!r})"
        )
    if not callable(getattr(opponent, "act", None)):
        raise ValueError(
            f"opponent {opponent!r} is not allowed: an agent object with a method act(views, rng) is needed"
        )


def check_seat(seat: object) -> None:
    """Refuse a seat for the learner that does not exist.

    Raises:
        ValueError: when it is neither a seat nor ``"alternate"``.
    """
    if isinstance(seat, bool) or seat not in (0, 1, "alternate"):
        raise ValueError(f"seat {seat!r} is not allowed: 0, 1 or 'alternate'")


def learner_seats(seat: int | str, indices: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the learner's seat in each of some deals, int64 of the shape of ``indices``.

    A deal's dealer alternates with its index, so alternating seats change after every second deal: in four deals
    running the learner sits in each seat as dealer and as non-dealer.

    Args:
        seat: 0, 1 or ``"alternate"``.
        indices: the deals' indices, uint64.
    """
    if seat == "alternate":
        seats: npt.NDArray[np.int64] = (indices >> np.uint64(1) & np.uint64(1)).astype(np.int64)
        return seats
    return np.full(indices.shape, int(seat), np.int64)
