"""A position as one line of text, with the hands written as in PBN."""

from __future__ import annotations

from german_whist.envs.engine.cards import SUITS, card_text, hand_text
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.checks import whole_number


def position_text(batch: DealBatch, row: int = 0) -> str:
    """Return a position of a batch as one line: both hands, but not the order of the stock.

    For example ``0:AKQ2.T98..J4 J3.K5.AQ.T98 trump=S turn=1 led=HT face_up=.A.. stock=8``: the hands of seats 0 and 1
    by suit (S.H.D.C), trumps, the seat to act (``-`` if the deal is finished), the card led, the face-up cards of the
    stock and the number of all its cards; ``-`` means none.

    Raises:
        ValueError: if there is no such row.
    """
    state = batch.states[whole_number("row", row, 0, batch.size - 1)]
    hands = " ".join(hand_text(int(hand)) for hand in state["hands"])
    face_up = int(state["face_up"])
    stock = face_up.bit_count() + len(batch.rules.cards) - int(state["top"])
    trump, led = int(state["trump"]), int(state["led"])
    fields = {
        "trump": SUITS[trump] if trump >= 0 else "-",
        "turn": "-" if state["done"] else str(state["turn"]),
        "led": card_text(led) if led >= 0 else "-",
        "face_up": hand_text(face_up) if face_up else "-",
        "stock": str(stock),
    }
    return f"0:{hands} " + " ".join(f"{name}={value}" for name, value in fields.items())
