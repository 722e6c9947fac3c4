"""The rules of a game in words, written from the fields of ``Rules`` so that text and play cannot diverge."""

from __future__ import annotations

import textwrap
from importlib import resources
from typing import NamedTuple

from german_whist.game.cards import RANKS, SUIT_NAMES, SUIT_SIZE
from german_whist.game.rules import Rules, rule_names
from german_whist.game.rules import rules as get_rules
from german_whist.simulator.text.words import join_words

_RANK_NAMES = dict(zip(RANKS, (*"23456789", "10", "jack", "queen", "king", "ace"), strict=True))
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WIDTH = 100


class Example(NamedTuple):
    """The result of a deal and its score.

    Attributes:
        winner: counted tricks of the winner; in a low game these are the fewer.
        loser: counted tricks of the loser.
        points: the winner's score.
    """

    winner: int
    loser: int
    points: float


def rules_spec(spec: str | Rules) -> str:
    """Return a short specification of rules: a preset's name, or ``"classic:…"`` with the settings that differ.

    Raises:
        ValueError: if the preset or a setting is not allowed.
    """
    rules = get_rules(spec)
    for name in ("classic", *rule_names()):
        if get_rules(name) == rules:
            return name
    classic = Rules().to_dict()
    changes = [f"{key}={str(value).lower()}" for key, value in rules.to_dict().items() if value != classic[key]]
    return "classic:" + ",".join(changes)


def preset_summary(name: str) -> str:
    """Return a one-line summary of a preset: the comment at the top of its file.

    Raises:
        ValueError: if there is no such preset.
    """
    get_rules(name)
    text = (resources.files("german_whist.configs") / "rules" / f"{name}.yaml").read_text(encoding="utf-8")
    return text.partition("\n")[0].lstrip("# ")


