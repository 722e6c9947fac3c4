"""One layer of the forward pass: a matrix product with a fixed order of summation that skips zero inputs.

An output is its bias, plus the inputs that are not 0, four at a time as ``(a * x + b * y) + (c * z + d * w)``, then the
rest one by one. Many outputs are summed side by side in vector registers (``vector_code``). A block of rows takes the
same few columns of the weight, which so stay in the fastest cache, before it takes the next ones.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.policy.network.vector_code import (
    NARROW,
    WIDE,
    WORD,
    nonzero_bits,
    write_eight,
    write_narrow,
    write_wide,
)
from german_whist.envs.utils.jit import kernel


def _bits_set():
    """Return where the bits of each byte are set, as the low bytes of a number, uint64[256], and how many are."""
    places, counts = np.zeros(256, np.uint64), np.zeros(256, np.int64)
    for byte in range(256):
        of_byte = [bit for bit in range(8) if byte >> bit & 1]
        places[byte], counts[byte] = int.from_bytes(of_byte, "little"), len(of_byte)
    return places, counts


_PLACES, _COUNTS = _bits_set()


@kernel
def write_layer(rows, weights, start, bias, rectify, places, values, counts, outputs):
    """Write a layer's outputs.

    Args:
        rows: int8 or float32[rows, inputs], contiguous.
        weights: float32, of this layer and possibly others.
        start: where the layer's weight starts, (inputs, outputs).
        bias: where its bias starts.
        rectify: whether negative outputs become 0 (ReLU).
        places: scratch, uint32[block, inputs + 8 or more].
        values: scratch, float32[block, inputs or more].
        counts: scratch, int64[block], for as many rows as are to be taken together.
        outputs: float32[rows, outputs], contiguous, written: a multiple of ``NARROW``.
    """
    width = outputs.shape[1]
    for begin in range(0, rows.shape[0], counts.shape[0]):
        block = min(counts.shape[0], rows.shape[0] - begin)
        for i in range(block):
            counts[i] = _write_nonzero(rows[begin + i], places[i], values[i])
        first = 0
        while first + WIDE <= width:
            for i in range(block):
                write_wide(i, counts[i], places, values, weights, start, bias, rectify, outputs, begin + i, first)
            first += WIDE
        while first < width:
            for i in range(block):
                write_narrow(i, counts[i], places, values, weights, start, bias, rectify, outputs, begin + i, first)
            first += NARROW


@kernel
def _write_nonzero(row, places, values):
    """Write the indices and the values of a row's entries that are not 0, and return their number."""
    count = 0
    size = row.shape[0]
    if size < WORD:
        for place in range(size):
            places[count] = place
            count += row[place] != 0
    for begin in range(0, size if size >= WORD else 0, WORD):
        first = min(begin, size - WORD)
        seen = np.uint64(begin - first)
        bits = (nonzero_bits(row, first) >> seen) << seen
        for byte in range(0, WORD, 8):  # without branches, which would be mispredicted
            eight = np.int64((bits >> np.uint64(byte)) & np.uint64(0xFF))
            write_eight(_PLACES[eight], first + byte, places, count)
            count += _COUNTS[eight]
    for number in range(count):
        values[number] = row[places[number]]
    return count
