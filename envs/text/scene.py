"""What there is to see of a deal, open or from one seat: the facts that the text and the drawn table both show."""

from __future__ import annotations

from typing import Any, NamedTuple

from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state_kernels import DRAFT, ENDGAME, EXCHANGE, FOREPLAY, PICK, PICK_AFTER, PLAY
from german_whist.envs.simulator.batch import DealBatch

PLAYERS = ("player_0", "player_1")

_CHOICES = {
    PICK: "picks an open card",
    PICK_AFTER: "takes one of the open cards left",
    DRAFT: "takes the open card, or leaves it",
    EXCHANGE: "keeps the hand, or swaps it for a blind one",
}
_AFTER_TRICK = (PICK, PICK_AFTER, DRAFT)


class Player(NamedTuple):
    """One player as a watcher sees him.

    Attributes:
        seat: 0 or 1.
        name: what he is called.
        hand: the cards he holds that the watcher may see, as a mask.
        hidden: how many more he holds.
        turn: whether he is to act.
        dealer: whether he dealt.
        tricks: tricks won in the foreplay and in the endgame.
        counted: tricks won that count.
        score: his score in the match, ``None`` where the deal is not one of a match.
        swapped: in humbug, whether he swapped his hand; ``None`` before he chose, and in other games.
        voids: (suit, trick) where he showed a void, when only what a seat saw is told; suits from spades down.
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
    """One deal as a watcher sees it.

    Attributes:
        rules: the rules of the deal.
        seat: whose view it is, ``None`` when both hands are open.
        near: the player at the bottom.
        far: the player at the top.
        trump: suit, −1 for none.
        low: whether the fewest counted tricks win.
        stage: ``FOREPLAY`` or ``ENDGAME``.
        trick: number of the trick being played, from 1; the last one played when a choice follows it or all is over.
        stock: cards left in the stock, the open ones included.
        face_up: the open cards of the stock, lowest first.
        led: card led to the trick, −1 when there is none.
        leader: seat that led it, −1 when there is none.
        choice: what the player to act decides, in words, when it is not a card from his hand; else empty.
        out: cards the watcher knows to be out of play (humbug), as a mask.
        done: whether the deal is over.
        winner: seat that won, −1 for a draw or while the deal goes on.
        result: how it ended, in words; empty while it goes on.
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
    choice: str
    out: int
    done: bool
    winner: int
    result: str


def see(
    batch: DealBatch,
    row: int = 0,
    seat: int | None = None,
    names: tuple[str, str] = PLAYERS,
    scores: tuple[float, float] | None = None,
) -> Scene:
    """Return what there is to see of one deal of a batch.

    Args:
        batch: the deals.
        row: which of them.
        seat: whose view it is; both hands are open by default.
        names: what seats 0 and 1 are called.
        scores: the seats' scores where the deal is one of a match.

    Raises:
        ValueError: when there is no such row or seat.
    """
    if not 0 <= row < batch.size:
        raise ValueError(f"row {row!r} is not allowed: 0 to {batch.size - 1}")
    if seat not in (None, 0, 1):
        raise ValueError(f"seat {seat!r} is not allowed: 0, 1 or None")
    near_seat = seat or 0
    own, other = batch.views(rows=[row, row], seats=[near_seat, 1 - near_seat])
    rules, done = batch.rules, bool(batch.done[row])
    decision, turn = int(batch.states["decision"][row]), int(batch.turn[row])
    watcher = None if seat is None else own
    near = _player(rules, near_seat, names, scores, own, None, decision)
    far = _player(rules, 1 - near_seat, names, scores, other, watcher, decision)
    won = int(own["tricks_self"].sum() + own["tricks_opponent"].sum())
    between = done or decision in _AFTER_TRICK
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
        choice="" if decision == PLAY or done else f"{names[turn]} {_CHOICES[decision]}",
        out=int(own["out"] | other["out"]) if seat is None else int(own["out"]),
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
    watcher: Any,
    decision: int,
) -> Player:
    """Return a player from his own view; ``watcher`` is the other seat's when only what it saw may be told."""
    hand = int(view["hand"] if watcher is None else watcher["opponent_known"])
    tricks = (int(view["tricks_self"][FOREPLAY]), int(view["tricks_self"][ENDGAME]))
    chosen = decision != EXCHANGE or not (view["turn"] or view["dealer"])
    voids = [] if watcher is None else [(suit, int(watcher["void_opponent"][suit])) for suit in (3, 2, 1, 0)]
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
    words = f"{won.name} wins {won.counted} to {lost.counted}"
    if batch.states["low"][row]:
        words += ", played low"
    points = abs(float(batch.returns("points")[row, 0]))
    return f"{words}, for {points:g} {'point' if points == 1 else 'points'}"
