"""The JSON of the web API: what the page asks for, and what it gets. Data of one deal are in ``session/schema.py``.

msgspec checks requests when they arrive; mypy checks what builds the answers. ``web/static/js/types.js`` and the
reference page are generated from both files.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from msgspec import Meta, Struct

from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.session.schema import (
    AgentEntry,
    DealReview,
    Earlier,
    GameEntry,
    GameEvent,
    Hint,
    Lesson,
    MatchEntry,
    Outcome,
    Position,
    Recall,
    SessionKind,
    Side,
)
from german_whist.session.shared_deals import MAX_TEXT

ErrorCode = Literal[
    "bad_request",
    "illegal_action",
    "forbidden",
    "not_found",
    "method_not_allowed",
    "conflict",
    "too_large",
    "unsupported_type",
    "too_many",
    "server_error",
    "insufficient_storage",
]
MAX_WORD = 200  # letters of a text in a request, but recordings
Word = Annotated[str, Meta(max_length=MAX_WORD)]


class Body(Struct, forbid_unknown_fields=True, frozen=True):
    """A request's body. Unknown fields are refused."""


class EmptyBody(Body, frozen=True):
    """A body without fields."""


class CreateBody(Body, frozen=True):
    """What to play. Fields that are left out, or ``null``, take their defaults."""

    rules: Word | None = None  # specification of the rules; by default those of the command line
    # specification of the agent; by default that of the command line, else the strongest network
    agent: Word | None = None
    match: Word | None = None  # specification of the match; by default deal after deal without end
    seed: int | None = None  # seed of the deals; by default a random one
    seat: int | None = None  # your seat; 0 deals the first deal, 1 the second. By default a random one
    # date of the deal of a day, as `2026-11-21`: one classic deal, the same for all. Only `agent` goes with it
    day: Word | None = None


class VersionBody(Body, frozen=True):
    """A change of a session."""

    version: int  # the version of the session that you have seen


class ActionBody(VersionBody, frozen=True):
    """An action."""

    action: Word


class DealBody(Body, frozen=True):
    """A finished deal."""

    deal: int | None = None  # its number, from 1; by default the last one


class WatchBody(DealBody, frozen=True, kw_only=True):
    """A finished deal, or how it goes on with perfect play."""

    # number of a decision at which both hands are known, for perfect play from there; by default the agent plays it all
    move: int | None = None


class RecallBody(VersionBody, frozen=True):
    """The answer to the memory quiz."""

    cards: Annotated[list[Word], Meta(max_length=NUM_CARDS)]  # those that the opponent holds


class TryBody(DealBody, frozen=True, kw_only=True):
    """Another action in a finished deal."""

    move: int  # number of the decision, from 1; it has to be yours
    action: Word  # an action that was legal there


class RecordingBody(Body, frozen=True):
    """Recorded deals."""

    recording: Annotated[str, Meta(max_length=MAX_TEXT)]  # lines of recordings, or the code of a link
    seat: int | None = None  # who is `you`; by default the player of that name, else 0


class Error(TypedDict):
    """What went wrong."""

    code: ErrorCode  # for programs
    message: str  # for people


class Defaults(TypedDict):
    """What the page proposes at first."""

    rules: str  # specification of the rules
    agent: str  # specification of the agent
    match: str | None  # specification of the match


class Catalog(TypedDict):
    """What can be played."""

    version: str  # version of the package
    games: list[GameEntry]
    agents: list[AgentEntry]  # the agents, from the easiest to the hardest
    matches: list[MatchEntry]  # suggestions: any `first_to:1` to `first_to:1000` and odd `best_of:N` is allowed
    defaults: Defaults  # those of the command line
    today: str  # the date of the deal of the day


