"""Batched perfect play of endgames with open hands: the exact margin of each card, and which perfect card to play.

All values are from the view of the seat to act. A *margin* is this seat's remaining tricks minus the opponent's; in a
low game it is the other way round, so that more is always better.

Of several perfect cards, the one is played that gains most if the opponent errs. Opponents err in two ways: they follow
rules of thumb, or they play anything. Perfect cards are therefore compared

1. by the margin of a rollout in which both sides follow the rules of the ``heuristic`` bot (``card_rollout_margin``);
2. by the *random-reply margin*: this side plays best cards until the opponent has to choose, each of the opponent's
   distinct cards is equally likely, and both sides play perfectly from there; the mean margin counts;
3. by card number, the lowest first.

The result does not depend on chance or on the batch size. ``docs/explanation/endgame.md`` shows what this gains.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.agents.endgame.open_hands_kernels import (
    MARGIN_ROWS,
    write_all_exact_margins,
    write_opponent_hand_known,
    write_perfect_cards,
)
from german_whist.simulator.observation.views import Views
from german_whist.solver.endgame_batch import search_in_parts
from german_whist.solver.races import NOT_LEGAL_MARGIN
from german_whist.solver.search.transposition_table import race_transposition_table
from german_whist.solver.tablebase.tablebase_file import Tablebase


def opponent_hand_known(views: Views) -> npt.NDArray[np.bool_]:
    """Return in which views the seat to act knows the opponent's hand in an endgame of at most 13 cards, bool[n].

    Args:
        views: ``VIEW`` array of shape (n,).
    """
    found = np.empty(len(views), np.bool_)
    write_opponent_hand_known(views, found)
    return found


def best_cards(views: Views) -> npt.NDArray[np.int64]:
    """Return a perfect card of each seat to act, int64[n]; the module's docstring says how ties are broken.

    Args:
        views: n views in which :func:`opponent_hand_known` is true.
    """
    cards = np.empty(len(views), np.int64)

    def solve(tablebase: Tablebase, rows: npt.NDArray[np.int64]) -> None:
        scratch = np.empty((MARGIN_ROWS, 52), np.int8)
        write_perfect_cards(tablebase, race_transposition_table(), views, rows, scratch, cards)

    search_in_parts(views["trump"], views["low"] != 0, solve)
    return cards


def exact_margins(views: Views) -> npt.NDArray[np.int64]:
    """Return the margin of the whole deal for each card, with perfect play by both seats afterwards.

    Args:
        views: n views in which :func:`opponent_hand_known` is true.

    Returns:
        int64[n, 52]; ``NOT_LEGAL_MARGIN`` for cards that are not legal.
    """
    margins = np.full((len(views), 52), NOT_LEGAL_MARGIN, np.int8)

    def solve(tablebase: Tablebase, rows: npt.NDArray[np.int64]) -> None:
        write_all_exact_margins(tablebase, race_transposition_table(), views, rows, margins)

    search_in_parts(views["trump"], views["low"] != 0, solve)
    return margins.astype(np.int64)
