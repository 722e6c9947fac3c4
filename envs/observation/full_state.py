"""The whole truth of a deal as one int8 vector, for critics that may see everything while the actor may not.

Unlike an observation it takes no side: seats are numbered, and both hands and the order of the stock are in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.engine.layout import Block, Kind, highest_values, layout_of
from german_whist.envs.engine.match_format import Match, match_of
from german_whist.envs.engine.rules import Rules, rules
from german_whist.envs.utils.bit_kernels import popcount, write_cards
from german_whist.envs.utils.jit import kernel

# name, cells, largest value (a field of Rules or a number), meaning. The order is that of ``write_truth``.
_BLOCKS: tuple[Kind, ...] = (
    ("hand_0", NUM_CARDS, 1, "cell c is 1 when seat 0 holds card c"),
    ("hand_1", NUM_CARDS, 1, "the same for seat 1"),
    ("played_0", NUM_CARDS, 1, "1 for every card seat 0 has played, a card it has led included"),
    ("played_1", NUM_CARDS, 1, "the same for seat 1"),
    ("known_0", NUM_CARDS, 1, "1 for cards that seat 1 saw seat 0 get and seat 0 still holds"),
    ("known_1", NUM_CARDS, 1, "1 for cards that seat 0 saw seat 1 get and seat 1 still holds"),
    ("stock_order", NUM_CARDS, "stock", "place of card c in the stock: 1 = face up, or on top; 0 = not in the stock"),
    ("face_up", NUM_CARDS, 1, "1 for the face-up card of the stock, or for each of several"),
    ("led", NUM_CARDS, 1, "1 for the card led to the current trick"),
    ("trump", 4, 1, "1 for the trump suit, in the order C D H S"),
    ("void_0", 4, "tricks", "by suit C D H S: trick (from 1) at which seat 0 last showed it was void, 0 = never"),
    ("void_1", 4, "tricks", "the same for seat 1"),
    ("drawn_0", 4, "foreplay", "by suit: cards seat 0 has drawn unseen since it showed that void"),
    ("drawn_1", 4, "foreplay", "the same for seat 1"),
    ("tricks_0", 2, "tricks", "tricks seat 0 has taken: foreplay, endgame"),
    ("tricks_1", 2, "tricks", "tricks seat 1 has taken: foreplay, endgame"),
    ("stock", 1, "stock", "cards left in the stock, the open ones included"),
    ("dealer", 1, 1, "seat that dealt"),
    ("turn", 1, 1, "seat to act"),
    ("done", 1, 1, "1 when the deal is finished"),
)

_BASE = 496  # cells that every game has

_DECISION: Kind = (
    "decision",
    1,
    4,
    "0 a card, 1 pick, 2 pick after the winner, 3 take or leave, 4 keep or swap",
)
_LOW: Kind = ("low", 1, 1, "1 when the endgame is played low")
_HIDDEN: Kind = ("hidden", NUM_CARDS, 2, "humbug: 1 for cards in the blinds that remain, 2 for discarded hands")


def _kinds(game: Rules, match: str | Match | None) -> tuple[Kind, ...]:
    """Return the blocks of a game: those of every game, then what its rules add, then what a match adds."""
    added: list[Kind] = []
    if game.has_choices:
        added.append(_DECISION)
    if game.high_low:
        added.append(_LOW)
    if game.humbug:
        added.append(_HIDDEN)
    if match is not None:
        added += match_of(match).kinds(game, "seat 0's score, seat 1's")
    return (*_BLOCKS, *added)


def state_layout(spec: str | Rules = "classic", match: str | Match | None = None) -> dict[str, Block]:
    """Return the named ranges of the state vector, in order.

    Every cell is int8; cards are numbered ``13 * suit + rank``.

    Raises:
        ValueError: when the rules or the match are unknown.
    """
    return layout_of(_kinds(rules(spec), match))


def state_high(spec: str | Rules = "classic", match: str | Match | None = None) -> npt.NDArray[np.int8]:
    """Return the largest value of each cell, int8[n_state]; the smallest is 0."""
    game = rules(spec)
    return highest_values(game, _kinds(game, match))


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
                row[480 + 4 * seat + suit] = state.drawn[seat] - state.void_drawn[seat, suit]
        for stage in range(2):
            row[488 + 2 * seat + stage] = state.tricks[stage, seat]
    open_cards = popcount(state.face_up)
    write_cards(state.face_up, row, 312)
    write_cards(state.face_up, row, 364)
    for place in range(state.top, game.cards):
        row[312 + state.deck[place]] = place - state.top + 1 + (1 if open_cards else 0)
    if state.led >= 0:
        row[416 + state.led] = 1
    if state.trump >= 0:
        row[468 + state.trump] = 1
    row[492] = open_cards + game.cards - state.top
    row[493] = state.dealer
    row[494] = state.turn
    row[495] = 1 if state.done else 0
    cell = _BASE
    if game.has_choices:
        row[cell] = state.decision
        cell += 1
    if game.high_low:
        row[cell] = state.low
        cell += 1
    if game.humbug:
        _write_hidden(game, state, row, cell)


@kernel
def _write_hidden(game, state, row, cell):
    """Write the cards of humbug that nobody holds: of the four hands, those that no seat has kept or taken."""
    held = state.hands[0] | state.hands[1] | state.played[0] | state.played[1]
    discarded = state.out[0] | state.out[1]
    for place in range(game.cards):
        card = state.deck[place]
        bit = np.uint64(1) << np.uint64(card)
        if not held & bit:
            row[cell + card] = 2 if discarded & bit else 1


@kernel
def _write_truths(game, states, out):
    for i in range(states.shape[0]):
        write_truth(game[0], states[i], out[i])


def full_states(spec: str | Rules, states: np.ndarray[Any, Any]) -> npt.NDArray[np.int8]:
    """Return the whole truth of a batch of states, int8[len(states), n_state].

    Args:
        spec: the rules.
        states: ``STATE`` array.
    """
    game = rules(spec)
    out = np.zeros((len(states), state_high(game).size), np.int8)
    _write_truths(game.game, states, out)
    return out
