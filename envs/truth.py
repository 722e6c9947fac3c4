"""The whole truth of a deal as one int8 vector, for critics that may see everything while the actor may not.

Unlike an observation it takes no side: seats are numbered, and both hands and the order of the stock are in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.bits import write_cards
from german_whist.envs.cards import NUM_CARDS
from german_whist.envs.jit import kernel
from german_whist.envs.observation import Block
from german_whist.envs.rules import Rules, rules
from german_whist.envs.state import FOREPLAY

# name, cells, largest value (a field of Rules or a number), meaning. The order is that of ``write_truth``.
_BLOCKS: tuple[tuple[str, int, str | int, str], ...] = (
    ("hand_0", NUM_CARDS, 1, "cell c is 1 when seat 0 holds card c"),
    ("hand_1", NUM_CARDS, 1, "the same for seat 1"),
    ("played_0", NUM_CARDS, 1, "1 for every card seat 0 has played, a card it has led included"),
    ("played_1", NUM_CARDS, 1, "the same for seat 1"),
    ("known_0", NUM_CARDS, 1, "1 for cards that seat 1 saw seat 0 take from the stock and seat 0 still holds"),
    ("known_1", NUM_CARDS, 1, "1 for cards that seat 0 saw seat 1 take from the stock and seat 1 still holds"),
    ("stock_order", NUM_CARDS, "stock", "place of card c in the stock: 1 = the face-up card, 0 = not in the stock"),
    ("face_up", NUM_CARDS, 1, "1 for the face-up card of the stock"),
    ("led", NUM_CARDS, 1, "1 for the card led to the current trick"),
    ("trump", 4, 1, "1 for the trump suit, in the order C D H S"),
    ("void_0", 4, "tricks", "by suit C D H S: trick (from 1) at which seat 0 last showed it was void, 0 = never"),
    ("void_1", 4, "tricks", "the same for seat 1"),
    ("drawn_0", 4, "foreplay", "by suit: cards seat 0 has drawn unseen since it showed that void"),
    ("drawn_1", 4, "foreplay", "the same for seat 1"),
    ("tricks_0", 2, "tricks", "tricks seat 0 has taken: foreplay, endgame"),
    ("tricks_1", 2, "tricks", "tricks seat 1 has taken: foreplay, endgame"),
    ("stock", 1, "stock", "cards left in the stock, the face-up card included"),
    ("dealer", 1, 1, "seat that dealt"),
    ("turn", 1, 1, "seat to act"),
    ("done", 1, 1, "1 when the deal is finished"),
)


def state_layout(spec: str | Rules = "classic") -> dict[str, Block]:
    """Return the named ranges of the state vector, in order.

    Every cell is int8; cards are numbered ``13 * suit + rank``.

    Raises:
        ValueError: when the rules are unknown.
    """
    rules(spec)
    layout: dict[str, Block] = {}
    start = 0
    for name, cells, _, meaning in _BLOCKS:
        layout[name] = Block(start, start + cells, meaning)
        start += cells
    return layout


def state_high(spec: str | Rules = "classic") -> npt.NDArray[np.int8]:
    """Return the largest value of each cell, int8[n_state]; the smallest is 0."""
    game = rules(spec)
    parts = [np.full(cells, getattr(game, high) if isinstance(high, str) else high) for _, cells, high, _ in _BLOCKS]
    return np.concatenate(parts).astype(np.int8)


@kernel
def write_truth(game, state, row):
    """Write the whole truth of a state record into an int8 row of zeros."""
    for seat in range(2):
        write_cards(state.hands[seat], row, 52 * seat)
        write_cards(state.played[seat], row, 104 + 52 * seat)
        write_cards(state.known[seat], row, 208 + 52 * seat)
        for suit in range(4):
            trick = state.void_trick[seat, suit]
            row[472 + 4 * seat + suit] = trick
            if trick:
                row[480 + 4 * seat + suit] = state.tricks[FOREPLAY, 1 - seat] - state.void_losses[seat, suit]
        for stage in range(2):
            row[488 + 2 * seat + stage] = state.tricks[stage, seat]
    top = np.int64(state.top)
    for place in range(top, game.cards):
        row[312 + state.deck[place]] = place - top + 1
    if top < game.cards:
        row[364 + state.deck[top]] = 1
    if state.led >= 0:
        row[416 + state.led] = 1
    row[468 + state.trump] = 1
    row[492] = game.cards - top
    row[493] = state.dealer
    row[494] = state.turn
    row[495] = 1 if state.done else 0


@kernel
def _write_truths(game, states, out):
    for i in range(states.shape[0]):
        write_truth(game[0], states[i], out[i])


def truths(game: np.ndarray[Any, Any], states: np.ndarray[Any, Any]) -> npt.NDArray[np.int8]:
    """Return the whole truth of a batch of states, int8[len(states), n_state].

    Args:
        game: the rules as ``Rules.game``.
        states: ``STATE`` array.
    """
    out = np.zeros((len(states), 496), np.int8)
    _write_truths(game, states, out)
    return out
