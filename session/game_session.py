"""A session: a person against an agent, deal after deal or for a match. It has no interface; others drive it.

Every deal is committed to before its first card and opened after its last. The commitment is the SHA-256 of
``SALT DEALER DECK``. The salt has 256 random bits, so the hash tells nothing about the cards before it is opened (a
hash commitment; Halevi and Micali, "Practical and provably-secure commitment schemes from collision-free hashing",
1996).
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import secrets
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from german_whist.envs.agent import Agent, SupportsAct, as_agent
from german_whist.envs.engine.cards import deck_text
from german_whist.envs.engine.match_format import FIRST_TO, MatchFormat
from german_whist.envs.text.scene import YOU
from german_whist.envs.utils.specs import must_be
from german_whist.evaluation.recording import DealResult, Recording
from german_whist.session import schema
from german_whist.session.deal.position import refusal_with_choices
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.lesson import lesson_refusal
from german_whist.session.opponent import agent_named, play_action
from german_whist.session.recall import is_quiz_time, quiz_step, score
from german_whist.session.settings import Settings

_SALT_BYTES = 32


def new_salt() -> str:
    """Return 32 random bytes in hexadecimal."""
    return secrets.token_hex(_SALT_BYTES)


class Score(NamedTuple):
    """The score by seat.

    Attributes:
        points: points of the deals won.
        won: number of deals won.
        drawn: number of drawn deals.
    """

    points: tuple[float, float] = (0.0, 0.0)
    won: tuple[int, int] = (0, 0)
    drawn: int = 0

    @classmethod
    def of(cls, results: Iterable[DealResult]) -> Score:
        """Return the score after some deals."""
        points, won, drawn = [0.0, 0.0], [0, 0], 0
        for result in results:
            if not result.margin:
                drawn += 1
                continue
            winner = 0 if result.margin > 0 else 1
            points[winner] += abs(result.points)
            won[winner] += 1
        return cls((points[0], points[1]), (won[0], won[1]), drawn)

    def in_match(self, match: MatchFormat | None) -> tuple[float, float]:
        """Return what a match counts, by seat: points, or deals won."""
        return self.points if match is None or match.kind == FIRST_TO else (float(self.won[0]), float(self.won[1]))

    def winner(self, match: MatchFormat | None) -> int | None:
        """Return the seat that has won the match; ``None`` while there is none."""
        if match is None:
            return None
        seat = int(match.winners(np.array([self.in_match(match)]))[0])
        return None if seat < 0 else seat


class IllegalAction(ValueError):  # noqa: N818 - it is bad input, and says so in a sentence for the person
    """An action that the person may not choose now."""


class Conflict(ValueError):  # noqa: N818 - the same
    """Something that does not fit the stage of the session, such as the next deal in the middle of one."""


@dataclasses.dataclass(frozen=True)
class FinishedDeal:
    """A finished deal of a session.

    Attributes:
        deal: the deal.
        salt: salt of the commitment.
        assisted: whether a hint was asked for or an action taken back.
        time: when it ended, ISO 8601 in UTC.
        recalled: the person's answer to the memory quiz, if there was one.
    """

    deal: TableDeal
    salt: str
    assisted: bool
    time: str
    recalled: tuple[int, ...] | None = None

    @cached_property
    def result(self) -> DealResult:
        """The result."""
        return self.deal.result()


class Session:
    """A table with a person and an agent.

    The agent acts when :meth:`reply` is called, so that an interface can save the person's card before the agent
    thinks. Everything that happens is a function of the settings and the person's actions, but for the salts.

    Attributes:
        settings: what is played.
        agent: the opponent.
        title: the agent's name.
        person: the person's name, ``You`` but in recordings.
        deal: the deal on the table.
        salt: salt of the deal's commitment.
        assisted: whether the person was helped in this deal.
        finished: the finished deals; the last is the one on the table until :meth:`next_deal`.
        version: number of changes so far.
        hint: the hint for this position, if one was asked for.
        recalled: the cards of the person's answer to the memory quiz of this deal.
        earlier: in practice, what the same deal brought before.
    """

    def __init__(
        self,
        settings: Settings,
        agent: Agent | SupportsAct | None = None,
        deal: TableDeal | None = None,
        title: str | None = None,
        person: str = YOU,
    ) -> None:
        """Deal the first deal.

        Args:
            settings: what is played.
            agent: the opponent; by default the agent that the settings name.
            deal: the first deal instead of the first one of the seed.
            title: what to call the agent; by default its specification.
            person: what to call the person.

        Raises:
            ValueError: if there is no such agent, or it cannot play the game.
        """
        self.settings = settings
        given = agent_named(settings.agent, settings.game) if agent is None else agent
        self.agent = as_agent(given, settings.game).for_match()
        self.title, self.person = title or settings.agent, person
        self.finished: list[FinishedDeal] = []
        self.version = 0
        self.earlier: schema.Earlier | None = None
        self._begin(deal or TableDeal.at_address(settings.game, settings.seed, 0))

    def _begin(self, deal: TableDeal) -> None:
        self.deal, self.salt, self.assisted = deal, new_salt(), False
        self.hint: schema.Hint | None = None
        self.recalled: tuple[int, ...] | None = None

    @property
    def names(self) -> tuple[str, str]:
        """Names of the players by seat."""
        return (self.person, self.title) if self.settings.seat == 0 else (self.title, self.person)

    @property
    def seat(self) -> int:
        """The person's seat."""
        return self.settings.seat

    @property
    def number(self) -> int:
        """Number of the deal on the table, from 1."""
        return len(self.finished) + (not self.deal.done)

    @property
    def score(self) -> Score:
        """The score after the finished deals."""
        return Score.of(finished.result for finished in self.finished)

    @property
    def winner(self) -> int | None:
        """The seat that has won the match."""
        return self.score.winner(self.settings.match_format)

    @property
    def over(self) -> bool:
        """Whether no further deal follows."""
        one_deal = self.settings.day is not None or self.settings.kind != "play"
        return self.deal.done and (one_deal or self.winner is not None)

    @property
    def commitment(self) -> str:
        """The hash of the deal on the table, which may be shown before it ends."""
        return hashlib.sha256(self._committed().encode()).hexdigest()

    @property
    def disclosure(self) -> str | None:
        """The text of which the commitment is the hash, once the deal is over."""
        return self._committed() if self.deal.done else None

    def _committed(self) -> str:
        return f"{self.salt} {self.deal.dealer} {deck_text(self.deal.deck)}"

    @property
    def can_take_back(self) -> bool:
        """Whether there is an action of the person to take back."""
        return not self.deal.done and self.last_own is not None

    def act(self, action: int) -> None:
        """Play the person's action.

        Raises:
            IllegalAction: if it is not allowed now; the message says why. Nothing has changed.
        """
        reason = refusal_with_choices(self.deal, self.seat, action)
        if reason is None and self.settings.kind == "lesson":
            reason = lesson_refusal(self.deal, action)
        if reason is not None:
            raise IllegalAction(reason)
        self.deal.play(action)
        self._has_changed()

    @property
    def waits_for_agent(self) -> bool:
        """Whether it is the agent's turn."""
        return self.deal.turn == 1 - self.seat

    def agent_acts(self) -> int | None:
        """Let the agent act once and return its action; ``None`` if it loses the deal instead.

        An agent does that by raising ``AgentForfeit``, as a bot in another process that is late or has crashed.

        Raises:
            Conflict: if it is not the agent's turn.
        """
        if not self.waits_for_agent:
            raise Conflict("It is not the agent's turn.")
        action = play_action(self.agent, self.deal, self.settings.seed, len(self.finished))
        self._has_changed()
        return action

    def agent_forfeits(self, reason: str) -> None:
        """Let the agent lose the deal by the largest margin, because it cannot act.

        Raises:
            Conflict: if it is not the agent's turn.
        """
        if not self.waits_for_agent:
            raise Conflict("It is not the agent's turn.")
        self.deal.lose(self.deal.turn, reason)
        self._has_changed()

    def reply(self) -> None:
        """Let the agent act until it is the person's turn or the deal is over."""
        while self.waits_for_agent:
            self.agent_acts()

    def _has_changed(self) -> None:
        self.hint = None
        self.version += 1
        self.close_deal()

    def close_deal(self) -> None:
        """Count the deal on the table if it is over."""
        if self.deal.done and not (self.finished and self.finished[-1].deal is self.deal):
            time = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            self.finished.append(FinishedDeal(self.deal, self.salt, self.assisted, time, self.recalled))

    def ask(self, advise: Callable[[TableDeal], schema.Hint]) -> schema.Hint:
        """Return a hint for the person's decision, and mark the deal as assisted.

        Args:
            advise: makes the hint, from what the seat to act knows.

        Raises:
            Conflict: if the person is not to act.
        """
        if self.deal.turn != self.seat:
            raise Conflict("There is nothing to decide now.")
        if self.hint is None:
            self.hint = advise(self.deal)
            self.version += 1
        self.assisted = True
        return self.hint

    @property
    def can_recall(self) -> bool:
        """Whether it is time for the memory quiz: which cards does the opponent hold?"""
        return self.settings.kind == "play" and self.recalled is None and is_quiz_time(self.deal, self.seat)

    def recall(self, cards: Sequence[int]) -> None:
        """Answer the memory quiz.

        Args:
            cards: as many cards as the opponent holds.

        Raises:
            Conflict: if it is not the time for it.
            ValueError: if these are not as many different cards.
        """
        if not self.can_recall:
            raise Conflict("There is no quiz now.")
        _, held = score(self.deal, self.seat, cards)
        if len(set(cards)) != held or len(cards) != held:
            raise ValueError(must_be("cards", f"{held} different cards", len(set(cards))))
        self.recalled = tuple(cards)
        self.version += 1

    def take_back(self) -> None:
        """Go back to the person's last decision of this deal, and mark the deal as assisted.

        Raises:
            Conflict: if there is none, or the deal is over.
        """
        if self.deal.done:
            raise Conflict("The deal is over: nothing can be taken back.")
        step = self.last_own
        if step is None:
            raise Conflict("You have not played yet: there is nothing to take back.")
        self.deal.go_back(step)
        self.hint, self.assisted = None, True
        if quiz_step(self.deal, self.seat) is None:
            self.recalled = None
        self.version += 1

    @property
    def last_own(self) -> int | None:
        """The person's last action of this deal, counted from 0; ``None`` if there is none."""
        steps = range(len(self.deal.actions) - 1, -1, -1)
        return next((step for step in steps if self.deal.actor(step) == self.seat), None)

    def next_deal(self) -> None:
        """Deal the next deal of the match.

        Raises:
            Conflict: if this deal is not over, or no further deal follows.
        """
        if not self.deal.done:
            raise Conflict("This deal is not over yet.")
        if self.over:
            raise Conflict("No further deal follows.")
        self._begin(TableDeal.at_address(self.settings.game, self.settings.seed, len(self.finished)))
        self.version += 1

    def recording(self, place: int, names: tuple[str, str] | None = None, *, address: bool = False) -> Recording:
        """Return a finished deal as a recording.

        Args:
            place: which one, from 0.
            names: names of the players by seat; by default the agent's specification, and ``you``.
            address: write the deal's address instead of its cards. It would tell the deals to come.
        """
        spec = self.settings.agent
        given = names or (("you", spec) if self.seat == 0 else (spec, "you"))
        return self.finished[place].deal.recording(given, (self.settings.seed, place) if address else None)
