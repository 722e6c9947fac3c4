"""A game's rules in words, written from the fields of ``Rules`` so that they cannot drift from what is played."""

from __future__ import annotations

import textwrap
from importlib import resources
from typing import NamedTuple

from german_whist.envs.engine.cards import RANKS, SUIT_SIZE
from german_whist.envs.engine.rules import Rules, rule_names, rules

_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_RANK_NAMES = dict(zip("23456789TJQKA", (*"23456789", "10", "jack", "queen", "king", "ace"), strict=True))
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WIDTH = 100


class Example(NamedTuple):
    """A result of a deal and what it scores.

    Attributes:
        winner: counted tricks that the winner of the deal took; in a low game these are the fewer.
        loser: counted tricks that the loser took.
        points: what the winner scores.
    """

    winner: int
    loser: int
    points: float


def rules_spec(spec: str | Rules) -> str:
    """Return the shortest specification string of some rules: a preset's name, or ``"classic:…"`` with the changes."""
    game = rules(spec)
    for name in ("classic", *rule_names()):
        if rules(name) == game:
            return name
    classic = Rules().to_dict()
    changes = [f"{key}={str(value).lower()}" for key, value in game.to_dict().items() if value != classic[key]]
    return "classic:" + ",".join(changes)


def preset_summary(name: str) -> str:
    """Return a preset in one line, the comment at the top of its file.

    Raises:
        ValueError: when there is no such preset.
    """
    rules(name)
    text = (resources.files("german_whist.configs") / "rules" / f"{name}.yaml").read_text(encoding="utf-8")
    return text.partition("\n")[0].lstrip("# ")


