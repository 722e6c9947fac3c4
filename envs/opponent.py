"""What an environment asks of the agent that plays against the learner."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from german_whist.envs.randomness import RowRandom


class Opponent(Protocol):
    """Anything that chooses actions for a batch of views: it sees what its seat knows, never the deal itself."""

    def act(self, views: np.ndarray[Any, Any], rng: RowRandom) -> npt.NDArray[np.integer[Any]]:
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
