"""The setting ``endgame="exact"`` of environments: deals end where the endgame begins, as if played perfectly."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.game.rules import Rules
from german_whist.game.state import FOREPLAY
from german_whist.game.utils.backend import Array, Records, StructTensor, backend_holding
from german_whist.solver.endgame_batch import EndgameBatch
from german_whist.solver.endgames import solve_endgames
from german_whist.solver.lookup_kernels import write_tricks_by_seat
from german_whist.solver.races import solve_races
from german_whist.solver.tablebase.position_kernels import MAX_CARDS


def can_solve_endgame(rules: Rules) -> bool:
    """Return whether the endgame of a game can be solved: both hands are known, and they are not too large."""
    return rules.endgame_is_open and rules.hand <= MAX_CARDS


class ExactEndgameHook:
    """Finishes deals by perfect play: for the most tricks, in low games for the fewest, in races for the margin."""

    def check(self, rules: Rules) -> None:
        """Refuse rules whose endgame cannot be solved.

        Raises:
            ValueError: if a hand stays hidden or is too large; the message names the setting of the rules.
        """
        if not rules.endgame_is_open:
            raise ValueError(
                "rules: the endgame cannot be solved with humbug=True: it is not open, as blind hands stay hidden"
            )
        if rules.hand > MAX_CARDS:
            raise ValueError(
                f"rules: the endgame cannot be solved with hand={rules.hand}: "
                f"hands of up to {MAX_CARDS} cards are allowed"
            )

    def finish(self, rules: Rules, states: Records) -> Array:
        """Return the tricks that both seats take in the endgame, int8[k, 2] by seat.

        A GPU looks the endgames up in a complete table. Races, and everything on the host, are solved there by search.

        Args:
            rules: the rules of the deals.
            states: ``STATE`` array of shape (k,), or ``StructTensor`` on a device, each before the first card of its
                endgame.
        """
        if not isinstance(states, StructTensor):
            return _searched(rules, states)
        backend = backend_holding(states)
        if backend.is_gpu and not rules.race:
            tricks: Array = backend.empty((len(states), 2), np.int8)
            leaders_tricks = EndgameBatch.in_states(states).look_up()
            backend.launch(write_tricks_by_seat, len(states), states, leaders_tricks, tricks)
            return tricks
        found: Array = backend.array(_searched(rules, states.to_numpy()))
        return found


def _searched(rules: Rules, states: np.ndarray[Any, Any]) -> npt.NDArray[np.int8]:
    """Return the tricks that both seats take, for states in a NumPy array."""
    rows = np.arange(len(states))
    leaders = states["turn"].astype(np.int64)
    hands, trumps = states["hands"], states["trump"]
    own, other = hands[rows, leaders], hands[rows, 1 - leaders]
    tricks = np.empty((len(states), 2), np.int8)
    if rules.race:
        taken = states["tricks"][:, FOREPLAY] if rules.counts == "all" else np.zeros((len(states), 2), np.int8)
        needs = (rules.race - taken)[rows[:, None], np.stack([leaders, 1 - leaders], axis=1)]
        solved = solve_races(own, other, trumps, needs=needs)
        tricks[rows, leaders], tricks[rows, 1 - leaders] = solved[:, 0], solved[:, 1]
    else:
        solved = solve_endgames(own, other, trumps=trumps, lows=states["low"].astype(np.bool_))
        tricks[rows, leaders], tricks[rows, 1 - leaders] = solved, rules.hand - solved
    return tricks
