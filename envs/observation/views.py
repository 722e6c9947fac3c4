"""Views: what one seat knows of a deal, with perfect memory and nothing more.

Agents receive views, never states, so no agent can peek. A view does not say which seat it belongs to: every field is
from its owner's side.
"""

from __future__ import annotations

import numpy as np

# hand, played_self, played_opponent, opponent_known, unseen, face_up and out part the deck among them.
VIEW = np.dtype(
    [
        ("hand", np.uint64),  # own cards
        ("legal", np.uint64),  # actions this seat may choose now; 0 when it is not its turn
        ("played_self", np.uint64),  # every card this seat has played, one it has led included
        ("played_opponent", np.uint64),
        ("opponent_known", np.uint64),  # cards the opponent was seen to take and has not played
        ("own_known", np.uint64),  # own cards that the opponent saw this seat take
        ("unseen", np.uint64),  # cards that are in the opponent's hand or face down, nobody told where
        ("face_up", np.uint64),  # open cards of the stock
        ("out", np.uint64),  # cards this seat knows to be out of play (humbug)
        ("void_self", np.int8, (4,)),  # trick (from 1) at which this seat last showed a void, 0 = never
        ("void_opponent", np.int8, (4,)),
        ("drawn_self", np.int8, (4,)),  # unseen cards drawn since that void was shown, 0 when never shown
        ("drawn_opponent", np.int8, (4,)),
        ("tricks_self", np.int8, (2,)),  # by stage: foreplay, endgame
        ("tricks_opponent", np.int8, (2,)),
        ("led", np.int8),  # card led to the current trick, by whichever seat, -1 when there is none
        ("trump", np.int8),  # suit, -1 for none
        ("low", np.int8),  # 1 when the fewest counted tricks win
        ("stock", np.int8),  # cards left in the stock, the open ones included
        ("dealer", np.int8),  # 1 when this seat dealt
        ("turn", np.int8),  # 1 when this seat is to act
        ("choice", np.int8),  # 1 while a choice that is not a card from the hand is made, by whichever seat
        ("exchanged_self", np.int8),  # 1 when this seat swapped its hand for a blind (humbug)
        ("exchanged_opponent", np.int8),
        ("all_count", np.int8),  # 1 when foreplay tricks count too
        ("draft", np.int8),  # 1 when the winner of a foreplay trick may leave the face-up card to the loser
        ("race", np.int8),  # counted tricks that end the deal, 0 when it is played out
    ],
    align=True,
)