def scoring_examples(spec: str | Rules) -> list[Example]:
    """Return typical results and their scores: a narrow win, a clear win, and every counted trick won."""
    from german_whist.game.scoring import winner_points  # imports numba, which nothing else here needs

    rules = get_rules(spec)
    if rules.race:
        pairs = [(rules.race, loser) for loser in reversed(range(min(rules.race, rules.counted - rules.race + 1)))]
    else:
        pairs = [(more, rules.counted - more) for more in range(rules.counted // 2 + 1, rules.counted + 1)]
    chosen = [pairs[i] for i in sorted({0, len(pairs) // 3, len(pairs) - 1})]
    if rules.high_low:
        chosen += [(fewer, more) for more, fewer in chosen]
    return [Example(mine, theirs, float(winner_points(rules.record[0], abs(mine - theirs)))) for mine, theirs in chosen]


def rules_text(spec: str | Rules = "classic") -> str:
    """Return the rules of a game in words, in lines of at most 100 characters.

    Example:
        >>> print(rules_text("classic:hand=10,stock=32"))

    Args:
        spec: a preset's name, optionally with settings, or ``Rules``.

    Raises:
        ValueError: if the preset or a setting is not allowed.
    """
    rules = get_rules(spec)
    parts = [
        ("Deck", _deck(rules)),
        ("Deal", _deal(rules)),
        ("Trumps", _trumps(rules)),
        ("Tricks", _tricks(rules)),
        *([("Exchange", _exchange())] if rules.humbug else [("Foreplay", _foreplay(rules))]),
        ("Play" if rules.humbug else "Endgame", _endgame(rules)),
        ("End", _end(rules)),
        ("Scoring", _scoring(rules)),
        ("Examples", _examples(rules)),
    ]
    title = f"German Whist: {rules_spec(rules)}"
    blocks = [
        textwrap.fill(f"{name}: {text}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False) for name, text in parts
    ]
    return "\n".join([title, "", *blocks])


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _many(count: int, noun: str) -> str:
    return f"{_number(count)} {noun}{'' if count == 1 else 's'}"


def _deck(rules: Rules) -> str:
    low = _RANK_NAMES[RANKS[SUIT_SIZE - rules.ranks]]
    span = "only the aces" if rules.ranks == 1 else f"from the ace (high) down to the {low}"
    return f"{len(rules.cards)} cards: {join_words(SUIT_NAMES[: rules.suits])}, {span}."


def _deal(rules: Rules) -> str:
    start = "The players take turns dealing."
    if rules.humbug:
        return (
            f"{start} Four hands of {_many(rules.hand, 'card')} are dealt, one card at a time: the non-dealer's, two "
            "blind hands, and the dealer's. The last card, which is the dealer's, is shown to both."
        )
    lies = {
        0: "face down",
        1: "face down, except for its top card, which is turned up",
    }.get(rules.open_stock, f"face down, except for its top {_number(rules.open_stock)} cards, turned up in a row")
    return (
        f"{start} Each player gets {_many(rules.hand, 'card')}, one at a time, the non-dealer first. The other "
        f"{rules.stock} cards are the stock. It lies {lies}."
    )


def _trumps(rules: Rules) -> str:
    if rules.trump == "none":
        return "There are no trumps."
    card = "card shown" if rules.humbug else "first card turned up"
    return f"The suit of the {card} is trumps for the whole deal."


def _tricks(rules: Rules) -> str:
    wins = "otherwise the leader wins" + ("" if rules.trump == "none" else ", unless the second player trumps")
    return (
        "The non-dealer leads the first trick, and the winner of each trick leads the next. The second player must "
        f"follow suit if possible, and may play any card if not. The higher card of the suit led wins; {wins}."
    )


def _exchange() -> str:
    return (
        "Before the first trick, first the non-dealer and then the dealer either keeps the hand or swaps it for a "
        "blind one. A discarded hand stays hidden; if it is the dealer's, both players know that the card shown is "
        "in it."
    )


def _foreplay(rules: Rules) -> str:
    start = f"While the stock lasts, {_many(rules.foreplay, 'trick')} are played for its cards."
    if rules.foreplay == 1:
        start = "One trick is played for the cards of the stock."
    if rules.open_stock == 0:
        takes = "The winner takes the top card and the loser the next one, each unseen by the other."
    elif rules.draft:
        takes = (
            "The winner takes the face-up card or leaves it to the loser; the other player takes the face-down card "
            "under it, unseen. Then the next card is turned up."
        )
    elif rules.open_stock == 1:
        takes = (
            "The winner must take the face-up card. The loser takes the card under it, unseen by the winner, and the "
            "next card is turned up."
        )
    else:
        rest = "takes the last card of the row" if rules.open_stock == 2 else "picks from the row after the winner"
        takes = (
            "The winner picks one of the face-up cards. The loser takes the top face-down card, unseen by the winner, "
            f"and the row is filled up to {_number(rules.open_stock)} again. When no face-down card is left, the loser "
            f"{rest}."
        )
    return f"{start} {takes}"


def _endgame(rules: Rules) -> str:
    if rules.humbug:
        text = f"The hands are played out: {_many(rules.hand, 'trick')}."
    else:
        text = f"When the stock is gone, the hands are played out: {_many(rules.hand, 'more trick')}."
    if rules.high_low:
        card = "card shown" if rules.humbug else "first card turned up"
        text += (
            f" If the {card} was black (clubs or spades), they are played low: the fewest tricks win. If it was red, "
            "they are played high: the most tricks win."
        )
    return text


def _end(rules: Rules) -> str:
    whole = "after the last trick" if rules.tricks == 1 else f"after all {rules.tricks} tricks"
    if not rules.race:
        return f"The deal ends {whole}."
    text = f"The deal ends as soon as a player has taken {_many(rules.race, 'counted trick')}"
    return f"{text}." if rules.race <= (rules.counted + 1) // 2 else f"{text}, or {whole}."


def _scoring(rules: Rules) -> str:
    if rules.counts == "all":
        counts = f"All {rules.counted} tricks count, including those of the foreplay."
    elif rules.counted == 1:
        counts = "Only the last trick counts."
    elif rules.humbug:
        counts = f"All {rules.counted} tricks count."
    else:
        counts = f"Only the {rules.counted} tricks of the endgame count."
    wins = "The player who takes more of them"
    own = "the winner's tricks"
    if rules.high_low:
        wins += " (fewer, if it is played low)"
        own += " (the loser's, if it is played low)"
    scores = {
        "difference": "the difference",
        "over_book": f"{own} minus the book of {rules.record['book'][0]}",
        "over_half": f"{own} minus half of those that count, {rules.counted / 2:g}",
    }
    text = f"{counts} {wins} wins the deal and scores {scores[rules.points]}."
    if rules.slam:
        text += f" Winning all of them{' (none, if it is played low)' if rules.high_low else ''} scores {rules.slam}."
    can_tie = rules.counted % 2 == 0 and (not rules.race or rules.race > rules.counted // 2)
    return text + (" A tie is a draw and scores nothing." if can_tie else "")


def _examples(rules: Rules) -> str:
    return "; ".join(_example(example) for example in scoring_examples(rules)) + "."


def _example(example: Example) -> str:
    low = " in a low game" if example.winner < example.loser else ""
    return f"{example.winner}-{example.loser}{low} scores {example.points:g}"
