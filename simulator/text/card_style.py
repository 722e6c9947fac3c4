"""How cards, suits and hands are written in a terminal: symbols or letters, with or without colour."""

from __future__ import annotations

import os
from typing import NamedTuple, TextIO

from german_whist.game.cards import RANKS, SUIT_SIZE, SUITS, cards_of

BOLD, REVERSE = "1", "7"
_RED = "31"
_RED_SUITS = (1, 2)


class Signs(NamedTuple):
    """The characters that text is drawn with.

    Attributes:
        suits: the suits, in the order C D H S.
        rule: the character of horizontal lines.
        arrow: marks the player to act.
        dot: separates notes.
        cut: ends a name that is cut.
    """

    suits: str
    rule: str
    arrow: str
    dot: str
    cut: str


UNICODE = Signs("♣♦♥♠", "─", "▶", "·", "…")
ASCII = Signs(SUITS, "-", ">", "|", ".")


class Style(NamedTuple):
    """How cards are written.

    Attributes:
        signs: the characters.
        color: whether red suits are red and trumps bold.
        trump: suit, −1 for none.
    """

    signs: Signs
    color: bool
    trump: int

    def paint(self, text: str, *codes: str) -> str:
        """Return a text with ANSI codes around it if colour is on."""
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.color and codes else text

    def suit(self, suit: int, text: str, *codes: str) -> str:
        """Return a text in the colour of a suit."""
        red = (_RED,) if suit in _RED_SUITS else ()
        bold = (BOLD,) if suit == self.trump else ()
        return self.paint(text, *codes, *bold, *red)

    def card(self, card: int, *codes: str) -> str:
        """Return a card as its suit symbol and rank."""
        suit, rank = divmod(int(card), SUIT_SIZE)
        return self.suit(suit, self.signs.suits[suit] + RANKS[rank], *codes)

    def hand(self, mask: int, suits: int = len(SUITS)) -> str:
        """Return a hand in columns, suits S H D C (those of the deck), ranks from high to low."""
        columns = []
        for suit in reversed(range(suits)):
            ranks = [RANKS[card % SUIT_SIZE] for card in cards_of(mask) if card // SUIT_SIZE == suit]
            column = f"{self.signs.suits[suit]} {''.join(reversed(ranks)) or '-'}"
            columns.append(self.suit(suit, column) + " " * max(11 - len(column), 1))
        return "".join(columns)


def terminal_has_color(stream: TextIO) -> bool:
    """Return whether to colour text for a stream: only in a terminal, and not if ``NO_COLOR`` is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def style_of(stream: TextIO, trump: int = -1) -> Style:
    """Return the style for a stream: colour if it is a terminal, plain ASCII if it cannot encode suit symbols."""
    try:
        "".join(UNICODE).encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return Style(ASCII, terminal_has_color(stream), trump)
    return Style(UNICODE, terminal_has_color(stream), trump)
