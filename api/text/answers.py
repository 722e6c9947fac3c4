"""Reads the card, or the choice, that somebody names in free text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from german_whist.envs.engine.actions import choice_names
from german_whist.envs.engine.cards import NUM_CARDS, RANKS, SUIT_SIZE, SUITS
from german_whist.envs.engine.rules import Rules
from german_whist.envs.text.words import RANK_NAMES, SUIT_NAMES

_SYMBOLS = ("♣♧", "♦♢", "♥♡", "♠♤")
_RANK_CODES = {"10": RANKS.index("T"), **{code: rank for rank, code in enumerate(RANKS)}}
_RANKS = {**_RANK_CODES, **{name.upper(): rank for rank, name in enumerate(RANK_NAMES.values())}}
_SUIT_SYMBOLS = {symbol: suit for suit, symbols in enumerate(_SYMBOLS) for symbol in symbols}
_SUIT_WORDS = {word.upper(): suit for suit, name in enumerate(SUIT_NAMES) for word in (name, name.removesuffix("s"))}
_SUITS = {**{code: suit for suit, code in enumerate(SUITS)}, **_SUIT_SYMBOLS, **_SUIT_WORDS}


def _one_of(names: Iterable[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_CODE, _SYMBOL, _PICTURE = _one_of(_RANK_CODES), _one_of(_SUIT_SYMBOLS), "\ufe0f?"  # a symbol in colour
# In running text ``as`` is a word, and ``a 9`` an article and a number: codes are capitals without a gap.
_IN_TEXT = re.compile(
    rf"(?<!\w)(?P<r1>(?i:{_one_of(_RANKS)}))\s+(?i:of)\s+(?P<s1>(?i:{_one_of(_SUIT_WORDS)})(?!\w)|{_SYMBOL})"
    rf"|(?<!\w)(?P<r2>{_CODE})(?P<s2>[{SUITS}](?!\w)|{_SYMBOL})"
    rf"|(?P<s3>(?<!\w)[{SUITS}]|{_SYMBOL}){_PICTURE}(?P<r3>{_CODE})(?!\w)"
)
_GAP = rf"{_PICTURE}[\s_-]*(?:of[\s_-]+)?"
_IN_BRACKETS = re.compile(
    rf"(?<!\w)(?!a\s(?:club|diamond|heart|spade)\b)(?P<r1>{_one_of(_RANKS)}){_GAP}(?P<s1>{_one_of(_SUITS)})(?!\w)"
    rf"|(?<!\w)(?P<s2>{_one_of(_SUITS)}){_GAP}(?P<r2>{_one_of(_RANKS)})(?!\w)",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_LOOK_ALIKES = str.maketrans("\u212a\u0130", "KI")  # the pattern takes these for K and I, and ``upper`` keeps them
_AROUND = " \t\r\n.,:;!*_`\"'()\ufe0f"  # may stand around an answer that is nothing but a card


def read_action(answer: str, legal: int, rules: Rules) -> int | None:
    """Return the action that an answer names, legal or not; ``None`` if it names none.

    The last brackets that hold an action count, or else the last action that is named. Actions of the kind that is to
    be chosen come first: where a card is to be played, ``take`` is but a word.

    Args:
        answer: any text. A card is ``SA``, ``AS``, ``A♠``, ``10♥`` or ``ace of spades``; in brackets, or alone, small
            letters and gaps are allowed too, as in ``[play s a]``.
        legal: the legal actions, as a mask.
        rules: the rules.
    """
    alone = _IN_BRACKETS.fullmatch(answer.strip(_AROUND))
    parts = [(part, _IN_BRACKETS) for part in reversed(_BRACKETS.findall(answer))]
    parts.append((answer, _IN_BRACKETS if alone else _IN_TEXT))
    cards = (card for text, pattern in parts for card in reversed(_cards(text, pattern)))
    choices = (choice for text, _ in parts for choice in reversed(_choices(text, choice_names(rules))))
    return next(chain(choices, cards) if legal >> NUM_CARDS else chain(cards, choices), None)


def _cards(text: str, pattern: re.Pattern[str]) -> list[int]:
    found = []
    for match in pattern.finditer(text):
        named = {
            group[0]: name.upper().translate(_LOOK_ALIKES)
            for group, name in match.groupdict().items()
            if name is not None
        }
        found.append(SUIT_SIZE * _SUITS[named["s"]] + _RANKS[named["r"]])
    return found


def _choices(text: str, names: tuple[str, ...]) -> list[int]:
    return [NUM_CARDS + names.index(word) for word in re.findall(r"\w+", text.lower()) if word in names]
