"""What a seat saw happen in a deal, in order: the encoding for recurrent and attention networks.

A history is one row an event, four small numbers a row (``COLUMNS``), all from the seat's own side; rows after the last
event are zeros. With its own cards and everything it has seen in it, a seat forgets nothing: two courses of a deal that
it can tell apart never have the same history, and two that it cannot tell apart have the same. Both seats' histories
tell of the same events in the same rows; cards that a seat did not see are 0.

A state keeps no order, so actions are kept beside it (``ActionLog``) and the deal is played again to be told.

Version history: 1 — first release.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.state_kernels import DRAFT, EXCHANGE, PLAY, STATE, SWAP, TAKE, card_bit, deal, play
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel

HISTORY_VERSION = 1


class Column(NamedTuple):
    """A column of a history: its name and what its numbers mean."""

    name: str
    meaning: str


COLUMNS = (
    Column("event", "what happened: the number of an event"),
    Column("who", "0 nobody, 1 this seat, 2 the opponent"),
    Column("card", "0 no card or one this seat did not see, otherwise 1 + the card's number"),
    Column("trick", "the trick during or after which it happened, from 1; 0 before the first"),
)

EVENTS = (
    ("nothing", "no event: the rows after the last"),
    ("dealer", "who dealt"),
    ("dealt", "a card of the hand dealt to this seat, or unseen to the opponent, from low to high"),
    ("turned", "a card is turned up: of the stock, by nobody, or in humbug the last card of who dealt"),
    ("played", "who plays a card to the trick"),
    ("won", "who wins the trick"),
    ("took", "who takes an open card of the stock"),
    ("drew", "who takes a card unseen by the other, in humbug every card of a blind, from low to high"),
    ("take", "who chooses to take the face-up card"),
    ("leave", "who chooses to leave the face-up card"),
    ("keep", "who keeps the hand"),
    ("swap", "who swaps the hand for a blind"),
)

_NOTHING, _DEALER, _DEALT, _TURNED, _PLAYED, _WON, _TOOK, _DREW, _TAKE, _LEAVE, _KEEP, _SWAP = range(len(EVENTS))
_NOBODY = -1  # the seat of an event that is nobody's

_ZERO = np.uint64(0)


def max_actions(rules: str | Rules = "classic") -> int:
    """Return the most actions that a deal can take."""
    game = rules_named(rules)
    choices = game.stock if game.open_stock > 1 else game.foreplay if game.draft else 2 if game.humbug else 0
    return 2 * game.tricks + choices


def max_events(rules: str | Rules = "classic") -> int:
    """Return the most events that a deal can have: the rows of a history."""
    game = rules_named(rules)
    opening = 1 + 2 * game.hand
    turned = min(game.open_stock + max(0, game.stock - game.open_stock) // 2, game.stock) if game.open_stock else 0
    if game.humbug:
        return opening + 1 + 2 * (1 + game.hand) + 3 * game.tricks
    return opening + turned + game.stock + 3 * game.tricks + (game.foreplay if game.draft else 0)


def history_high(rules: str | Rules = "classic") -> npt.NDArray[np.int8]:
    """Return the largest value of each cell, int8[max_events, 4]; the smallest is 0."""
    game = rules_named(rules)
    return np.tile(np.array([len(EVENTS) - 1, 2, 52, game.tricks], np.int8), (max_events(game), 1))


@kernel
def _tell(tokens, length, me, event, seat, card, trick):
    """Write an event (card −1: none, or unseen) and return the new length."""
    tokens[length, 0] = event
    tokens[length, 1] = 0 if seat < 0 else 1 if seat == me else 2
    tokens[length, 2] = card + 1
    tokens[length, 3] = trick
    return length + 1


@kernel
def _tell_cards(tokens, length, me, event, seat, cards, trick, seen):
    """Write an event for each of a set of cards, from low to high."""
    while cards:
        card = lowest(cards)
        cards ^= card_bit(card)
        length = _tell(tokens, length, me, event, seat, card if seen else -1, trick)
    return length


@kernel
def _tell_turned(game, state, tokens, length, me, turned, trick):
    """Write the cards just turned up, in the order of the deck."""
    for position in range(state.top - popcount(turned), state.top):
        length = _tell(tokens, length, me, _TURNED, _NOBODY, np.int64(state.deck[position]), trick)
    return length


@kernel
def _tell_opening(game, state, me, tokens):
    """Write what a seat sees of the dealing."""
    length = _tell(tokens, 0, me, _DEALER, state.dealer, -1, 0)
    length = _tell_cards(tokens, length, me, _DEALT, me, state.hands[me], 0, True)
    length = _tell_cards(tokens, length, me, _DEALT, 1 - me, state.hands[1 - me], 0, False)
    if game.humbug:
        return _tell(tokens, length, me, _TURNED, state.dealer, np.int64(state.deck[game.cards - 1]), 0)
    return _tell_turned(game, state, tokens, length, me, state.face_up, 0)


@kernel
def _tell_action(game, state, action, me, tokens, length):
    """Play an action and write what a seat sees of it."""
    seat = np.int64(state.turn)
    decision = state.decision
    is_second = state.led >= 0
    open_before = state.face_up
    first, second = state.hands[0], state.hands[1]
    tricks = state.tricks
    trick = np.int64(tricks[0, 0]) + tricks[0, 1] + tricks[1, 0] + tricks[1, 1] + (1 if decision == PLAY else 0)
    play(game, state, action)
    if decision == PLAY:
        length = _tell(tokens, length, me, _PLAYED, seat, action, trick)
        if is_second:
            length = _tell(tokens, length, me, _WON, state.winner, -1, trick)
    elif decision == DRAFT:
        length = _tell(tokens, length, me, _TAKE if action == TAKE else _LEAVE, seat, -1, trick)
    elif decision == EXCHANGE:
        length = _tell(tokens, length, me, _SWAP if action == SWAP else _KEEP, seat, -1, trick)
    for turn in range(2):
        taker = np.int64(state.winner) if turn == 0 else 1 - np.int64(state.winner)
        gained = state.hands[taker] & ~(first if taker == 0 else second)
        length = _tell_cards(tokens, length, me, _TOOK, taker, gained & open_before, trick, True)
        length = _tell_cards(tokens, length, me, _DREW, taker, gained & ~open_before, trick, taker == me)
    return _tell_turned(game, state, tokens, length, me, state.face_up & ~open_before, trick)


@kernel
def write_history(game, state, actions, count, me, scratch, tokens):
    """Write what seat ``me`` saw of a state's deal and return the number of events.

    Args:
        game: a ``GAME`` record.
        state: the state, of which only the deck and the dealer are read.
        actions: what has been played, int8[at least count].
        count: how many actions that is.
        me: a seat.
        scratch: a ``STATE`` record to play the deal in.
        tokens: int8[max_events, 4], written from end to end.
    """
    for position in range(game.cards):
        scratch.deck[position] = state.deck[position]
    deal(game, scratch, np.int64(state.dealer))
    length = _tell_opening(game, scratch, me, tokens)
    for i in range(count):
        length = _tell_action(game, scratch, np.int64(actions[i]), me, tokens, length)
    for row in range(length, tokens.shape[0]):
        for column in range(tokens.shape[1]):
            tokens[row, column] = _NOTHING
    return length


@kernel
def _write_histories(game, states, actions, counts, seats, scratch, tokens, lengths):
    for i in range(states.shape[0]):
        seat = np.int64(states[i].turn) if seats[i] < 0 else seats[i]
        lengths[i] = write_history(game[0], states[i], actions[i], counts[i], seat, scratch[0], tokens[i])


class ActionLog:
    """What has been played in each deal of a batch since it was dealt.

    Attributes:
        actions: int8[size, max_actions].
        counts: how many of them are played, int64[size].
    """

    def __init__(self, rules: Rules, size: int) -> None:
        """Start with nothing played."""
        self._game = rules.game
        self._scratch: np.ndarray[Any, Any] = np.zeros(1, STATE)
        self.shape = (size, max_events(rules), len(COLUMNS))
        self.actions = np.zeros((size, max_actions(rules)), np.int8)
        self.counts = np.zeros(size, np.int64)

    def clear(self, rows: npt.NDArray[np.int64] | slice = slice(None)) -> None:
        """Forget what was played in some rows: they have been dealt again."""
        self.counts[rows] = 0

    def add(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
        """Keep a legal action of each of some rows, int64[k] both."""
        self.actions[rows, self.counts[rows]] = actions
        self.counts[rows] += 1

    def histories(
        self, states: np.ndarray[Any, Any], seats: npt.NDArray[np.int64], out: npt.NDArray[np.int8] | None = None
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
        """Return what seats saw of each deal.

        Args:
            states: ``STATE`` array of shape (size,).
            seats: whose history of each, int64[size]; −1 for the seat to act.
            out: where to write the tokens.

        Returns:
            Tokens int8[size, max_events, 4] and lengths int16[size].

        Raises:
            ValueError: when ``out`` has another shape.
        """
        if out is None:
            out = np.empty(self.shape, np.int8)
        elif out.shape != self.shape:
            raise ValueError(f"out has shape {out.shape}: {self.shape} is needed")
        lengths = np.empty(len(states), np.int16)
        _write_histories(self._game, states, self.actions, self.counts, seats, self._scratch, out, lengths)
        return out, lengths
