"""Scenes: a deal as one seat sees it, or with both hands open, for text and pictures."""

from __future__ import annotations

from typing import Any, NamedTuple

from german_whist.game.cards import cards_of
from german_whist.game.rules import Rules
from german_whist.game.state import DRAFT, ENDGAME, EXCHANGE, FOREPLAY, PICK, PICK_AFTER, PLAY
from german_whist.game.utils.checks import check_int
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.text.words import count_text

PLAYERS = ("player_0", "player_1")
YOU = "You"  # the name of a player who is addressed in the second person

_NON_CARD_DECISIONS = {
    PICK: "pick{s} an open card",
    PICK_AFTER: "take{s} one of the open cards left",
    DRAFT: "take{s} the open card, or leave{s} it",
    EXCHANGE: "keep{s} the hand, or swap{s} it for a blind one",
}


def clause(name: str, words: str) -> str:
    """Return a clause with a player as its subject.

    Args:
        name: the player's name; ``You`` takes the second person.
        words: the rest, with ``{s}`` where the verb ends in the third person: ``"play{s} the ace of spades"``.
    """
    return f"{name} {words.format(s='' if name == YOU else 's')}"


class Player(NamedTuple):
    """One player in a scene.

    Attributes:
        seat: 0 or 1.
        name: the player's name.
        hand: the visible cards of the hand, as a mask.
        hidden: number of cards in the hand that are not visible.
        turn: whether the player is to act.
        dealer: whether the player dealt.
        tricks: tricks won in the foreplay and in the endgame.
        counted: counted tricks won.
        score: the score in the match; ``None`` if the deal is not part of one.
        swapped: in humbug, whether the player swapped hands; ``None`` before the choice, and in other games.
        voids: (suit, trick) of each void shown, spades first; empty in an open scene.
    """

    seat: int
    name: str
    hand: int
    hidden: int
    turn: bool
    dealer: bool
    tricks: tuple[int, int]
    counted: int
    score: float | None
    swapped: bool | None
    voids: tuple[tuple[int, int], ...]


class Scene(NamedTuple):
    """One deal as seen by one seat, or with both hands visible.

    Attributes:
        rules: the rules of the deal.
        seat: the seat whose view it is; ``None`` if both hands are visible.
        near: the player at the bottom.
        far: the player at the top.
        trump: suit, −1 for none.
        low: whether the fewest counted tricks win.
        stage: ``FOREPLAY`` or ``ENDGAME``.
        trick: number of the current trick, from 1; that of the last trick during a choice after it and when the deal
            is over.
        stock: cards left in the stock, including the face-up ones.
        face_up: the face-up cards of the stock, lowest first.
        led: the card led to the trick, −1 for none.
        leader: the seat that led it, −1 for none.
        non_card_decision: the decision in words; empty if it is a card from the hand.
        discarded: cards known to be out of play (humbug), as a mask.
        done: whether the deal is over.
        winner: the seat that won; −1 for a draw or an unfinished deal.
        result: the result in words; empty for an unfinished deal.
    """

    rules: Rules
    seat: int | None
    near: Player
    far: Player
    trump: int
    low: bool
    stage: int
    trick: int
    stock: int
    face_up: tuple[int, ...]
    led: int
    leader: int
    non_card_decision: str
    discarded: int
    done: bool
    winner: int
    result: str


def scene_of(
    batch: DealBatch,
    row: int = 0,
    seat: int | None = None,
    names: tuple[str, str] = PLAYERS,
    scores: tuple[float, float] | None = None,
) -> Scene:
    """Return the scene of one deal of a batch.

    Args:
        batch: the deals.
        row: the row of the deal.
        seat: the seat whose view to return; by default both hands are visible.
        names: the names of seats 0 and 1.
        scores: the match scores of seats 0 and 1, if the deal is part of a match.

    Raises:
        ValueError: if there is no such row or seat.
    """
    row = check_int("row", row, 0, batch.size - 1)
    if seat not in (None, 0, 1):
        raise ValueError(f"seat must be 0, 1 or None, got {seat!r}")
    near_seat = seat or 0
    own, other = batch.views(rows=[row, row], seats=[near_seat, 1 - near_seat])
    rules, done = batch.rules, bool(batch.done[row])
    decision, turn = int(batch.states["decision"][row]), int(batch.turn[row])
    observer = None if seat is None else own
    near = _player(rules, near_seat, names, scores, own, None, decision)
    far = _player(rules, 1 - near_seat, names, scores, other, observer, decision)
    won = int(own["tricks_self"].sum() + own["tricks_opponent"].sum())
    between = done or decision not in (PLAY, EXCHANGE)
    winner = _winner(near, far, bool(own["low"])) if done else -1
    return Scene(
        rules=rules,
        seat=seat,
        near=near,
        far=far,
        trump=int(own["trump"]),
        low=bool(own["low"]),
        stage=FOREPLAY if own["stock"] else ENDGAME,
        trick=won if between else won + 1,
        stock=int(own["stock"]),
        face_up=tuple(cards_of(own["face_up"])),
        led=int(own["led"]),
        leader=1 - turn if own["led"] >= 0 else -1,
        non_card_decision="" if decision == PLAY or done else clause(names[turn], _NON_CARD_DECISIONS[decision]),
        discarded=int(own["discarded"] | other["discarded"]) if seat is None else int(own["discarded"]),
        done=done,
        winner=winner,
        result=_result(batch, row, near, far, winner) if done else "",
    )


def _player(
    rules: Rules,
    seat: int,
    names: tuple[str, str],
    scores: tuple[float, float] | None,
    view: Any,
    observer: Any,
    decision: int,
) -> Player:
    """Return a player from its own view; ``observer`` is the view of the other seat if the scene is that seat's."""
    hand = int(view["hand"] if observer is None else observer["opponent_known"])
    tricks = (int(view["tricks_self"][FOREPLAY]), int(view["tricks_self"][ENDGAME]))
    chosen = decision != EXCHANGE or not (view["turn"] or view["dealer"])
    voids = [] if observer is None else [(suit, int(observer["void_opponent"][suit])) for suit in (3, 2, 1, 0)]
    return Player(
        seat=seat,
        name=names[seat],
        hand=hand,
        hidden=int(view["hand"]).bit_count() - hand.bit_count(),
        turn=bool(view["turn"]),
        dealer=bool(view["dealer"]),
        tricks=tricks,
        counted=sum(tricks) if rules.counts == "all" else tricks[ENDGAME],
        score=None if scores is None else scores[seat],
        swapped=bool(view["exchanged_self"]) if rules.humbug and chosen else None,
        voids=tuple(void for void in voids if void[1]),
    )


def _winner(near: Player, far: Player, low: bool) -> int:
    if near.counted == far.counted:
        return -1
    return near.seat if (near.counted > far.counted) != low else far.seat


def _result(batch: DealBatch, row: int, near: Player, far: Player, winner: int) -> str:
    if winner < 0:
        return f"{near.counted} to {far.counted}, a draw"
    won, lost = (near, far) if winner == near.seat else (far, near)
    words = clause(won.name, f"win{{s}} {won.counted} to {lost.counted}")
    if batch.states["low"][row]:
        words += ", played low"
    points = abs(float(batch.returns("points")[row, 0]))
    return f"{words}, for {count_text(points, 'point')}"