class Game(TypedDict):
    """The rules of a session in figures."""

    title: str  # their name for people
    text: str  # the whole rules in words
    hand: int  # cards of a hand
    stock: int  # cards of the stock
    foreplay: int  # tricks of the foreplay
    tricks: int  # tricks of a deal
    counts: Literal["endgame", "all"]  # which tricks count
    counted: int  # how many count
    race: int  # tricks that win the deal at once; 0: it is no race
    suits: str  # the suits, as `CDHS`
    open_stock: int  # face-up cards of the stock
    choices: bool  # whether there are decisions other than cards from the hand


class Agent(TypedDict):
    """The agent of a session."""

    spec: str  # its specification
    title: str  # its name for people


class Match(TypedDict):
    """The match of a session."""

    format: str | None  # its specification; `null`: no end
    title: str  # its name for people
    target: int | None  # what wins it; `null`: no end
    score: dict[Side, float]  # points, or deals won in `best_of`
    deals_won: dict[Side, int]  # deals won
    deals_drawn: int  # deals drawn
    deals: int  # deals finished
    winner: Side | None  # who has won it


class FinishedDeal(Outcome):
    """A finished deal of a session."""

    deal: int  # its number, from 1
    assisted: bool  # whether a hint was asked for or an action taken back


class Disclosure(TypedDict):
    """What a deal was committed to."""

    salt: str  # 32 random bytes in hexadecimal
    deck: str  # the cards in dealing order
    text: str  # `SALT DEALER DECK`, of which the commitment is the hash


class Deal(TypedDict):
    """The deal on the table."""

    number: int  # its number, from 1
    seat: int  # your seat
    dealer: Side  # who dealt
    assisted: bool  # whether a hint was asked for or an action taken back
    commitment: str  # SHA-256 of the disclosed text, in hexadecimal
    disclosure: Disclosure | None  # what it was committed to, after the deal


class Can(TypedDict):
    """What can be asked for now."""

    act: bool  # an action
    hint: bool  # a hint
    take_back: bool  # a take-back
    next: bool  # the next deal
    recall: bool  # the answer to the memory quiz
    review: bool  # a review
    swap: bool  # swap, try and watch; never in a lesson


class SessionState(TypedDict):
    """A session without its id."""

    version: int  # number of changes so far
    kind: SessionKind  # `practice` comes of try and swap, `recording` is read only
    title: str  # its name for people
    rules: str  # specification of the rules
    game: Game  # the rules in figures
    agent: Agent
    day: str | None  # date of the deal of the day
    match: Match
    deals: list[FinishedDeal]  # the finished deals
    deal: Deal  # the deal on the table
    position: Position  # the deal as you see it
    events: list[GameEvent]  # what happened in this deal, all of it, oldest first
    can: Can  # what can be asked for now
    earlier: Earlier | None  # practice: what this deal brought before
    hint: Hint | None  # the hint for this position, once it was asked for
    recall: Recall | None  # your answer to the memory quiz of this deal
    lesson: Lesson | None  # what the teacher says, in a lesson


class Session(SessionState):
    """A table: a person against an agent."""

    id: str  # its name in addresses, random


class ErrorAnswer(TypedDict):
    """The answer to a request that failed."""

    error: Error  # what went wrong
    session: NotRequired[Session]  # the session as it is now, where the version was stale


class ListedSession(TypedDict):
    """A session of the list, in a few fields."""

    id: str  # its name in addresses
    kind: SessionKind
    title: str  # its name for people
    rules: str  # specification of the rules
    agent: str  # specification of the agent
    match: str | None  # specification of the match
    day: str | None  # date of the deal of the day
    updated: str  # when it was last changed, ISO 8601 in UTC
    finished: bool  # whether no further deal follows
    in_play: bool  # whether a deal is not over


class Sessions(TypedDict):
    """The sessions played last."""

    sessions: list[ListedSession]  # the last one first


class Review(DealReview):
    """A finished deal of a session, every decision judged."""

    deal: int  # its number, from 1
    rules: str  # specification of the rules
    agent: Agent


class Recording(TypedDict):
    """Finished deals to share."""

    recording: str  # lines of recordings
    code: str  # the same in letters, digits, `-` and `_`, for a link


class Nothing(TypedDict):
    """An object without fields."""
