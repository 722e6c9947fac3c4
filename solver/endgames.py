"""What open endgames are worth when both seats play perfectly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.cards import NUM_CARDS, SUITS, card_text, mask_of, parse_card, parse_hand
from german_whist.solver.query_rows import DECK, Endgames
from german_whist.solver.search.alpha_beta_kernels import new_memory
from german_whist.solver.search.value_kernels import NOT_LEGAL, write_move_tricks, write_reached, write_tricks
from german_whist.solver.tables.position_kernels import MAX_CARDS

Hand = str | int | Iterable[int | str]


def solve_endgame(
    leader: Hand, follower: Hand, trump: str | None = None, low: bool = False, led: str | int | None = None
) -> int:
    """Return how many tricks the leader takes when both play perfectly.

    Args:
        leader: the cards of the seat that leads the trick: text as ``"AKQ2.T98..J4"`` (suits S.H.D.C), cards as
            numbers or text (``["SA", "H2"]``), or a 64-bit mask.
        follower: those of the other seat, as many, 1 to 13.
        trump: letter of the trump suit, or ``None``.
        low: whether both seats want as few tricks as possible.
        led: the card that the leader has led, when the follower is to play; the leader's hand may hold it or not.

    Raises:
        ValueError: when the hands are not of one size from 1 to 13, a card stands twice, or something is no card.
        TableError: when there is no table and none can be built.
    """
    card = _card(led)
    own, other = _mask(leader, "leader"), _mask(follower, "follower")
    suit = check_trump(trump)
    return int(solve_endgames([own], [other], suit, low, card)[0])


def solve_endgames(
    leaders: npt.ArrayLike,
    followers: npt.ArrayLike,
    trumps: npt.ArrayLike = -1,
    lows: npt.ArrayLike = False,
    leds: npt.ArrayLike = -1,
    at_least: int | None = None,
) -> npt.NDArray[Any]:
    """Return how many tricks the leaders of many endgames take, solved on all cores.

    Args:
        leaders: masks of the leaders' hands, uint64[n], with or without a card led.
        followers: masks of the followers' hands, uint64[n].
        trumps: trump suits, int[n] or one for all; −1 for none.
        lows: whether the fewest tricks win, bool[n] or one for all.
        leds: the cards led, int[n] or one for all; −1 for none.
        at_least: ask only whether the leader takes so many tricks, which is quicker.

    Returns:
        int8[n], or bool[n] with ``at_least``.

    Raises:
        ValueError: as ``solve_endgame``; the message names the row.
        TableError: when there is no table and none can be built.
    """
    endgames = Endgames(leaders, followers, trumps, lows, leds)
    if at_least is None:
        tricks = np.empty(len(endgames.leaders), np.int8)
        endgames.solve(lambda table, memory, rows: write_tricks(table, memory, *rows, tricks), new_memory)
        return tricks
    if isinstance(at_least, bool) or not isinstance(at_least, (int, np.integer)):
        raise ValueError(f"at_least {at_least!r} is not allowed: a whole number of tricks")
    threshold = np.int64(np.clip(at_least, -1, MAX_CARDS + 1))
    reached = np.empty(len(endgames.leaders), np.bool_)
    endgames.solve(lambda table, memory, rows: write_reached(table, memory, *rows, threshold, reached), new_memory)
    return reached


def endgame_move_values(
    leaders: npt.ArrayLike,
    followers: npt.ArrayLike,
    trumps: npt.ArrayLike = -1,
    lows: npt.ArrayLike = False,
    leds: npt.ArrayLike = -1,
) -> npt.NDArray[np.int8]:
    """Return for each legal card of the seat to act how many tricks that seat then takes, the current one included.

    The seat to act is the leader, or the follower where a card is led.

    Args:
        leaders: as in ``solve_endgames``, like all others.
        followers: masks of the followers' hands.
        trumps: trump suits.
        lows: whether the fewest tricks win.
        leds: the cards led.

    Returns:
        int8[n, 52]; −1 for cards that are not legal.

    Raises:
        ValueError: as ``solve_endgames``.
        TableError: when there is no table and none can be built.
    """
    endgames = Endgames(leaders, followers, trumps, lows, leds)
    tricks = np.full((len(endgames.leaders), 52), NOT_LEGAL, np.int8)
    endgames.solve(lambda table, memory, rows: write_move_tricks(table, memory, *rows, tricks), new_memory)
    return tricks


def _card(given: str | int | None) -> int:
    if given is None:
        return -1
    if isinstance(given, str):
        return parse_card(given)
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or not 0 <= given < NUM_CARDS:
        raise ValueError(f"{given!r} is not a card: names as SA or numbers from 0 to 51 are")
    return int(given)


def _mask(given: Hand, whose: str) -> int:
    if isinstance(given, str):
        return parse_hand(given)
    if isinstance(given, (int, np.integer)):
        if isinstance(given, bool) or not 0 <= given <= DECK:
            raise ValueError(f"{whose} {given!r} is not a mask of cards: a number from 0 to 2**52 - 1")
        return int(given)
    cards = [_card(card) for card in given]
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"{whose}: {card_text(card)} stands twice")
    return mask_of(cards)


def check_trump(given: str | None) -> int:
    """Return the number of a trump suit given by its letter, −1 for none.

    Raises:
        ValueError: when there is no such suit.
    """
    if given is None:
        return -1
    letter = given.strip().upper() if isinstance(given, str) else ""
    if len(letter) != 1 or letter not in SUITS:
        raise ValueError(f"trump {given!r} is not a suit: C, D, H, S, or None for no trumps")
    return SUITS.index(letter)
