"""Bit operations on card masks, compared with plain Python."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.envs.engine.cards import mask_of
from german_whist.envs.utils.bit_kernels import write_cards
from german_whist.envs.utils.jit import kernel


@kernel
def write_into(mask, rows, start):
    for i in range(rows.shape[0]):
        write_cards(mask, rows[i], start)


@pytest.mark.parametrize(
    "rows",
    [
        np.full((3, 60), 7, np.int8)[:, 4:56],
        np.full((3, 104), 7, np.int8)[:, ::2],
        np.full((3, 52), 7, np.int8)[:, ::-1],
        np.full((52, 3), 7, np.int8).T,
        np.full((3, 52), 7, np.uint8),
        np.full((3, 52), 7, np.int64),
        np.full((3, 52), 7, np.float32),
    ],
    ids=["part of wider rows", "every other cell", "backwards", "columns", "uint8", "int64", "float32"],
)
def test_write_cards_supports_any_row_layout(rows: npt.NDArray[np.generic]) -> None:
    cards = {0, 7, 15, 16, 31, 32, 35, 36, 50, 51}
    write_into(np.uint64(mask_of(cards)), rows, 0)
    assert (rows == [card in cards for card in range(52)]).all()


def test_write_cards_ignores_bits_above_the_deck() -> None:
    rows = np.full((1, 60), 7, np.int8)
    write_into(np.uint64(2**64 - 1), rows, 0)
    assert rows[0].tolist() == [1] * 52 + [7] * 8
