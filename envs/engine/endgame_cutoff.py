"""Finishing deals whose endgame is not played (see ``envs.endings``)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.endgame_hook import EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state_kernels import ENDGAME, PLAY
from german_whist.envs.utils.jit import kernel


@kernel
def begins_endgame(game, state):
    """Return whether the first card of the endgame comes next."""
    return (
        not state.done
        and state.decision == PLAY
        and state.led < 0
        and not state.face_up
        and state.top == game.cards
        and state.tricks[ENDGAME, 0] + state.tricks[ENDGAME, 1] == 0
    )


@kernel
def _rows_that_begin(game, states, rows, found):
    count = 0
    for row in rows:
        if begins_endgame(game[0], states[row]):
            found[count] = row
            count += 1
    return count


def finish_endgames(
    ending: EndgameHook, rules: Rules, states: np.ndarray[Any, Any], rows: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Finish those of some deals whose endgame begins, in place.

    Args:
        ending: tells how they end.
        rules: the rules of the deals.
        states: ``STATE`` array, all deals.
        rows: the deals that have moved, int64[k].

    Returns:
        The rows that are finished, int64[n].
    """
    found = np.empty(len(rows), np.int64)
    begun = found[: _rows_that_begin(rules.game, states, rows, found)]
    if len(begun):
        states["tricks"][begun, ENDGAME] = ending.finish(rules, states[begun])
        states["done"][begun] = True
    return begun