def scoring_examples(spec: str | Rules) -> list[Example]:
    """Return some results and what they score: a narrow one, a clear one, and every counted trick."""
    from german_whist.envs.engine.scoring import winner_points  # loads the compiler, which nothing else here needs

    game = rules(spec)
    if game.race:
        pairs = [(game.race, loser) for loser in reversed(range(min(game.race, game.counted - game.race + 1)))]
    else:
        pairs = [(more, game.counted - more) for more in range(game.counted // 2 + 1, game.counted + 1)]
    chosen = [pairs[place] for place in sorted({0, len(pairs) // 3, len(pairs) - 1})]
    if game.high_low:
        chosen += [(fewer, more) for more, fewer in chosen]
    return [Example(mine, theirs, float(winner_points(game.game[0], abs(mine - theirs)))) for mine, theirs in chosen]


def rules_text(spec: str | Rules = "classic") -> str:
    """Return a game's rules in words, written from the fields, as paragraphs of lines of at most 100 letters.

    Args:
        spec: the rules, or their name.

    Raises:
        ValueError: when the name or a setting is not allowed.
    """
    game = rules(spec)
    parts = [
        ("Deck", _deck(game)),
        ("Deal", _deal(game)),
        ("Trumps", _trumps(game)),
        ("Tricks", _tricks(game)),
        *([("Exchange", _exchange(game))] if game.humbug else [("Foreplay", _foreplay(game))]),
        ("Play" if game.humbug else "Endgame", _endgame(game)),
        ("End", _end(game)),
        ("Scoring", _scoring(game)),
        ("Examples", _examples(game)),
    ]
    title = f"German Whist: {rules_spec(game)}"
    blocks = [
        textwrap.fill(f"{name}: {text}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False) for name, text in parts
    ]
    return "\n".join([title, "", *blocks])


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _many(count: int, noun: str) -> str:
    return f"{_number(count)} {noun}{'' if count == 1 else 's'}"


def _join(words: list[str] | tuple[str, ...], last: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _deck(game: Rules) -> str:
    low = _RANK_NAMES[RANKS[SUIT_SIZE - game.ranks]]
    span = "only the aces" if game.ranks == 1 else f"from the ace (high) down to the {low}"
    return f"{len(game.cards)} cards: {_join(_SUIT_NAMES[: game.suits])}, {span}."


def _deal(game: Rules) -> str:
    start = "The dealer alternates from deal to deal."
    if game.humbug:
        return (
            f"{start} Four hands of {_many(game.hand, 'card')} are dealt, one card at a time: the non-dealer's, two "
            "blind hands, and the dealer's. The last card, which is the dealer's, is shown to both."
        )
    lies = {
        0: "all face down",
        1: "face down but for its top card, which lies face up",
    }.get(game.open_stock, f"face down but for its top {_number(game.open_stock)} cards, which lie face up in a row")
    return (
        f"{start} Each player gets {_many(game.hand, 'card')}, one at a time, the non-dealer first. The other "
        f"{game.stock} cards are the stock. It lies {lies}."
    )


def _trumps(game: Rules) -> str:
    turned = "the card shown" if game.humbug else "the first card turned up"
    if game.trump == "none":
        return "There are none."
    return f"The suit of {turned} is trumps for the whole deal."


def _tricks(game: Rules) -> str:
    text = (
        "The non-dealer leads the first trick, and the winner of a trick leads the next. The second player must "
        "follow suit when able, and may else play anything. The higher card of the suit led wins"
    )
    return (
        f"{text}." if game.trump == "none" else f"{text}, unless the second player had none of it and played a trump."
    )


def _exchange(game: Rules) -> str:
    return (
        "Before the first card is played, first the non-dealer and then the dealer either keeps the hand or swaps it "
        "for a blind one. A hand given away stays hidden; when it is the dealer's, both know that the card shown is "
        "in it."
    )


def _foreplay(game: Rules) -> str:
    start = f"While the stock lasts, {_many(game.foreplay, 'trick')} are played for its cards."
    if game.open_stock == 0:
        takes = "The winner takes the top card and the loser the next, both unseen by the other."
    elif game.draft:
        takes = (
            "The winner takes the face-up card, or leaves it to the loser; the other of the two takes the face-down "
            "card under it, unseen. Then the next card is turned up."
        )
    elif game.open_stock == 1:
        takes = (
            "The winner must take the face-up card. The loser takes the card under it, unseen by the winner, and the "
            "next one is turned up."
        )
    else:
        rest = "takes the card left in the row" if game.open_stock == 2 else "picks from the row after the winner"
        takes = (
            f"The winner picks one of the open cards. The loser takes the top face-down card, unseen by the winner, "
            f"and the row is filled up to {_number(game.open_stock)} again. When no face-down card is left, the loser "
            f"{rest}."
        )
    return f"{start} {takes}"


def _endgame(game: Rules) -> str:
    if game.humbug:
        text = f"The hands are played out: {_many(game.hand, 'trick')}."
    else:
        text = f"When the stock is gone, the hands are played out: {_many(game.hand, 'trick')} more."
    if game.high_low:
        turned = "card shown" if game.humbug else "first card turned up"
        text += (
            f" If the {turned} was black (clubs or spades), they are played low: the fewest tricks win. "
            "If it was red, they are played high: the most tricks win."
        )
    return text


def _end(game: Rules) -> str:
    whole = "when the last trick is played" if game.tricks == 1 else f"when all {game.tricks} tricks are played"
    if not game.race:
        return f"The deal ends {whole}."
    text = f"The deal ends as soon as a player has taken {_many(game.race, 'counted trick')}"
    return f"{text}." if game.race <= (game.counted + 1) // 2 else f"{text}, or {whole}."


def _scoring(game: Rules) -> str:
    if game.counts == "all":
        counts = f"All {game.counted} tricks count, those of the foreplay too."
    elif game.counted == 1:
        counts = "Only the last trick counts."
    else:
        counts = (
            f"All {game.counted} tricks count." if game.humbug else f"Only the {game.counted} of the endgame count."
        )
    wins = "The player who has taken more of them wins the deal"
    own = "the winner's tricks"
    if game.high_low:
        wins += " (who has taken fewer, when it is played low)"
        own += " (when it is played low, the loser's)"
    scores = {
        "difference": "the difference.",
        "over_book": f"{own} less the book of {game.game['book'][0]}.",
        "over_half": f"{own} less half of those that count, which is {game.counted / 2:g}.",
    }
    text = f"{counts} {wins} and scores {scores[game.points]}"
    if game.slam:
        text += f" Winning all of them{', or none when it is played low,' if game.high_low else ''} scores {game.slam}."
    can_tie = game.counted % 2 == 0 and (not game.race or game.race > game.counted // 2)
    return text + (" Equal tricks are a draw and score nothing." if can_tie else "")


def _examples(game: Rules) -> str:
    return "; ".join(_example(game, example) for example in scoring_examples(game)) + "."


def _example(game: Rules, example: Example) -> str:
    low = " in a low game" if example.winner < example.loser else ""
    return f"{example.winner}-{example.loser}{low} scores {example.points:g}"
