"""The opponent of the Gymnasium environments: what it must implement, and where the learner sits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.actions import actions_text
from german_whist.envs.utils.checks import is_agent_class, is_whole_number
from german_whist.envs.utils.specs import shown

if TYPE_CHECKING:
    from german_whist.envs.engine.agent_rng import AgentRng
    from german_whist.envs.simulator.batch import DealBatch
    from german_whist.envs.simulator.episode_batch import EpisodeBatch


class Opponent(Protocol):
    """Chooses actions for a batch of views. It sees what its seat knows, never the state of the deal.

    One with an attribute ``uses_history = True`` also gets ``histories=…``, what its seat saw of each deal so far, as
    ``DealBatch.history`` returns it.
    """

    def act(self, views: np.ndarray[Any, Any], rng: AgentRng) -> npt.NDArray[np.integer[Any]]:
        """Return one legal action per view, an integer array of shape (len(views),).

        Args:
            views: ``VIEW`` array of shape (rows,), each from the side of the seat to act.
            rng: the only source of randomness to use, with one row of numbers per view.
        """
        ...


def uses_history(opponent: object) -> bool:
    """Return whether an opponent is to be given event histories."""
    return bool(getattr(opponent, "uses_history", False))


def ask_opponent(opponent: Opponent, batch: DealBatch, rows: npt.NDArray[np.int64], rng: AgentRng) -> Any:
    """Return what an opponent answers to the views of some rows of a batch, int64[k]."""
    act: Any = opponent.act
    if uses_history(opponent) and batch.log is not None:
        return act(batch.views(rows), rng, histories=batch.history(rows=rows))
    return act(batch.views(rows), rng)


def check_opponent(opponent: object) -> None:
    """Check that an opponent can play.

    Raises:
        ValueError: if it has no method ``act``, or is the class of an agent.
    """
    if isinstance(opponent, str):
        raise ValueError(
            f"opponent {opponent!r} is a name, but this class takes an agent object: use gymnasium.make, which takes "
            f"names, or pass german_whist.make_agent({opponent!r})"
        )
    if is_agent_class(opponent):
        raise ValueError(
            f"opponent {opponent.__name__} is a class: pass an object of it, such as {opponent.__name__}()"
        )
    if not callable(getattr(opponent, "act", None)):
        raise ValueError(
            f"opponent {opponent!r} is not allowed: an agent object with a method act(views, rng) is needed"
        )


def check_seat(seat: object) -> None:
    """Check the learner's seat.

    Raises:
        ValueError: if it is not 0, 1 or ``"alternate"``.
    """
    if not is_whole_number(seat, 0, 1) and seat != "alternate":
        raise ValueError(f"seat {shown(seat)} is not allowed: 0, 1 or 'alternate'")


def learner_seats(seat: int | str, indices: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the learner's seat in each deal, int64 of the shape of ``indices``.

    The dealer alternates with every deal, so an alternating learner changes seats after every second one: four
    consecutive deals have it in each seat, once as dealer and once as non-dealer.

    Args:
        seat: 0, 1 or ``"alternate"``.
        indices: the indices of the deals, uint64.
    """
    if seat == "alternate":
        seats: npt.NDArray[np.int64] = (indices >> np.uint64(1) & np.uint64(1)).astype(np.int64)
        return seats
    return np.full(indices.shape, int(seat), np.int64)


def opponent_plays(opponent: Opponent, episodes: EpisodeBatch, rows: npt.NDArray[np.int64]) -> None:
    """Let an opponent play one action in each of some rows, int64[k]; it is its turn there.

    Raises:
        ValueError: if its actions are not one legal action per row.
    """
    from german_whist.envs.engine.agent_rng import AgentRng  # compiled code, which light commands do not load

    batch = episodes.batch
    rng = AgentRng(episodes.at.seeds[rows], episodes.indices[rows], step=episodes.plies[rows])
    actions = np.asarray(ask_opponent(opponent, batch, rows, rng))
    if actions.shape != rows.shape:
        raise ValueError(f"the opponent {opponent!r} chose {actions.shape} actions for {len(rows)} views")
    refused = episodes.play(rows, actions)
    if refused.any():
        first = int(np.argmax(refused))
        raise ValueError(
            f"action {actions[first]} is illegal: the opponent {opponent!r} may play "
            f"{actions_text(int(batch.legal()[rows[first]]), batch.rules)}"
        )
