"""Rules are data: one frozen dataclass describes a game, and the engine reads its fields."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

import numpy as np

from german_whist.game.cards import RANKS, SUIT_SIZE, SUITS, mask_of
from german_whist.game.utils.checks import is_int
from german_whist.game.utils.names import parse_yaml, split_settings, unknown_name_error

COUNTS = ("endgame", "all")
TRUMPS = ("turned", "none")
_SCORING = ("points", "book", "slam")  # fields that change the score, not the play
POINTS = ("difference", "over_book", "over_half")

# The rules as kernels read them. A record of this dtype is called ``rules`` in kernels.
RULES_RECORD = np.dtype(
    [
        ("cards", np.int8),  # cards in the deck
        ("hand", np.int8),  # cards in a hand
        ("deck", np.uint64),  # mask of the deck
        ("open_stock", np.int8),
        ("has_trump", np.int8),  # 1 if the first card turned up names trumps
        ("high_low", np.int8),
        ("draft", np.int8),
        ("humbug", np.int8),
        ("has_choices", np.int8),  # 1 if some decisions are not cards from the hand
        ("race", np.int8),
        ("all_count", np.int8),  # 1 if foreplay tricks count too
        ("points", np.int8),  # index into POINTS
        ("book", np.int8),
        ("slam", np.int8),
        ("counted", np.int8),  # tricks that count in a deal
    ],
    align=True,
)


@dataclass(frozen=True)
class Rules:
    """The rules of one game of the German Whist family. The defaults are the classic game.

    Example:
        >>> german_whist.Rules(ranks=8, hand=10, stock=12, counts="all").num_actions
        52

    Attributes:
        suits: suits in the deck, 1 to 4, taken in the order C D H S.
        ranks: ranks in each suit, 1 to 13, from the ace down.
        hand: cards in each hand, 1 to 26.
        stock: cards in the stock, an even number from 2 to 50; ``2 * hand + stock`` must be the whole deck. 0 in
            ``humbug``.
        open_stock: number of stock cards that lie face up: 1 in the classic game, 0 if all lie face down. With 2 or
            more, the winner of a trick picks one of them and the loser takes the next face-down card.
        trump: ``"turned"`` for the suit of the first card turned up, or ``"none"``.
        high_low: if the first card turned up is black, the endgame is played low (the fewest tricks win).
        draft: the winner of a foreplay trick may take the face-up card or leave it to the loser; the other player
            takes the face-down card.
        race: the deal ends as soon as a seat has taken this many counted tricks; 0 for no race.
        humbug: four hands are dealt and there is no stock; each seat keeps its hand or swaps it, unseen, for one of
            the two spare ("blind") hands.
        counts: the tricks that count, ``"endgame"`` or ``"all"``.
        points: score of the winner of a deal: ``"difference"`` (own counted tricks minus the loser's),
            ``"over_book"`` (own counted tricks minus the book) or ``"over_half"`` (own counted tricks minus half of
            all counted tricks).
        book: with ``over_book``, the number of tricks that score nothing; by default half of the counted tricks,
            rounded down.
        slam: with ``over_book``, the whole score for winning every counted trick; 0 for no bonus.

    Raises:
        ValueError: if a field is out of range, or two fields contradict each other; the message names them.
    """

    suits: int = 4
    ranks: int = 13
    hand: int = 13
    stock: int = 26
    open_stock: int = 1
    trump: str = "turned"
    high_low: bool = False
    draft: bool = False
    race: int = 0
    humbug: bool = False
    counts: str = "endgame"
    points: str = "difference"
    book: int | None = None
    slam: int = 0

    def __post_init__(self) -> None:
        """Check each field, then their combinations."""
        self._check_whole("suits", 1, len(SUITS))
        self._check_whole("ranks", 1, len(RANKS))
        self._check_whole("hand", 1, 26)
        self._check_whole("stock", 0, 50)
        self._check_whole("open_stock", 0, 50)
        for field in ("high_low", "draft", "humbug"):
            self._check_flag(field)
        if self.humbug:
            self._check_humbug_deck()
        else:
            self._check_stock_deck()
        if self.trump not in TRUMPS:
            raise unknown_name_error("value of rules field trump", self.trump, TRUMPS)
        if self.counts not in COUNTS:
            raise unknown_name_error("value of rules field counts", self.counts, COUNTS)
        if self.points not in POINTS:
            raise unknown_name_error("value of rules field points", self.points, POINTS)
        if self.book is not None:
            if self.points != "over_book":
                raise ValueError(f"rules: book={self.book} needs points=over_book, not points={self.points}")
            self._check_whole("book", 0, self.counted // 2)
        if self.slam and (self.points != "over_book" or self.counts != "endgame"):
            raise ValueError(
                f"rules: slam={self.slam} needs points=over_book and counts=endgame, "
                f"not points={self.points} and counts={self.counts}"
            )
        self._check_whole("slam", 0, 100)
        self._check_whole("race", 0, self.counted)
        self._check_combinations()
        if 0 < self.slam < self.counted - self._book:
            raise ValueError(
                f"rules: slam={self.slam} is below {self.counted - self._book}, what winning every trick scores with "
                f"book={self._book} anyway"
            )

    def _check_stock_deck(self) -> None:
        if self.stock < 2:
            raise ValueError(f"rules: stock must be an integer from 2 to 50, or 0 with humbug=True, got {self.stock}")
        if self.stock % 2:
            raise ValueError(f"rules: stock={self.stock} is odd: each trick of the foreplay takes two cards")
        if 2 * self.hand + self.stock != self.suits * self.ranks:
            raise ValueError(
                f"rules: 2 * hand + stock = {2 * self.hand + self.stock} cards are dealt, "
                f"but suits * ranks = {self.suits * self.ranks} are in the deck"
            )

    def _check_humbug_deck(self) -> None:
        if self.stock:
            raise ValueError(f"rules: humbug=True has no stock, but stock={self.stock}: it needs stock=0")
        if 4 * self.hand != self.suits * self.ranks:
            raise ValueError(
                f"rules: humbug=True deals 4 * hand = {4 * self.hand} cards, "
                f"but suits * ranks = {self.suits * self.ranks} are in the deck"
            )

    def _check_combinations(self) -> None:
        """Refuse pairs of settings that contradict each other."""
        face_down = self.open_stock == 0
        clashes = (
            (self.humbug and self.draft, "humbug", "draft", "there is no stock"),
            (self.humbug and self.open_stock != 1, "humbug", "open_stock", "there is no stock, and one card is turned"),
            (self.humbug and self.counts == "all", "humbug", "counts", "there is one stage: counts=endgame"),
            (self.open_stock > max(self.stock, 1), "open_stock", "stock", "the stock has fewer cards than that"),
            (face_down and self.trump == "turned", "open_stock", "trump", "no card is turned to name trumps"),
            (face_down and self.high_low, "open_stock", "high_low", "no card is turned to say high or low"),
            (self.draft and self.open_stock != 1, "draft", "open_stock", "a draft needs exactly one face-up card"),
            (self.high_low and self.counts == "all", "high_low", "counts", "only the endgame is played low"),
            (self.high_low and self.race > 0, "high_low", "race", "a race is for the most tricks"),
            (self.race > 0 and self.points != "difference", "race", "points", "the tricks left over are not played"),
        )
        for clash, one, other, reason in clashes:
            if clash:
                values = f"{one}={getattr(self, one)!r} and {other}={getattr(self, other)!r}"
                raise ValueError(f"rules: {values} do not go together: {reason}")

    def _check_flag(self, field: str) -> None:
        if not isinstance(getattr(self, field), bool):
            raise ValueError(f"rules: {field} must be true or false, got {getattr(self, field)!r}")

    def _check_whole(self, field: str, low: int, high: int) -> None:
        value = getattr(self, field)
        if not isinstance(value, int) or not is_int(value, low, high):
            raise ValueError(f"rules: {field} must be an integer from {low} to {high}, got {value!r}")

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """The cards of the deck in standard order: by suit C D H S, then from low to high."""
        low = SUIT_SIZE - self.ranks
        return tuple(SUIT_SIZE * suit + rank for suit in range(self.suits) for rank in range(low, SUIT_SIZE))

    @property
    def foreplay(self) -> int:
        """Tricks in the foreplay."""
        return self.stock // 2

    @property
    def tricks(self) -> int:
        """Tricks in a deal, both stages together."""
        return self.foreplay + self.hand

    @property
    def counted(self) -> int:
        """Tricks that count in a deal."""
        return self.tricks if self.counts == "all" else self.hand

    @property
    def has_choices(self) -> bool:
        """Whether some decisions are not cards from the hand."""
        return self.open_stock > 1 or self.draft or self.humbug

    @property
    def endgame_is_open(self) -> bool:
        """Whether both seats know both hands in the endgame: no hand stays hidden."""
        return not self.humbug

    def plays_like(self, other: Rules) -> bool:
        """Return whether both games are played alike, so that at most their scoring differs."""
        own, others = self.to_dict(), other.to_dict()
        return all(own[field] == others[field] for field in own if field not in _SCORING)

    @property
    def _book(self) -> int:
        return self.counted // 2 if self.book is None else self.book

    @property
    def num_actions(self) -> int:
        """Size of the action space. Action ``a`` < 52 plays or picks card ``a``; the choices of some rules follow."""
        return len(SUITS) * SUIT_SIZE + (2 if self.draft or self.humbug else 0)

    @cached_property
    def record(self) -> np.ndarray[Any, Any]:
        """The rules as kernels read them: a ``RULES_RECORD`` array of shape (1,), read-only."""
        record = np.zeros(1, RULES_RECORD)
        record["cards"] = len(self.cards)
        record["hand"] = self.hand
        record["deck"] = mask_of(self.cards)
        record["open_stock"] = self.open_stock
        record["has_trump"] = self.trump == "turned"
        for flag in ("high_low", "draft", "humbug", "race", "has_choices"):
            record[flag] = getattr(self, flag)
        record["all_count"] = self.counts == "all"
        record["points"] = POINTS.index(self.points)
        record["book"] = self._book
        record["slam"] = self.slam
        record["counted"] = self.counted
        record.flags.writeable = False
        return record

    def __reduce__(self) -> Any:
        """Pickle the fields only: an unpickled record would be writeable, and kernels would compile again for it."""
        return rules_from_dict, (self.to_dict(),)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a plain dictionary."""
        return dataclasses.asdict(self)


@lru_cache
def rule_names() -> tuple[str, ...]:
    """Return the names of the rule presets, sorted.

    Example:
        >>> "classic" in german_whist.rule_names()
        True
    """
    folder = resources.files("german_whist.configs") / "rules"
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".yaml")))


