"""A deal as text: the table from above with both hands open, or what one seat sees of it."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple, TextIO

from german_whist.envs.batch import DealBatch
from german_whist.envs.cards import RANKS, SUIT_SIZE, SUITS, cards_of
from german_whist.envs.names import unknown_name
from german_whist.envs.scene import PLAYERS, Player, Scene, see
from german_whist.envs.state import ENDGAME, FOREPLAY

RENDER_MODES = ("ansi", "rgb_array", "human")

__all__ = ["PLAYERS", "RENDER_MODES", "check_render_mode", "deal_text", "print_deal", "terminal_has_color"]

_STAGES = {FOREPLAY: "foreplay", ENDGAME: "endgame"}
_INDENT = " " * 13
_WIDTH = 68
_RED_SUITS = (1, 2)
_BOLD, _REVERSE, _RED = "1", "7", "31"


class _Signs(NamedTuple):
    suits: str  # in the order C D H S
    rule: str
    arrow: str
    dot: str


_UNICODE = _Signs("♣♦♥♠", "─", "▶", "·")
_ASCII = _Signs(SUITS, "-", ">", "|")


class _Style(NamedTuple):
    """How a scene is written: the signs, and whether in colour (red suits red, trumps bold, open cards reversed)."""

    signs: _Signs
    color: bool
    trump: int

    def paint(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.color and codes else text

    def suit(self, suit: int, text: str, *codes: str) -> str:
        red = (_RED,) if suit in _RED_SUITS else ()
        bold = (_BOLD,) if suit == self.trump else ()
        return self.paint(text, *codes, *bold, *red)

    def card(self, card: int, *codes: str) -> str:
        suit, rank = divmod(int(card), SUIT_SIZE)
        return self.suit(suit, self.signs.suits[suit] + RANKS[rank], *codes)


def check_render_mode(mode: str | None, allowed: tuple[str, ...] = RENDER_MODES) -> None:
    """Refuse a render mode that does not exist.

    Raises:
        ValueError: when there is no such mode.
    """
    if mode is not None and mode not in allowed:
        raise unknown_name("render mode", mode, allowed)


def deal_text(
    batch: DealBatch,
    row: int = 0,
    seat: int | None = None,
    unicode: bool = True,
    color: bool = False,
    scores: tuple[float, float] | None = None,
) -> str:
    """Return one deal of a batch as a few lines of text.

    Hands stand by suit, S H D C, from high to low. Seat 0 sits at the bottom, or the seat whose view it is.

    Args:
        batch: the deals.
        row: which of them.
        seat: whose view to show: the other hand is then what this seat knows of it. Both hands are open by default.
        unicode: suit symbols and lines; plain ASCII letters when false.
        color: ANSI colours: red suits red, trumps bold, the open cards of the stock on a bright ground.
        scores: the scores of seats 0 and 1 where the deal is one of a match.

    Raises:
        ValueError: when there is no such row or seat.
    """
    scene = see(batch, row, seat, scores=scores)
    style = _Style(_UNICODE if unicode else _ASCII, color, scene.trump)
    rule = style.signs.rule * _WIDTH
    lines = [
        _header(scene, style),
        rule,
        *_player(scene, scene.far, style),
        "",
        *(_INDENT + line for line in _table(scene, style)),
        "",
        *_player(scene, scene.near, style),
        rule,
    ]
    return "\n".join(line.rstrip() for line in lines)


def print_deal(
    batch: DealBatch, row: int = 0, seat: int | None = None, scores: tuple[float, float] | None = None
) -> None:
    """Print one deal of a batch: in colour where the terminal has it, in plain ASCII where it knows no better."""
    color = terminal_has_color(sys.stdout)
    try:
        "".join(_UNICODE).encode(sys.stdout.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        print(deal_text(batch, row, seat, unicode=False, color=color, scores=scores))
    else:
        print(deal_text(batch, row, seat, color=color, scores=scores))


def terminal_has_color(stream: TextIO) -> bool:
    """Return whether text written to a stream may be coloured: a terminal, and nobody has set ``NO_COLOR``."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _hand(mask: int, rules_suits: int, style: _Style) -> str:
    columns = []
    for suit in reversed(range(rules_suits)):
        ranks = [RANKS[card % SUIT_SIZE] for card in cards_of(mask) if card // SUIT_SIZE == suit]
        column = f"{style.signs.suits[suit]} {''.join(reversed(ranks)) or '-'}"
        columns.append(style.suit(suit, column) + " " * max(11 - len(column), 1))
    return "".join(columns)


def _header(scene: Scene, style: _Style) -> str:
    rules = scene.rules
    trump = f"trumps {style.suit(scene.trump, style.signs.suits[scene.trump])}" if scene.trump >= 0 else "no trumps"
    trick = f"trick {scene.trick} of {rules.tricks}"
    words = ["German Whist", trump, trick if rules.humbug else f"{_STAGES[scene.stage]}, {trick}"]
    if not rules.humbug:
        words.append(f"stock {scene.stock}" if scene.stock else "stock gone")
    if rules.high_low:
        words.append("low: fewest tricks win" if scene.low else "high: most tricks win")
    if rules.race:
        words.append(f"race to {rules.race}")
    return "   ".join(words)


def _table(scene: Scene, style: _Style) -> list[str]:
    """Return the lines in the middle: the trick, the open cards, what is to be decided, or how it ended."""
    open_cards = " ".join(style.card(card, _REVERSE) for card in scene.face_up)
    if scene.done:
        lines = [f"finished: {scene.result}"]
    elif scene.choice:
        lines = [f"{scene.choice}: {open_cards}" if open_cards else scene.choice]
    else:
        led = f"{style.card(scene.led)} led" if scene.led >= 0 else "nothing led"
        prize = f"{open_cards} face up" if open_cards else ""
        if scene.stock and not open_cards:
            prize = "the stock lies face down"
        lines = [f"{led}{' ' * (16 - (6 if scene.led >= 0 else len(led)))}{prize}"]
    if scene.out:
        lines.append("out of play: " + _hand(scene.out, scene.rules.suits, style))
    return lines


def _player(scene: Scene, player: Player, style: _Style) -> list[str]:
    """Return a player's two lines."""
    signs, rules = style.signs, scene.rules
    hand = _hand(player.hand, rules.suits, style)
    if scene.seat not in (None, player.seat):
        hand += f"+ {player.hidden} unseen"
    notes = ["dealer"] if player.dealer else []
    if rules.humbug:
        notes.append(f"tricks: {player.tricks[ENDGAME]}")
    else:
        notes.append(f"tricks: foreplay {player.tricks[FOREPLAY]}, endgame {player.tricks[ENDGAME]}")
    if rules.race:
        notes.append(f"{player.counted} of {rules.race}")
    if player.score is not None:
        notes.append(f"match {player.score:g}")
    if player.swapped is not None:
        notes.append("swapped the hand" if player.swapped else "kept the hand")
    if player.voids:
        notes.append("void of " + ", ".join(f"{style.suit(s, signs.suits[s])} (trick {t})" for s, t in player.voids))
    arrow = signs.arrow if player.turn else " "
    name = style.paint(player.name, *((_BOLD,) if player.turn else ()))
    return [
        f"{arrow} {name}{' ' * (len(_INDENT) - 2 - len(player.name))}{hand}",
        _INDENT + f" {signs.dot} ".join(notes),
    ]
