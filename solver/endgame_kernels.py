"""The endgame solver for numba kernels of one's own."""

from __future__ import annotations

import numpy as np

from german_whist.envs.utils.jit import kernel
from german_whist.solver.search.alpha_beta_kernels import alpha_beta
from german_whist.solver.search.value_kernels import encode_position
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

_LOW_END, _HIGH_END = np.int64(-1), np.int64(MAX_CARDS + 1)


@kernel
def endgame_tricks(solver, leader, follower, trump, led):
    """Return how many tricks the leader takes in perfect play, the current trick included, as int64.

    ``solve_endgame`` as a compiled function, to be called from numba functions of your own, or from Python. The
    arguments are not checked: hands of different sizes, or a solver for another kind of game, can crash the process.

    Example:
        >>> solve, solver = german_whist.endgame_tricks, german_whist.endgame_solver(trump=True)
        >>> @numba.njit
        ... def total(solver, leaders, followers, trump):
        ...     tricks = 0
        ...     for i in range(len(leaders)):
        ...         tricks += solve(solver, leaders[i], followers[i], trump, -1)
        ...     return tricks

    Args:
        solver: what ``endgame_solver`` returned for this kind of game, used by one thread at a time.
        leader: uint64, the leader's hand as a card mask, with or without the card led; 1 to 13 cards.
        follower: uint64, the follower's hand, as many cards.
        trump: the trump suit (C D H S = 0 … 3), or −1 if the solver was made for no trumps.
        led: the card that the leader has led (0 … 51), or −1.
    """
    table = solver.table
    position, cards, card = encode_position(
        table, np.uint64(leader), np.uint64(follower), np.int64(trump), np.int64(led)
    )
    value = alpha_beta(table, solver.transpositions, position, cards, card, _LOW_END, _HIGH_END)
    return cards - value if table.low else value
