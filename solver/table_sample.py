"""A sample of an endgame table's values, compared with a search."""

from __future__ import annotations

import numpy as np

from german_whist.solver.search.transposition_table import transposition_table
from german_whist.solver.search.value_kernels import write_tricks
from german_whist.solver.tablebase.endgame_table import EndgameTable
from german_whist.solver.tablebase.kinds import DamagedTableError

SAMPLE = 256  # endgames of each number of cards
DEPTH = 3  # tricks that the search plays before it looks up a smaller endgame


def verify_values(table: EndgameTable, name: str) -> None:
    """Compare the values of random endgames of every size with a search that plays three tricks further.

    Endgames of up to three cards are searched to the last card. A table of another kind of game, whatever its header
    says, is therefore found.

    Args:
        table: the table.
        name: what to call it in the error.

    Raises:
        DamagedTableError: if a value differs.
    """
    rng = np.random.default_rng(0)
    trumps = np.full(SAMPLE, 0 if table.trump else -1, np.int8)
    leds, rows = np.full(SAMPLE, -1, np.int8), np.arange(SAMPLE)
    for cards in range(1, table.cards + 1):
        decks = rng.permuted(np.tile(np.arange(52), (SAMPLE, 1)), axis=1)[:, : 2 * cards]
        bits = np.uint64(1) << decks.astype(np.uint64)
        leaders, followers = bits[:, :cards].sum(axis=1), bits[:, cards:].sum(axis=1)
        stored, searched = np.empty(SAMPLE, np.int8), np.empty(SAMPLE, np.int8)
        write_tricks(table, transposition_table(), leaders, followers, trumps, leds, rows, stored)
        smaller = table._replace(cards=max(cards - DEPTH, 0))
        write_tricks(smaller, transposition_table(), leaders, followers, trumps, leds, rows, searched)
        wrong = np.flatnonzero(stored != searched)
        if len(wrong):
            found, other = stored[wrong[0]], searched[wrong[0]]
            raise DamagedTableError(
                f"{name} is damaged: a search gives {other} tricks in an endgame of {cards} cards, the table {found}"
            )
