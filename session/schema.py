"""The plain data that sessions give to interfaces, one type for each object.

mypy checks what builds them. The web API sends them as JSON: the page's types (``web/static/js/types.js``) and the
reference page are generated from here.
"""

# Annotations are types here, not text: on Python 3.14, msgspec looks up names of inherited text in the wrong module.
from typing import Literal, TypedDict

from german_whist.agents.judge import Label
from german_whist.envs.text.events import EventKind

Side = Literal["you", "opponent"]
Stage = Literal["foreplay", "endgame"]
DecisionKind = Literal["card", "pick", "take_or_leave", "keep_or_swap"]
SessionKind = Literal["play", "practice", "recording", "lesson"]


class Scoring(TypedDict):
    """A way to score a game."""

    id: str  # its name in the catalogue
    title: str  # its name for people
    rules: str  # what a new session takes as `rules`
    agents: list[str]  # specifications of the agents that can play it; not every network plays every scoring


class GameEntry(TypedDict):
    """A game of the catalogue."""

    id: str  # name of the preset
    title: str  # its name for people
    summary: str  # what it is, in one line
    rules: str  # the whole rules in words, lines of at most 100 characters
    hand: int  # cards of a hand
    stock: int  # cards of the stock
    cards: int  # cards of the deck
    choices: bool  # whether there are decisions other than cards from the hand
    scorings: list[Scoring]  # its scorings; the first is the preset's own
    agents: list[str]  # specifications of the agents that can play it, the easiest first


class AgentEntry(TypedDict):
    """An agent of the catalogue."""

    spec: str  # its specification
    title: str  # its name for people
    level: str  # how hard it is
    strength: dict[str, str]  # how strong it is, as a sentence by game, where it was measured
    accuracy: float  # its accuracy in classic, measured as yours is
    description: str  # what it does


class MatchEntry(TypedDict):
    """A match of the catalogue."""

    match: str | None  # its specification; `null` for deal after deal without end
    title: str  # its name for people


class HandCard(TypedDict):
    """A card of your hand."""

    card: str
    name: str
    playable: bool  # whether you may play it now
    reason: str | None  # why not, as a sentence; `null` if you may
    seen: bool  # whether the opponent saw you take it


class LedCard(TypedDict):
    """The card led to a trick."""

    card: str
    name: str
    by: Side  # who led it


class OpponentHand(TypedDict):
    """What you know of the opponent's hand."""

    cards: int  # number of cards
    known: list[str]  # the cards that you have seen it take and not play
    voids: dict[str, int]  # suits in which it was void, and the last trick that showed it


class Tricks(TypedDict):
    """The tricks of a side."""

    foreplay: int  # those of the foreplay
    endgame: int  # those of the endgame
    counted: int  # those that count


class NamedAction(TypedDict):
    """An action."""

    action: str
    name: str


class Decision(TypedDict):
    """What you have to decide."""

    kind: DecisionKind  # what is chosen; in `pick` the actions are face-up cards
    text: str  # the same as a sentence
    actions: list[NamedAction]  # all legal actions


class LastTrick(TypedDict):
    """The last complete trick."""

    number: int  # its number, from 1
    leader: Side  # who led
    winner: Side  # who won it
    cards: dict[Side, str]  # the cards played
    takes: dict[Side, str | None]  # the cards that it brought from the stock; `null`: none, not yet, or not seen by you


class Outcome(TypedDict):
    """How a deal ended."""

    text: str  # in words, as `You win 8 to 5`
    winner: Side | None  # who won; `null` for a draw
    margin: int  # your counted tricks minus the opponent's
    points: float  # the winner's points


class Result(Outcome):
    """The result of a deal."""

    tricks: dict[Side, int]  # the counted tricks


class OpenCards(TypedDict):
    """The cards that are left when a deal is over."""

    you: list[str]  # your hand
    opponent: list[str]  # the opponent's hand
    stock: list[str]  # the stock, the next card first


class Visible(TypedDict):
    """What you see of the table at any moment."""

    stage: Stage
    trick: int  # number of the current trick, from 1
    stock: int  # cards left, the face-up ones included
    face_up: list[str]  # the face-up cards of the stock
    opponent: OpponentHand  # what you know of the opponent's hand
    tricks: dict[Side, Tricks]  # the tricks won so far
    turn: Side | None  # who is to act; `null`: the deal is over, or a trick is being finished
    last_trick: LastTrick | None  # the last complete trick; `null` before the first
    exchanged: dict[Side, bool | None]  # humbug: whether the hand was swapped; `null`: not decided, or another game


class Table(Visible):
    """What you saw of the table after an event."""

    hand: list[str]  # your hand, spades hearts diamonds clubs, each from high to low
    cards: dict[Side, str | None]  # the cards of the current trick; the last one lies there until the next event
    winner: Side | None  # who wins it, once both cards lie there


