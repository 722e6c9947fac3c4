"""What hypothesis draws: games of the German Whist family."""

from __future__ import annotations

from hypothesis import strategies as st

from german_whist.envs.rules import Rules

# Named so that a failure tells the game: full and tiny decks, one suit, many suits of few ranks, long and short stocks.
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


@st.composite
def drawn_games(draw: st.DrawFn) -> Rules:
    """Any deck, hand and stock that fit, any way to count and score."""
    suits, ranks, hand = draw(st.sampled_from(SHAPES))
    counts = draw(st.sampled_from(["endgame", "all"]))
    points = draw(st.sampled_from(["over_book", "over_half", "difference"]))
    counted = hand if counts == "endgame" else suits * ranks // 2
    book, slam = None, 0
    if points == "over_book":
        book = draw(st.none() | st.integers(0, counted // 2))
        if counts == "endgame":
            slam = draw(st.just(0) | st.integers(counted, 100))
    stock = suits * ranks - 2 * hand
    return Rules(suits, ranks, hand, stock, counts, points, book, slam)


def games() -> st.SearchStrategy[Rules]:
    """Any game, the named ones among them."""
    return drawn_games() | st.sampled_from([*GAMES.values()])


seeds = st.integers(0, 2**64 - 1)
