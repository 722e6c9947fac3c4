"""One deal of a session: its cards, the actions so far, and the state before each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from german_whist.envs.agent import Histories
from german_whist.envs.engine.actions import action_text, actions_text
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.simulator.batch import BatchState, DealBatch
from german_whist.evaluation.recording import DealResult, Recording


class DealForfeit(NamedTuple):
    """A deal that was not played to its end.

    Attributes:
        seat: the seat that lost it.
        reason: why, such as a time limit or a crash.
    """

    seat: int
    reason: str


class TableDeal:
    """A deal that can be played forward and taken back.

    Attributes:
        batch: the deal as it is now, a ``DealBatch`` of one.
        actions: the actions played.
        states: copies of the state before each of them, ``STATE`` records.
        forfeit: who lost the deal without playing it to its end, and why; ``None`` otherwise.
    """

    def __init__(self, rules: Rules, deck: Sequence[int], dealer: int, actions: Sequence[int] = ()) -> None:
        """Deal the cards and play some actions.

        Args:
            rules: the rules.
            deck: the cards in dealing order.
            dealer: the seat that deals.
            actions: the actions played so far.

        Raises:
            ValueError: if the deck is not one of these rules, or an action is illegal.
        """
        self.batch = DealBatch(rules, 1, history=True)
        self.batch.deal_decks([list(deck)], [dealer])
        self.actions: list[int] = []
        self.states: list[Any] = []
        self.forfeit: DealForfeit | None = None
        for action in actions:
            self.play(action)

    @classmethod
    def at_address(cls, rules: Rules, seed: int, index: int) -> TableDeal:
        """Return deal ``index`` of a seed; seat ``index % 2`` deals."""
        return cls.of(DealBatch(rules, 1, seed, index))

    @classmethod
    def of(cls, batch: DealBatch) -> TableDeal:
        """Return the deal of a ``DealBatch`` of one, before its first action."""
        state = batch.states[0]
        return cls(batch.rules, state["deck"][: len(batch.rules.cards)].tolist(), int(state["dealer"]))

    @property
    def rules(self) -> Rules:
        """The rules."""
        return self.batch.rules

    @property
    def state(self) -> Any:
        """The state now, a ``STATE`` record; hidden cards included."""
        return self.batch.states[0]

    @property
    def deck(self) -> list[int]:
        """The cards in dealing order."""
        cards: list[int] = self.state["deck"][: len(self.rules.cards)].tolist()
        return cards

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return int(self.state["dealer"])

    @property
    def done(self) -> bool:
        """Whether the deal is over."""
        return self.forfeit is not None or bool(self.batch.done[0])

    @property
    def turn(self) -> int:
        """The seat to act; −1 if the deal is over."""
        return -1 if self.done else int(self.batch.turn[0])

    @property
    def legal(self) -> int:
        """The legal actions of the seat to act, as a mask."""
        return int(self.batch.legal()[0])

    def play(self, action: int) -> None:
        """Play a legal action.

        Raises:
            ValueError: if it is not legal; nothing has changed.
        """
        if self.done:
            raise ValueError("the deal is over")
        if not (0 <= action < self.rules.num_actions and self.legal >> action & 1):
            word = action_text(action, self.rules) if 0 <= action < self.rules.num_actions else str(action)
            raise ValueError(f"seat {self.turn} cannot play {word}: {actions_text(self.legal, self.rules)}")
        self.states.append(self.state.copy())
        self.batch.step([action])
        self.actions.append(int(action))

    def lose(self, seat: int, reason: str) -> None:
        """End the deal: a seat loses it by the largest margin, as in matches.

        Raises:
            ValueError: if the deal is over.
        """
        if self.done:
            raise ValueError("the deal is over")
        self.forfeit = DealForfeit(seat, reason)

    def go_back(self, count: int) -> None:
        """Go back to the position before action ``count``, counted from 0."""
        if count < len(self.actions):
            assert self.batch.log is not None  # histories are kept
            log = self.batch.log.actions.copy(), np.array([count], self.batch.log.counts.dtype)
            self.batch.set_state(BatchState(self.rules, np.array([self.states[count]]), *log))
            del self.states[count:], self.actions[count:]

    def actor(self, step: int) -> int:
        """Return the seat that chose action ``step``, counted from 0."""
        return int(self.states[step]["turn"])

    def views(self, seat: int) -> np.ndarray[Any, Any]:
        """Return what a seat knows now, a ``VIEW`` array of shape (1,)."""
        return self.batch.views([0], [seat])

    def views_since(self, step: int, seat: int) -> np.ndarray[Any, Any]:
        """Return what a seat knew before action ``step`` and each one after it, and what it knows now.

        Returns:
            A ``VIEW`` array of shape (n - step + 1,) for n actions.
        """
        count = len(self.actions) - step + 1
        past = DealBatch(self.rules, count)
        past.states[:] = [*self.states[step:], self.state]
        return past.views(seats=[seat] * count)

    def decisions(self) -> tuple[np.ndarray[Any, Any], Histories]:
        """Return what the seats that acted knew at each action.

        Returns:
            A ``VIEW`` array of shape (n,) for n actions, and the event histories: tokens int8[n, events, 4] and their
            numbers, int16[n].
        """
        past = DealBatch(self.rules, len(self.actions), history=True)
        assert past.log is not None  # histories are kept
        assert self.batch.log is not None
        past.states[:] = self.states
        past.log.actions[:] = self.batch.log.actions
        past.log.counts[:] = np.arange(len(self.actions))
        return past.views(), past.history()

    def result(self) -> DealResult:
        """Return the result of the finished deal."""
        if self.forfeit is None:
            return DealResult.of(self.batch)
        sign, game = (1 if self.forfeit.seat == 1 else -1), self.rules.game
        (a, b), (c, d) = self.state["tricks"].tolist()
        margin, points = (sign * reward_limit(game, reward) for reward in ("margin", "points"))
        return DealResult(int(margin), points, ((a, b), (c, d)))

    def recording(self, names: tuple[str, str], deal: tuple[int, int] | None = None) -> Recording:
        """Return the finished deal as a recording, with its deck or, if given, its address.

        Raises:
            ValueError: if a seat lost the deal without playing it to its end.
        """
        if self.forfeit is not None:
            raise ValueError(f"The deal was not played to its end: {names[self.forfeit.seat]} forfeited it.")
        deck = tuple(self.deck) if deal is None else None
        return Recording(self.rules, self.dealer, names, tuple(self.actions), self.result(), deal, deck)