class Position(Visible):
    """A deal as you see it."""

    trump: str | None  # the trump suit; `null`: no trumps
    low: bool  # whether the fewest tricks win
    led: LedCard | None  # the card led to the current trick
    hand: list[HandCard]  # your hand, spades hearts diamonds clubs, each from high to low
    decision: Decision | None  # what you have to decide; `null` unless it is your turn
    played: dict[Side, list[str]]  # the cards played, in order
    discarded: list[str]  # humbug: cards that you know to be out of play
    result: Result | None  # the result, after the deal
    open: OpenCards | None  # the cards left, after the deal


class GameEvent(TypedDict):
    """Something that happened in a deal."""

    number: int  # counts from 0 within the deal; after a take-back the list is shorter
    kind: EventKind  # what happened
    by: Side | None  # who did it
    card: str | None  # the card, if there is one and you saw it
    trump: bool  # whether the card is of the trump suit
    trick: int  # number of the trick, from 1; 0 before the first
    text: str  # the event as a sentence
    # what you saw of the table after it; `null` in events before your last action
    table: Table | None


class Option(TypedDict):
    """A legal action and what it is worth."""

    action: str
    name: str
    tricks: float  # expected tricks of yours that count; in a deal played low, fewer are better
    tricks_given_away: float  # how many that loses against the advised action, at least 0
    win: float  # chance to win the deal; a draw counts half
    label: Label  # how good it is, beyond the noise of the estimates
    trick: float | None  # chance to win this trick; `null` if unknown
    text: str  # the tricks in words


class Holding(TypedDict):
    """What the opponent may hold of a suit."""

    expected: float  # expected number of cards
    void: float  # chance that it has none


class Hint(TypedDict):
    """What the strongest agent would play."""

    # who advises: specification of the hardest level; `exact` where both hands are known, `rollouts` where no agent can
    # judge
    by: str
    by_title: str  # the same for people
    by_text: str  # where the advice comes from and what it is after, as a sentence
    action: str  # the advised action
    name: str
    reason: str  # why, as a sentence
    exact: bool  # whether the values are exact results, not estimates
    win: float  # chance to win the deal with the advised action; a draw counts half
    options: list[Option]  # every legal action: the advised one, then the others from the best to the worst
    opponent: dict[str, Holding] | None  # what the opponent may hold, by suit; `null` where its hand is known
    opponent_hand: list[str] | None  # the opponent's hand where you know it, else `null`


class Lesson(TypedDict):
    """What the teacher says."""

    step: int  # number of this step, from 1
    steps: int  # number of steps
    text: str  # explains the position
    # the actions that it asks for; `null`: any. Another one is refused as `illegal_action`, with a hint
    wanted: list[str] | None
    done: bool  # whether the lesson is over


class Earlier(TypedDict):
    """What a deal brought before, in practice."""

    text: str  # the result in words
    swapped: bool  # whether you had the other hand then
    session: str | None  # id of the session in which it was played; `null` if unknown
    deal: int  # its number there, from 1
    move: int | None  # number of the decision from which it goes on; `null`: from the start


class RecalledCard(TypedDict):
    """A card of a memory quiz: the opponent held it, or you thought so."""

    card: str
    name: str
    held: bool  # whether the opponent held it
    recalled: bool  # whether you named it
    reason: str  # how you could know, as a sentence


class Recall(TypedDict):
    """Your answer to the memory quiz: which cards does the opponent hold when the stock is gone?"""

    right: int  # how many of your cards it held
    held: int  # how many it held
    cards: list[RecalledCard] | None  # what they were, after the deal; `null` before


class Move(TypedDict):
    """A reviewed move."""

    number: int  # its number, from 1
    trick: int  # number of its trick, from 1
    stage: Stage  # the stage of the deal
    by: Side  # who made it
    action: str
    name: str
    text: str  # the move as a sentence
    best: str  # the best action; the move's own unless that gave something away that is worth speaking of
    best_name: str
    label: Label  # how good the move was, by what could be known
    tricks_given_away: float  # tricks that it gave away against the advised action, by what could be known
    win_given_away: float  # the same in chance to win
    exact: bool  # whether the values are exact results, not estimates
    judge: str  # who judges, as `by` in a hint
    judge_title: str  # the same for people
    reason: str  # why the best action is the best, as a sentence
    options: list[Option]  # every legal action, as in a hint
    line: list[str]  # perfect play from here, where the values are exact and another action was better; else empty


class Swing(TypedDict):
    """A change of your chance to win that you did not cause: by the cards, or by what the opponent played."""

    move: int  # number of moves played when you saw what had changed
    change: float  # by how much your chance changed
    text: str  # what happened, as a sentence


