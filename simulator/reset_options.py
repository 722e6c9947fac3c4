"""The ``options`` of an environment's ``reset``: which deal or match is played."""

from __future__ import annotations

import difflib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from german_whist.game.cards import parse_deck
from german_whist.game.utils.checks import SEED_LIMIT, check_seed, is_int


class DealOptions(NamedTuple):
    """Dealing options of a reset; ``None`` for missing ones."""

    deal: tuple[int, int] | None  # (seed, index), or (seed, number) if episodes are matches
    deck: list[int] | None  # cards in dealing order
    dealer: int | None  # seat


_NO_OPTIONS = DealOptions(None, None, None)
_OPTIONS = ("deal", "deck", "dealer", "match", "reset_mask")
_NEAR_MISS = 0.83  # similarity (difflib) from which an unknown option is taken for a misspelt one


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse misspelt options such as ``deals``. Other unknown options are ignored, as libraries pass their own.

    Raises:
        ValueError: if an option is nearly the name of a known one, or ``options`` is not a dictionary.
    """
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dictionary, got {options!r}")
    for name in options:
        if name not in _OPTIONS and (near := difflib.get_close_matches(str(name), _OPTIONS, 1, _NEAR_MISS)):
            raise ValueError(f"unknown option {name!r}: did you mean {near[0]!r}?")


def read_options(options: Mapping[str, Any] | None, cards: Sequence[int], *, match: bool = False) -> DealOptions:
    """Return the dealing options.

    Args:
        options: ``"deal"``: the pair (seed, index) of the deal to play, from which later resets continue;
            ``"deck"``: the cards in dealing order, as text (``"C2 SA …"``) or numbers; ``"dealer"``: 0 or 1. If
            episodes are matches: ``"match"``, the pair (seed, number) of the match, and the ``"dealer"`` of its first
            deal.
        cards: the cards of the game's deck.
        match: whether episodes are matches.

    Raises:
        ValueError: if a value is not allowed, a match is given an option of single deals or the other way round; the
            message names the option.
    """
    if not options:
        return _NO_OPTIONS
    check_options(options)
    deal, deck, dealer = (options.get(name) for name in DealOptions._fields)
    name, number = "deal", "index"
    if match:
        for one in ("deal", "deck"):
            if options.get(one) is not None:
                raise ValueError(f"option {one} is for single deals: a match takes option match=(seed, number)")
        deal, name, number = options.get("match"), "match", "number"
    elif options.get("match") is not None:
        raise ValueError("option match=(seed, number) is for matches: a single deal takes option deal=(seed, index)")
    if deal is not None and deck is not None:
        raise ValueError("options deal and deck both set the cards: give only one of them")
    return DealOptions(
        None if deal is None else _read_address(deal, name, number),
        None if deck is None else parse_deck(deck, cards),
        None if dealer is None else _read_dealer(dealer),
    )


def _read_address(given: Any, option: str, index_name: str) -> tuple[int, int]:
    if isinstance(given, (str, Mapping)) or not hasattr(given, "__len__") or len(given) != 2:
        raise ValueError(f"option {option} must be a pair (seed, {index_name}), got {given!r}")
    seed, index = given
    return check_seed(seed, f"option {option}: seed"), check_seed(index, f"option {option}: {index_name}")


def _read_dealer(dealer: Any) -> int:
    if not is_int(dealer, 0, 1):
        raise ValueError(f"option dealer must be 0 or 1, got {dealer!r}")
    return int(dealer)


def draw_seed() -> int:
    """Return a random seed."""
    return secrets.randbelow(SEED_LIMIT)
