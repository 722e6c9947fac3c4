"""Perfect play in endgames with both hands known: the leader's tricks, the tricks after each card, best lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import NUM_CARDS, card_text, mask_of, parse_card, parse_hand, parse_suit
from german_whist.game.state_kernels import beats
from german_whist.game.utils.backend import HOST, backend_of
from german_whist.game.utils.checks import is_int
from german_whist.solver.endgame_batch import FULL_DECK_MASK, EndgameBatch, endgame_fault
from german_whist.solver.search.transposition_table import transposition_table
from german_whist.solver.search.value_kernels import (
    NOT_LEGAL,
    is_invalid,
    write_move_tricks,
    write_reached,
    write_tricks,
)
from german_whist.solver.tablebase.cache import open_tablebase
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

if TYPE_CHECKING:
    import torch

Hand = str | int | Iterable[int | str]


def solve_endgame(
    leader: Hand, follower: Hand, trump: str | None = None, *, low: bool = False, led: str | int | None = None
) -> int:
    """Return how many tricks the leader takes if both seats play perfectly, including the current trick.

    In the endgame of German Whist the stock is gone and both players know both hands. It is then a game of perfect
    information, and the value is exact: small hands are looked up in an endgame tablebase (retrograde analysis), larger
    ones are solved by alpha-beta search with a transposition table down to it. If the cache folder has no tablebase,
    the first call builds one, which takes seconds.

    Args:
        leader: hand of the seat that leads the trick: text such as ``"AKQ2.T98..J4"`` (suits S.H.D.C), a list of cards
            as text or numbers (``["SA", "H2"]``), or a 64-bit card mask.
        follower: hand of the other seat, of the same size, 1 to 13 cards.
        trump: letter of the trump suit (C, D, H or S), or ``None`` for no trumps.
        low: whether the fewest tricks win.
        led: the card that the leader has led, if it is the follower's turn. The leader's hand may or may not include
            it.

    Raises:
        ValueError: if the hands differ in size or are not of 1 to 13 cards, a card is given twice, or something is not
            a card, a mask or a suit.
    """
    card = _card(led)
    own, other = _mask(leader, "leader"), _mask(follower, "follower")
    suit = check_trump(trump)
    if is_invalid(np.uint64(own), np.uint64(other), card):
        raise ValueError(endgame_fault(own, other, card))
    tricks, row = np.empty(1, np.int8), np.zeros(1, np.int64)
    hands = np.array([own], np.uint64), np.array([other], np.uint64)
    numbers = np.array([suit], np.int8), np.array([card], np.int8)
    write_tricks(open_tablebase(suit >= 0, low), transposition_table(), *hands, *numbers, row, tricks)
    return int(tricks[0])


@overload
def solve_endgames(
    leaders: npt.ArrayLike,
    followers: npt.ArrayLike,
    *,
    trumps: npt.ArrayLike = -1,
    lows: npt.ArrayLike = False,
    leds: npt.ArrayLike = -1,
    at_least: None = None,
    by_card: bool = False,
    device: None = None,
) -> npt.NDArray[np.int8]: ...
@overload
def solve_endgames(
    leaders: npt.ArrayLike,
    followers: npt.ArrayLike,
    *,
    trumps: npt.ArrayLike = -1,
    lows: npt.ArrayLike = False,
    leds: npt.ArrayLike = -1,
    at_least: int,
    by_card: bool = False,
    device: None = None,
) -> npt.NDArray[np.bool_]: ...
@overload
def solve_endgames(
    leaders: npt.ArrayLike | torch.Tensor,
    followers: npt.ArrayLike | torch.Tensor,
    *,
    trumps: npt.ArrayLike | torch.Tensor = -1,
    lows: npt.ArrayLike | torch.Tensor = False,
    leds: npt.ArrayLike | torch.Tensor = -1,
    at_least: int | None = None,
    by_card: bool = False,
    device: str | torch.device,
) -> torch.Tensor: ...
def solve_endgames(
    leaders: Any,
    followers: Any,
    *,
    trumps: Any = -1,
    lows: Any = False,
    leds: Any = -1,
    at_least: int | None = None,
    by_card: bool = False,
    device: Any = None,
) -> Any:
    """Solve many endgames with both hands known: return how many tricks each leader takes in perfect play.

    The values are exact, from retrograde analysis and alpha-beta search as in ``solve_endgame``. All cores take part,
    or a GPU.

    Args:
        leaders: hands of the leaders as card masks, uint64[n], in which bit ``13 * suit + rank`` is a card; with or
            without the card led.
        followers: hands of the followers as card masks, uint64[n].
        trumps: trump suits (C D H S = 0 … 3), int[n] or one for all; −1 for none.
        lows: whether the fewest tricks win, bool[n] or one for all.
        leds: cards led (``13 * suit + rank``, 0 … 51), int[n] or one for all; −1 for none.
        at_least: return only whether the leader takes at least this many tricks. This is a zero-window search, which is
            faster.
        by_card: return, for each legal card of the seat to act, how many tricks that seat takes after it. The seat to
            act is the leader, or the follower if a card is led.
        device: ``None`` for NumPy arrays; ``"cuda"`` or ``"cpu"`` for torch tensors on that device, in and out. A GPU
            looks endgames up in a complete table of 2.3 GiB, which is built first if there is none.

    Returns:
        int8[n], the tricks including the current one. With ``at_least``, bool[n]; with ``by_card``, int8[n, 52], −1 for
        cards that are not legal.

    Raises:
        ValueError: as ``solve_endgame``, and the message names the row; also if both ``at_least`` and ``by_card`` are
            given, or ``by_card`` with a GPU.
    """
    if at_least is not None and not is_int(at_least):
        raise ValueError(f"at_least must be an integer, got {at_least!r}")
    if at_least is not None:
        at_least = min(max(int(at_least), -1), MAX_CARDS + 1)  # any integer is allowed, but tricks are int8
    if at_least is not None and by_card:
        raise ValueError(f"at_least={at_least!r} and by_card=True do not go together")
    backend = backend_of(device)
    if backend.is_gpu and by_card:
        raise ValueError("by_card=True needs the CPU: leave device out")
    endgames = EndgameBatch(leaders, followers, trumps, lows, leds, backend if backend.is_gpu else HOST)
    if backend.is_gpu:
        tricks = endgames.look_up()
        return tricks if at_least is None else tricks >= at_least
    return backend.array(_searched(endgames, at_least, by_card))


def _searched(endgames: EndgameBatch, at_least: int | None, by_card: bool) -> npt.NDArray[Any]:
    """Return what ``solve_endgames`` returns, by search."""
    count = len(endgames.leaders)
    if by_card:
        values = np.full((count, NUM_CARDS), NOT_LEGAL, np.int8)
        endgames.search(
            lambda tablebase, transpositions, rows: write_move_tricks(tablebase, transpositions, *rows, values),
            transposition_table,
        )
        return values
    if at_least is None:
        tricks = np.empty(count, np.int8)
        endgames.search(
            lambda tablebase, transpositions, rows: write_tricks(tablebase, transpositions, *rows, tricks),
            transposition_table,
        )
        return tricks
    threshold = np.int64(at_least)
    reached = np.empty(count, np.bool_)
    endgames.search(
        lambda tablebase, transpositions, rows: write_reached(tablebase, transpositions, *rows, threshold, reached),
        transposition_table,
    )
    return reached


def _card(given: str | int | None) -> int:
    if given is None:
        return -1
    if isinstance(given, str):
        return parse_card(given)
    if not is_int(given, 0, NUM_CARDS - 1):
        raise ValueError(f"a card must be a name such as SA or an integer from 0 to {NUM_CARDS - 1}, got {given!r}")
    return int(given)


def _mask(given: Hand, whose: str) -> int:
    if isinstance(given, str):
        return parse_hand(given)
    if isinstance(given, (int, np.integer)):
        if not is_int(given, 0, FULL_DECK_MASK):
            raise ValueError(f"{whose} must be a mask of cards from 0 to 2**52 - 1, got {given!r}")
        return int(given)
    cards = [_card(card) for card in given]
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"{whose}: {card_text(card)} is given twice")
    return mask_of(cards)


def check_trump(given: str | None) -> int:
    """Return the number of a trump suit such as ``"S"``; −1 for ``None``.

    Raises:
        ValueError: if there is no such suit.
    """
    if given is None:
        return -1
    try:
        return parse_suit(given)
    except ValueError:
        raise ValueError(f"trump must be C, D, H, S, or None for no trumps, got {given!r}") from None


class Trick(NamedTuple):
    """A trick of a principal variation.

    Attributes:
        seat: the seat that led: 0 for the leader of the first trick, 1 for the other.
        led: the card led.
        reply: the other seat's card.
        winner: the seat that took it.
    """

    seat: int
    led: int
    reply: int
    winner: int


def principal_variation(leader: int, follower: int, trump: int = -1, low: bool = False, led: int = -1) -> list[Trick]:
    """Return a line in which both seats always play a best card: of several, the lowest of the first suit.

    Args:
        leader: card mask of the leader's hand, with or without the card led.
        follower: card mask of the follower's hand.
        trump: the trump suit (C D H S = 0 … 3), −1 for none.
        low: whether the fewest tricks win.
        led: the card that the leader has led, −1 for none.

    Raises:
        ValueError: as ``solve_endgames``.
    """
    hands = [int(leader), int(follower)]
    seat, tricks = 0, []
    while hands[1 - seat]:
        if led < 0:
            led = _best_cards(hands[seat], hands[1 - seat], trump, low)[0]
        hands[seat] &= ~(1 << led)
        reply = _best_cards(hands[seat], hands[1 - seat], trump, low, led)[0]
        hands[1 - seat] &= ~(1 << reply)
        winner = 1 - seat if beats(reply, led, trump) else seat
        tricks.append(Trick(seat, led, reply, winner))
        seat, led = winner, -1
    return tricks


def _best_cards(leader: int, follower: int, trump: int, low: bool, led: int = -1) -> list[int]:
    """Return the best cards of the seat to act, in ascending order."""
    values = solve_endgames([leader], [follower], trumps=trump, lows=low, leds=led, by_card=True)[0]
    legal = [card for card in range(len(values)) if values[card] >= 0]
    best = (min if low else max)(values[card] for card in legal)
    return [card for card in legal if values[card] == best]
