"""Cards, suits, hands and decks: numbers, bit masks and text.

A card is the integer ``13 * suit + rank`` with suits C D H S = 0…3 and ranks 2…A = 0…12, in every deck size. A set of
cards is a 64-bit mask in which bit ``c`` is card ``c``. In text a card is written suit then rank (``SA``, ``HT``), and
a hand is its suits S.H.D.C with the ranks from high to low (``AKQ2.T98..J4``), as in PBN. Cards can be read in any
usual spelling (``CARD_PATTERN``).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

SUITS = "CDHS"
RANKS = "23456789TJQKA"
NUM_CARDS = 52
NUM_ACTIONS = NUM_CARDS + 2  # enough for every game: the cards, and the two choices of ``draft`` or ``humbug``
SUIT_SIZE = 13
SUIT_MASKS = tuple(0x1FFF << (SUIT_SIZE * suit) for suit in range(4))
NO_CARD = -1
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
RANK_NAMES = dict(
    zip(
        RANKS,
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"],
        strict=True,
    )
)

_SIGNS = {sign: suit for suit, signs in enumerate(("♣♧", "♦♢", "♥♡", "♠♤")) for sign in signs}
_SUIT_WORDS = {word: suit for suit, name in enumerate(SUIT_NAMES) for word in (name[0], name[:-1], name)}
_SUITS = _SIGNS | _SUIT_WORDS
_RANKS = {"10": RANKS.index("T")} | {
    word.lower(): rank for rank, code in enumerate(RANKS) for word in (code, RANK_NAMES[code])
}


def _any_of(words: Iterable[str]) -> str:
    return "(?ai:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


_SIGN = f"[{''.join(_SIGNS)}]\ufe0f?"  # U+FE0F asks for the sign in colour
_GAP = r"[\s_-]*"
_START, _END = r"(?<![^\W_])(?<!\w['’])", r"(?![^\W_])"  # no letter or digit beside it, nor "it's a"
CARD_PATTERN = re.compile(
    rf"{_START}(?!(?i:a\s+(?:club|diamond|heart|spade)\b))(?P<rank>{_any_of(_RANKS)}){_GAP}(?:(?i:of){_GAP})?"
    rf"(?P<suit>{_SIGN}|{_any_of(_SUIT_WORDS)}{_END})"
    rf"|(?P<suit_first>{_SIGN}|{_START}{_any_of(_SUIT_WORDS)}){_GAP}(?P<rank_last>{_any_of(_RANKS)}){_END}"
)
"""A card in any spelling, to find in text: ``SA``, ``as``, ``♠ A``, ``10H``, ``ten of hearts``, ``Heart Ten``."""


def card_text(card: int) -> str:
    """Return a card as suit then rank, such as ``SA``.

    Raises:
        ValueError: if it is not a number from 0 to 51.
    """
    if card not in range(NUM_CARDS):
        raise ValueError(f"a card must be an integer from 0 to {NUM_CARDS - 1}, got {card!r}")
    suit, rank = divmod(int(card), SUIT_SIZE)
    return SUITS[suit] + RANKS[rank]


_CODES = {card_text(card): card for card in range(NUM_CARDS)}


def card_in(match: re.Match[str]) -> int:
    """Return the card that a match of ``CARD_PATTERN`` stands for."""
    suit, rank = match["suit"] or match["suit_first"], match["rank"] or match["rank_last"]
    return SUIT_SIZE * _SUITS[suit.rstrip("\ufe0f").lower()] + _RANKS[rank.lower()]


def parse_card(text: str) -> int:
    """Return the number of a card, such as 51 for ``"SA"``.

    Args:
        text: suit and rank in either order and any case, such as ``"SA"``, ``"as"``, ``"♠A"``, ``"H10"`` or
            ``"ten of hearts"``.

    Raises:
        ValueError: if the text is not a card.
    """
    if isinstance(text, str) and text in _CODES:  # the usual spelling, ten times faster than the pattern
        return _CODES[text]
    found = CARD_PATTERN.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise ValueError(f"{text!r} is not a card: write the suit (C D H S), then the rank (2-9 T J Q K A), as in SA")
    return card_in(found)


def parse_suit(text: str) -> int:
    """Return the number of a suit, such as 3 for ``"S"``, ``"spades"`` or ``"♠"``.

    Raises:
        ValueError: if the text is not a suit.
    """
    suit = _SUITS.get(text.strip().rstrip("\ufe0f").lower()) if isinstance(text, str) else None
    if suit is None:
        raise ValueError(f"{text!r} is not a suit: write C, D, H or S")
    return suit


def cards_of(mask: int) -> Iterator[int]:
    """Yield the cards of a mask, lowest number first."""
    rest = int(mask)
    while rest:
        low = rest & -rest  # the lowest bit that is set
        yield low.bit_length() - 1
        rest ^= low


def mask_of(cards: Iterable[int]) -> int:
    """Return the mask of a set of cards."""
    mask = 0
    for card in cards:
        mask |= 1 << int(card)
    return mask


def hand_text(mask: int) -> str:
    """Return a set of cards as ``S.H.D.C``, ranks from high to low."""
    suits: list[str] = ["", "", "", ""]
    for card in cards_of(mask):
        suit, rank = divmod(card, SUIT_SIZE)
        suits[suit] = RANKS[rank] + suits[suit]
    return ".".join(reversed(suits))


def parse_hand(text: str) -> int:
    """Return the mask of a hand written as ``S.H.D.C``, such as ``"AQ2.K.."``: bit ``c`` is card ``c``.

    Raises:
        ValueError: if there are not four suits, a letter is not a rank, or a card appears twice.
    """
    suits = text.strip().upper().replace("10", "T").split(".") if isinstance(text, str) else []
    if len(suits) != 4:
        raise ValueError(f"a hand must be four suits S.H.D.C, as in AKQ2.T98..J4, got {text!r}")
    mask = 0
    for suit, ranks in zip(reversed(range(4)), suits, strict=True):
        for letter in ranks:
            if letter not in RANKS:
                raise ValueError(f"hand {text!r}: {letter!r} is not a rank (2-9 T J Q K A)")
            card = 1 << (SUIT_SIZE * suit + RANKS.index(letter))
            if mask & card:
                raise ValueError(f"hand {text!r}: {SUITS[suit]}{letter} appears twice")
            mask |= card
    return mask


card, hand = parse_card, parse_hand  # their public names, `german_whist.card` and `german_whist.hand`


def deck_text(deck: Iterable[int]) -> str:
    """Return a deck as its cards in dealing order, separated by spaces."""
    return " ".join(card_text(card) for card in deck)


def parse_deck(deck: str | Sequence[int], cards: Sequence[int]) -> list[int]:
    """Return a deck as card numbers in dealing order.

    Args:
        deck: text such as ``"C2 SA …"``, or card numbers.
        cards: the cards of the game's deck.

    Raises:
        ValueError: if a card is unknown, not in the game's deck, missing or repeated.
    """
    if not isinstance(deck, Iterable):
        raise ValueError(f"deck must be the cards in dealing order, as text or numbers, got {deck!r}")
    order: list[int] = []
    for word in deck.split() if isinstance(deck, str) else deck:
        try:
            card = parse_card(word) if isinstance(word, str) else operator.index(word)
        except TypeError:
            raise ValueError(f"deck: {word!r} is not a card: use names such as SA, or numbers from 0 to 51") from None
        if card not in cards:
            name = card_text(card) if 0 <= card < NUM_CARDS else str(card)
            raise ValueError(f"deck: card {name} is not in this game's deck of {len(cards)}")
        if card in order:
            raise ValueError(f"deck: card {card_text(card)} appears twice")
        order.append(card)
    if len(order) != len(cards):
        missing = next(card for card in cards if card not in order)
        raise ValueError(f"deck: {len(order)} of {len(cards)} cards given; {card_text(missing)} is missing")
    return order


def parse_decks(
    cards: Sequence[int], count: int, decks: Sequence[str | Sequence[int]], dealers: npt.ArrayLike
) -> tuple[list[list[int]], npt.NDArray[np.int64]]:
    """Return decks as card numbers in dealing order, and their dealers as int64[count].

    Args:
        cards: the cards of the game's deck.
        count: how many decks and dealers there must be.
        decks: the decks, each as for :func:`parse_deck`.
        dealers: the seat that deals each deck, int[count].

    Raises:
        ValueError: if there are more or fewer than ``count`` decks or dealers, a deck is not a permutation of
            ``cards``, or a dealer is not 0 or 1.
    """
    seats = np.asarray(dealers)
    if seats.shape != (count,) or len(decks) != count or not np.isin(seats, (0, 1)).all():
        given = f"{len(decks)} and {seats.tolist()}"
        raise ValueError(f"decks and dealers must be {count} each, dealers 0 or 1, got {given}")
    return [parse_deck(deck, cards) for deck in decks], seats.astype(np.int64)
