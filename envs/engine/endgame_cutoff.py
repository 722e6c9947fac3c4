"""Ends deals where their endgame begins, with the tricks that an ``EndgameHook`` returns."""

from __future__ import annotations

from typing import Any

from german_whist.envs.engine.state import ENDGAME, PLAY
from german_whist.envs.utils.jit import kernel
from german_whist.envs.utils.row_kernels import row_kernel


@kernel
def begins_endgame(game: Any, state: Any) -> bool:
    """Return whether the next action is the first card of the endgame."""
    # No stock, no card led and no endgame trick yet. Humbug has no stock at all: there it is the first lead.
    return bool(
        not state.done
        and state.decision == PLAY
        and state.led < 0
        and not state.face_up
        and state.top == game.cards
        and state.tricks[ENDGAME, 0] + state.tricks[ENDGAME, 1] == 0
    )


@row_kernel
def write_begins_endgame(i: int, game: Any, states: Any, rows: Any, out: Any) -> None:
    """Write whether the endgame of ``states[rows[i]]`` begins into ``out``, bool[k]."""
    out[i] = begins_endgame(game[0], states[rows[i]])
