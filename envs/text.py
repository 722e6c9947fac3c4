"""A deal as text: the table from above with both hands open, or what one seat sees of it."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from german_whist.envs.batch import DealBatch
from german_whist.envs.cards import RANKS, SUIT_SIZE, SUITS, cards_of
from german_whist.envs.names import unknown_name
from german_whist.envs.rules import Rules
from german_whist.envs.state import ENDGAME, FOREPLAY

PLAYERS = ("player_0", "player_1")
RENDER_MODES = ("ansi", "human")

_STAGES = {FOREPLAY: "foreplay", ENDGAME: "endgame"}
_INDENT = " " * 13
_WIDTH = 68


class _Signs(NamedTuple):
    suits: str  # in the order C D H S
    rule: str
    arrow: str
    dot: str


_UNICODE = _Signs("♣♦♥♠", "─", "▶", "·")
_ASCII = _Signs(SUITS, "-", ">", "|")


def check_render_mode(mode: str | None) -> None:
    """Refuse a render mode that does not exist.

    Raises:
        ValueError: when there is no such mode.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise unknown_name("render mode", mode, RENDER_MODES)


def deal_text(batch: DealBatch, row: int = 0, seat: int | None = None, unicode: bool = True) -> str:
    """Return one deal of a batch as a few lines of text.

    Hands stand by suit, S H D C, from high to low. Seat 0 sits at the bottom, or the seat whose view it is.

    Args:
        batch: the deals.
        row: which of them.
        seat: whose view to show: the other hand is then what this seat knows of it. Both hands are open by default.
        unicode: suit symbols and lines; plain ASCII letters when false.

    Raises:
        ValueError: when there is no such row or seat.
    """
    if not 0 <= row < batch.size:
        raise ValueError(f"row {row!r} is not allowed: 0 to {batch.size - 1}")
    if seat not in (None, 0, 1):
        raise ValueError(f"seat {seat!r} is not allowed: 0, 1 or None")
    near = seat or 0
    own, other = batch.views(rows=[row, row], seats=[near, 1 - near])
    signs = _UNICODE if unicode else _ASCII
    game = batch.rules
    rule = signs.rule * _WIDTH
    if seat is None:
        far_hand = _hand(other["hand"], game, signs)
    else:
        far_hand = f"{_hand(own['opponent_known'], game, signs)}+ {_hidden(own)} unseen"
    lines = [
        _header(own, game, signs),
        rule,
        *_player(PLAYERS[1 - near], far_hand, other, own if seat is not None else None, signs),
        "",
        _INDENT + _table(own, near, game, signs),
        "",
        *_player(PLAYERS[near], _hand(own["hand"], game, signs), own, None, signs),
        rule,
    ]
    return "\n".join(line.rstrip() for line in lines)


def print_deal(batch: DealBatch, row: int = 0, seat: int | None = None) -> None:
    """Print one deal of a batch, in plain ASCII where the terminal knows no better."""
    try:
        "".join(_UNICODE).encode(sys.stdout.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        print(deal_text(batch, row, seat, unicode=False))
    else:
        print(deal_text(batch, row, seat))


def _card(card: int, signs: _Signs) -> str:
    suit, rank = divmod(int(card), SUIT_SIZE)
    return signs.suits[suit] + RANKS[rank]


def _hand(mask: int, rules: Rules, signs: _Signs) -> str:
    columns = []
    for suit in reversed(range(rules.suits)):
        ranks = [RANKS[card % SUIT_SIZE] for card in cards_of(mask) if card // SUIT_SIZE == suit]
        columns.append(f"{signs.suits[suit]} {''.join(reversed(ranks)) or '-'}".ljust(11))
    return "".join(columns)


def _hidden(view: Any) -> int:
    """Return how many cards the opponent holds that this seat has not seen."""
    played_more = int(view["played_opponent"]).bit_count() - int(view["played_self"]).bit_count()
    held = int(view["hand"]).bit_count() - played_more
    return held - int(view["opponent_known"]).bit_count()


def _header(view: Any, rules: Rules, signs: _Signs) -> str:
    won = view["tricks_self"] + view["tricks_opponent"]
    stage = _STAGES[FOREPLAY if view["stock"] else ENDGAME]
    trick = min(int(won.sum()) + 1, rules.tricks)
    stock = f"stock {view['stock']}" if view["stock"] else "stock gone"
    return f"German Whist   trumps {signs.suits[view['trump']]}   {stage}, trick {trick} of {rules.tricks}   {stock}"


def _table(view: Any, seat: int, rules: Rules, signs: _Signs) -> str:
    if not view["hand"] and view["led"] < 0:
        return _result(view, seat, rules)
    led = f"{_card(view['led'], signs)} led" if view["led"] >= 0 else "nothing led"
    prize = f"{_card(view['face_up'], signs)} face up" if view["face_up"] >= 0 else ""
    return f"{led.ljust(16)}{prize}"


def _result(view: Any, seat: int, rules: Rules) -> str:
    counted = slice(None) if rules.counts == "all" else slice(ENDGAME, None)
    mine, theirs = int(view["tricks_self"][counted].sum()), int(view["tricks_opponent"][counted].sum())
    if mine == theirs:
        return f"finished: {mine} to {theirs}, a draw"
    winner = PLAYERS[seat if mine > theirs else 1 - seat]
    return f"finished: {winner} wins {max(mine, theirs)} to {min(mine, theirs)}"


def _player(name: str, hand: str, view: Any, watcher: Any, signs: _Signs) -> list[str]:
    """Return a player's two lines; ``watcher`` is the other seat's view when only what it saw may be told."""
    arrow = signs.arrow if view["turn"] else " "
    won = view["tricks_self"]
    notes = ["dealer"] if view["dealer"] else []
    notes.append(f"tricks: foreplay {won[FOREPLAY]}, endgame {won[ENDGAME]}")
    if watcher is not None:
        voids = [
            f"{signs.suits[suit]} (trick {watcher['void_opponent'][suit]})"
            for suit in reversed(range(len(SUITS)))
            if watcher["void_opponent"][suit]
        ]
        if voids:
            notes.append("void of " + ", ".join(voids))
    return [f"{arrow} {name.ljust(len(_INDENT) - 2)}{hand}", _INDENT + f" {signs.dot} ".join(notes)]
