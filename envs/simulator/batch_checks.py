"""Checks of what is given to a batch: arrays to write into, decks and dealers, actions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.actions import action_text, actions_text
from german_whist.envs.engine.cards import parse_deck
from german_whist.envs.engine.rules import Rules


def output_array(shape: tuple[int, int], out: npt.NDArray[np.int8] | None) -> npt.NDArray[np.int8]:
    """Return the array to write into: ``out``, or a new one.

    Raises:
        ValueError: if ``out`` has another shape.
    """
    if out is None:
        return np.empty(shape, np.int8)
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}: {shape} is needed")
    return out


def read_decks(
    rules: Rules, count: int, decks: Sequence[str | Sequence[int]], dealers: npt.ArrayLike
) -> tuple[list[list[int]], npt.NDArray[np.int64]]:
    """Return some decks as card numbers, and their dealers, int64[count].

    Raises:
        ValueError: if their number differs, a deck is not a permutation of this game's deck, or a dealer is not 0 or 1.
    """
    seats = np.asarray(dealers)
    if seats.shape != (count,) or len(decks) != count or not np.isin(seats, (0, 1)).all():
        raise ValueError(f"{count} decks and as many dealers, each 0 or 1, are needed")
    return [parse_deck(deck, rules.cards) for deck in decks], seats.astype(np.int64)


def illegal_row_error(rules: Rules, row: int, action: int, seat: int, legal: int) -> ValueError:
    """Return the error for an action that a row's seat to act may not choose; ``legal`` is a mask."""
    name = f" ({action_text(action, rules)})" if 0 <= action < rules.num_actions else ""
    return ValueError(
        f"action {action}{name} is illegal in row {row}: seat {seat} may play {actions_text(legal, rules)}"
    )
