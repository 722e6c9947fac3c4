"""State sampling: full states that agree with a view, for searches that start from one."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.inference.world_sampling_kernels import (
    HAND_COUNTS,
    count_hands,
    write_known_state,
    write_sampled_cards,
)
from german_whist.envs.agent import Views
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import BatchState
from german_whist.envs.utils.checks import generator_of, whole_number
from german_whist.envs.utils.jit import kernel


@kernel
def _write_states(game: Any, views: Any, key: np.uint64, states: npt.NDArray[Any]) -> None:
    """Complete a view in every state."""
    counts = np.zeros(1, HAND_COUNTS)
    count_hands(game[0], views[0], counts[0])
    for world in range(states.shape[0]):
        write_known_state(game[0], views[0], states[world])
        write_sampled_cards(game[0], views[0], counts[0], key, np.uint64(world), states[world])


@kernel
def _first_inconsistent(game: Any, views: Any, rows: Any) -> int:
    """Return the first of some rows whose view no opponent hand satisfies, −1 for none."""
    counts = np.zeros(1, HAND_COUNTS)
    for row in rows:
        if count_hands(game[0], views[row], counts[0]) == 0:
            return int(row)
    return -1


def check_consistent(views: Views, rules: Rules, rows: npt.NDArray[np.int64] | None = None) -> None:
    """Refuse views that no opponent hand satisfies.

    Args:
        views: ``VIEW`` array of shape (n,).
        rules: the rules of the deals.
        rows: the rows to check, int64[k]; all by default.

    Raises:
        ValueError: naming the first such row.
    """
    wrong = _first_inconsistent(rules.game, views, np.arange(len(views)) if rows is None else rows)
    if wrong >= 0:
        raise ValueError(f"view {wrong} is inconsistent: no opponent hand satisfies it")


def sample_states(
    view: npt.ArrayLike, rules: str | Rules = "classic", count: int = 1, rng: np.random.Generator | int | None = None
) -> BatchState:
    """Return random full states that agree with a view of the seat to act, which is seat 0 in them.

    The opponent's hidden cards are uniform over all hands that agree with the cards seen and the voids shown, and every
    order of the face-down cards is equally likely with each hand. A view does not tell in which order cards were
    played, so a hand counts once, however many courses of play lead to it; ``sample_decks`` is exact, from a history.

    Example:
        >>> batch = german_whist.DealBatch("classic")
        >>> worlds = german_whist.DealBatch("classic", size=64)
        >>> worlds.set_state(german_whist.sample_states(batch.views(), "classic", count=64, rng=0))

    Args:
        view: one ``VIEW`` record, or an array of shape (1,).
        rules: the rules of the deal.
        count: number of states, at least 1.
        rng: a NumPy generator or a seed, 0 to 2**64 - 1; by default, other states every time.

    Returns:
        States for ``DealBatch.set_state``, without histories. Places of the deck before the next face-down card are not
        filled.

    Raises:
        ValueError: if it is not one view of a seat to act, no hand agrees with it, or a number is not allowed.
    """
    rules = rules_named(rules)
    views = np.atleast_1d(np.asarray(view))
    if views.dtype != VIEW or views.shape != (1,) or not views["turn"][0]:
        raise ValueError(f"view must be one view of a seat to act, got shape {views.shape}")
    states = np.zeros(whole_number("count", count, 1), STATE)
    key = np.uint64(generator_of(rng).integers(2**64 - 1, dtype=np.uint64, endpoint=True))
    check_consistent(views, rules)
    _write_states(rules.game, np.ascontiguousarray(views), key, states)
    return BatchState(rules, states, None, None)