@lru_cache
def _preset(name: str) -> Rules:
    if name not in rule_names():
        raise unknown_name_error("rules", name, rule_names())
    text = (resources.files("german_whist.configs") / "rules" / f"{name}.yaml").read_text(encoding="utf-8")
    return rules_from_dict(parse_yaml(text, name) or {})


def rules(spec: str | Rules = "classic") -> Rules:
    """Return the rules of a preset, optionally with changed settings.

    Example:
        >>> german_whist.rules("classic:hand=10,stock=32,counts=all").tricks
        26

    Args:
        spec: a preset such as ``"classic"``, a preset with changed settings such as ``"classic:hand=10,stock=32"``, or
            ``Rules``, which are returned unchanged.

    Raises:
        ValueError: if the preset or a field is unknown, or a value is not allowed.
    """
    if isinstance(spec, Rules):
        return spec
    if not isinstance(spec, str):
        raise ValueError(f"rules must be a name or Rules, got {spec!r}")
    name, _, settings = spec.partition(":")
    base = _preset(name)
    given = split_settings(settings, f"rules {name!r}")
    try:
        changed = {key: parse_yaml(text, key) for key, text in given.items()}
    except ValueError:
        raise ValueError(f"rules {spec!r}: settings are written key=value, with numbers or names") from None
    return rules_from_dict({**base.to_dict(), **changed})


def rules_from_dict(fields: dict[str, Any]) -> Rules:
    """Return rules from a dictionary of fields; missing fields are those of the classic game.

    Raises:
        ValueError: if a field is unknown or a value is not allowed.
    """
    names = [field.name for field in dataclasses.fields(Rules)]
    for key in fields:
        if key not in names:
            raise unknown_name_error("rules field", key, names)
    return Rules(**fields)
