"""Hypothesis strategies: games of the German Whist family, and seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from german_whist.game.rules import Rules, rule_names, rules

RANK_WORDS = "two three four five six seven eight nine ten jack queen king ace".split()  # noqa: SIM905

Pick = Callable[[Sequence[Any]], Any]

# Named so that failures name the game: full and tiny decks, one suit, many suits of few ranks, long and short stocks.
GAMES = {
    "classic": Rules(),
    "all_count": Rules(counts="all"),
    "tiny": Rules(suits=2, ranks=4, hand=2, stock=4),
    "short": Rules(suits=4, ranks=8, hand=10, stock=12, counts="all", points="over_book"),
    "one_suit": Rules(suits=1, ranks=12, hand=3, stock=6, points="over_half"),
    "three_suits": Rules(suits=3, ranks=10, hand=7, stock=16, points="over_book", slam=9),
    "pairs": Rules(suits=4, ranks=2, hand=1, stock=6, counts="all"),
    "one_card": Rules(suits=2, ranks=2, hand=1, stock=2),
    "no_time": Rules(suits=4, ranks=13, hand=25, stock=2, points="over_book", book=3),
    "long_stock": Rules(suits=4, ranks=13, hand=1, stock=50, counts="all", points="over_half"),
}


# Every deck with every way to deal it: suits, ranks, hand.
SHAPES = [
    (suits, ranks, hand)
    for suits in range(1, 5)
    for ranks in range(1, 14)
    for hand in range(1, suits * ranks // 2)
    if suits * ranks % 2 == 0
]
FOUR_HANDS = [
    (suits, ranks, suits * ranks // 4) for suits in range(1, 5) for ranks in range(1, 14) if suits * ranks % 4 == 0
]


def some_game(pick: Pick) -> Rules:
    """A random valid combination of settings; ``pick`` chooses one of several options."""
    fields: dict[str, Any] = {"humbug": pick([False, False, False, True])}
    shapes = FOUR_HANDS if fields["humbug"] else SHAPES
    suits, ranks, hand = pick(shapes)
    stock = 0 if fields["humbug"] else suits * ranks - 2 * hand
    fields |= {"suits": suits, "ranks": ranks, "hand": hand, "stock": stock}
    if not fields["humbug"]:
        fields["counts"] = pick(["endgame", "all"])
        fields["open_stock"] = pick([k for k in (0, 1, 1, 1, 2, 3, 4, 5, stock - 1, stock) if k <= stock])
        fields["draft"] = fields["open_stock"] == 1 and pick([False, True])
    face_down = fields.get("open_stock") == 0
    fields["trump"] = "none" if face_down else pick(["turned", "turned", "none"])
    endgame_counts = fields.get("counts", "endgame") == "endgame"
    counted = hand if endgame_counts else suits * ranks // 2
    fields["high_low"] = endgame_counts and not face_down and pick([False, True])
    if not fields["high_low"] and pick([False, False, True]):
        fields["race"] = pick(range(1, counted + 1))
    else:
        fields |= _points(pick, counted, endgame_counts)
    return Rules(**fields)


def _points(pick: Pick, counted: int, endgame_counts: bool) -> dict[str, Any]:
    points = pick(["over_book", "over_half", "difference"])
    if points != "over_book":
        return {"points": points}
    book = pick([None, *range(counted // 2 + 1)])
    slam = pick([0, *range(counted, 101)]) if endgame_counts else 0
    return {"points": points, "book": book, "slam": slam}


@st.composite
def drawn_games(draw: st.DrawFn) -> Rules:
    """Any deck, hand and stock that fit, with any valid combination of settings."""
    return some_game(lambda options: draw(st.sampled_from(options)))


def games() -> st.SearchStrategy[Rules]:
    """Any game, including the presets and ``GAMES``."""
    return drawn_games() | st.sampled_from([*GAMES.values(), *map(rules, rule_names())])


seeds = st.integers(0, 2**64 - 1)


def spellings(card: int) -> list[str]:
    """The ways to write a card."""
    suit, rank = divmod(card, 13)
    name, letter = ("clubs", "diamonds", "hearts", "spades")[suit], "CDHS"[suit]
    word = RANK_WORDS[rank]
    codes = ["23456789TJQKA"[rank], *(["10"] if word == "ten" else [])]
    signs = ["♣♦♥♠"[suit], "♧♢♡♤"[suit], "♣♦♥♠"[suit] + "\ufe0f"]
    found = [form for code in codes for sign in (letter, *signs) for form in (sign + code, code + sign)]
    found += [f"{first} of {last}" for first in (*codes, word) for last in (name, name[:-1], signs[0])]
    found += [f"{name} {codes[-1]}", f"{letter} {codes[-1]}", f"{codes[-1]}-{letter}"]
    return [form for one in found for form in (one, one.lower(), one.upper(), one.title())]