class OpenPosition(TypedDict):
    """A position of a finished deal, all cards open."""

    you: list[str]  # your hand
    opponent: list[str]  # the opponent's hand
    face_up: list[str]  # the face-up cards of the stock
    stock: list[str]  # its face-down cards, the next first
    led: LedCard | None  # the card led to the current trick
    turn: Side | None  # who is to act; `null`: the deal is over
    tricks: dict[Side, int]  # all tricks won so far
    score: dict[Side, int]  # those that count


class DealReview(TypedDict):
    """A finished deal, every decision judged."""

    seat: int  # your seat
    trump: str | None  # the trump suit; `null`: no trumps
    low: bool  # whether the fewest tricks win
    names: dict[Side, str]  # names of the players
    result: Result
    accuracy: dict[Side, float | None]  # accuracy of the decisions, 0 to 100; `null`: nothing was at stake
    plays_like: dict[Side, str | None]  # the level of the catalogue whose accuracy is nearest; `null` but in classic
    tricks_given_away: dict[Side, float]  # the sum over the moves of a side
    tricks_at_stake: dict[Side, float]  # tricks that average actions would have given away
    par: Result  # how the deal ends when the strongest network plays both hands
    win_curve: list[float]  # your chance to win: before move 1, then after each move
    swings: list[Swing]  # its largest changes that you did not cause, at most three, in order
    moves: list[Move]
    mistakes: list[int]  # numbers of your biggest mistakes, at most three, the biggest first
    positions: list[OpenPosition]  # before move 1, then after each move


class Compared(TypedDict):
    """Counted tricks with your cards."""

    you: int  # those that you took
    agent: int  # those that the agent takes


class WatchMove(TypedDict):
    """A move of the agent with your cards, or of its opponent."""

    number: int  # its number, from 1
    by: Side  # who made it, `you` being your seat
    action: str
    name: str
    text: str  # the move as a sentence
    yours: str | None  # what was played in your deal, while the deals were the same, else `null`


class Watch(TypedDict):
    """What the agent makes of your cards against itself, or perfect play from a decision on."""

    title: str  # what plays both hands
    names: dict[Side, str]  # names of the players
    trump: str | None  # the trump suit; `null`: no trumps
    recording: str  # the deal as a recording
    result: Result  # the result, `you` being your seat
    compare: Compared  # tricks with your cards
    moves: list[WatchMove]
    positions: list[OpenPosition]  # before the first of these moves, then after each


class Streak(TypedDict):
    """Deals won in a row."""

    now: int
    longest: int  # the most there have been


class DealGroup(TypedDict):
    """The deals of one game against one agent; those with hints or take-backs apart."""

    rules: str  # specification of the rules
    agent: str  # specification of the agent
    assisted: bool  # whether a hint was asked for or an action taken back
    deals: int  # number of deals
    won: int  # those won
    drawn: int  # those drawn
    lost: int  # those lost
    tricks: float  # mean of your counted tricks; in a deal played low, those of the opponent
    accuracy: float | None  # accuracy of your decisions in all of them, 0 to 100; `null` until a deal is reviewed
    plays_like: str | None  # the level of the catalogue whose accuracy is nearest; `null` but in classic
    luck: float | None  # the mean that the agents take of the same cards; `null` until a deal is rated
    skill: float | None  # how many more you took; `null` until a deal is rated
    slams: int  # deals in which you took every counted trick
    streak: Streak  # deals won in a row


class MatchGroup(TypedDict):
    """The matches of one game against one agent."""

    rules: str  # specification of the rules
    agent: str  # specification of the agent
    match: str  # specification of the match
    assisted: bool  # whether you were helped in at least one deal
    won: int  # matches won
    lost: int  # matches lost


class RecentDeal(TypedDict):
    """A deal of the statistics."""

    time: str  # when it ended, ISO 8601 in UTC
    rules: str  # specification of the rules
    agent: str  # specification of the agent
    margin: int  # your margin
    points: float  # your points; the opponent's are negative
    slam: bool  # whether you took every counted trick
    assisted: bool  # whether a hint was asked for or an action taken back
    accuracy: float | None  # accuracy of your decisions, 0 to 100; `null` until it is reviewed
    day: str | None  # date of the deal of the day


class Memory(TypedDict):
    """What the memory quizzes brought."""

    deals: int  # deals with a quiz
    share: float  # share of the opponent's cards that were named, 0 to 1
    perfect: int  # quizzes without an error


class Statistics(TypedDict):
    """The statistics of a person."""

    deals: int  # number of deals
    since: str | None  # date of the first one
    groups: list[DealGroup]  # the deals by game and agent
    matches: list[MatchGroup]  # the matches by game, agent and match
    streak: Streak  # deals won in a row without help
    accuracy: float | None  # accuracy of your decisions without help in classic, 0 to 100; `null` until one is reviewed
    plays_like: str | None  # the level of the catalogue whose accuracy is nearest, for people
    memory: Memory | None  # the memory quizzes; `null` before the first
    recent: list[RecentDeal]  # the last 100 deals, oldest first
