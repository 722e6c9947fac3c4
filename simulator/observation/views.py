"""Views: one seat's knowledge of a deal, with perfect memory.

Agents receive views, never states, so no agent can peek. A view does not say which seat it belongs to: every field is
from that seat's own side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Each card of the deck is in exactly one of hand, played_self, played_opponent, opponent_known, unseen, face_up and
# discarded.
VIEW = np.dtype(
    [
        ("hand", np.uint64),  # cards this seat holds
        ("legal", np.uint64),  # actions this seat may choose; 0 if it is not to act
        ("played_self", np.uint64),  # every card this seat has played, including a card it has just led
        ("played_opponent", np.uint64),
        ("opponent_known", np.uint64),  # cards the opponent was seen to take and still holds
        ("own_known", np.uint64),  # cards this seat holds and the opponent saw it take
        ("unseen", np.uint64),  # cards that are either in the opponent's hand or face down
        ("face_up", np.uint64),  # the face-up cards of the stock
        ("discarded", np.uint64),  # cards this seat knows to be out of play (humbug)
        ("void_self", np.int8, (4,)),  # by suit: the last trick (from 1) with a void shown, 0 = never
        ("void_opponent", np.int8, (4,)),
        ("drawn_self", np.int8, (4,)),  # by suit: cards drawn unseen since that void, 0 = none shown
        ("drawn_opponent", np.int8, (4,)),
        ("tricks_self", np.int8, (2,)),  # by stage: foreplay, endgame
        ("tricks_opponent", np.int8, (2,)),
        ("led", np.int8),  # card led to the current trick, by either seat, -1 for none
        ("trump", np.int8),  # suit, -1 for none
        ("low", np.int8),  # 1 if the fewest counted tricks win
        ("stock", np.int8),  # cards left in the stock, including the face-up ones
        ("dealer", np.int8),  # 1 if this seat dealt
        ("turn", np.int8),  # 1 if this seat is to act
        ("choice", np.int8),  # 1 while the seat to act makes a choice other than a card from its hand
        ("exchanged_self", np.int8),  # 1 if this seat swapped its hand (humbug)
        ("exchanged_opponent", np.int8),
        ("all_count", np.int8),  # 1 if foreplay tricks count too
        ("draft", np.int8),  # 1 if the winner of a foreplay trick may leave the face-up card to the loser
        ("race", np.int8),  # counted tricks that end the deal, 0 for no race
    ],
    align=True,
)

Views = np.ndarray[Any, Any]  # their dtype is VIEW

# How canonical views name ranks: as they are, or counted among the unplayed cards from the top. Model cards hold these
# words.
NAMED, UNPLAYED = "named", "live"
RANK_NAMINGS = (NAMED, UNPLAYED)

_NEEDED = "views must be a VIEW array of shape (n,)"


def check_view_array(views: object) -> None:
    """Refuse anything but an array of views. Kernels rely on it: they check nothing.

    Raises:
        ValueError: if it is a single view, or has another shape or dtype.
    """
    if isinstance(views, np.ndarray) and views.ndim == 1 and (views.dtype is VIEW or views.dtype == VIEW):
        return
    if isinstance(views, np.void) and views.dtype == VIEW:
        raise ValueError(f"{_NEEDED}, got a single view: np.atleast_1d(view) is an array of it")
    if isinstance(views, np.ndarray) and views.dtype == VIEW:
        raise ValueError(f"{_NEEDED}, got shape {views.shape}")
    kind = f"an array of dtype {views.dtype}" if isinstance(views, np.ndarray) else f"{type(views).__name__!r}"
    raise ValueError(f"{_NEEDED}, as DealBatch.views() or view_from_observation returns, got {kind}")
