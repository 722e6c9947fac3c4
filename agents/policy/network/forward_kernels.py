"""One layer of the forward pass: a matrix product that skips zero inputs and sums in a fixed order.

An output starts from its bias. The nonzero inputs are added in fours, as ``(a * x + b * y) + (c * z + d * w)``, and the
remaining ones one by one. Many outputs are summed side by side in vector registers (``vector_code``). A block of rows
is multiplied by the same few columns of the weight, which stay in the fastest cache, before the next ones.
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
    """Return the positions of the set bits of every byte, packed into the bytes of a uint64[256], and their number."""
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
        start: offset of the layer's weight, (inputs, outputs).
        bias: offset of its bias.
        rectify: whether negative outputs become 0 (ReLU).
        places: scratch, uint32[block, at least inputs + 8]: ``write_eight`` writes eight at a time.
        values: scratch, float32[block, at least inputs].
        counts: scratch, int64[block]; its length is the number of rows in a block.
        outputs: float32[rows, outputs], contiguous, written; outputs are a multiple of ``NARROW``.
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
    """Write the indices and the values of a row's nonzero entries, and return their number."""
    count = 0
    size = row.shape[0]
    # No branch depends on the entries: it would be mispredicted too often. What is written beyond ``count`` is
    # overwritten by the next entry.
    if size < WORD:
        for place in range(size):
            places[count] = place
            count += row[place] != 0
    for begin in range(0, size if size >= WORD else 0, WORD):
        first = min(begin, size - WORD)  # the last word overlaps the one before it, so as not to read beyond the row
        seen = np.uint64(begin - first)
        bits = (nonzero_bits(row, first) >> seen) << seen  # clears the bits that were counted before
        for byte in range(0, WORD, 8):
            eight = np.int64((bits >> np.uint64(byte)) & np.uint64(0xFF))
            write_eight(_PLACES[eight], first + byte, places, count)
            count += _COUNTS[eight]
    for number in range(count):
        values[number] = row[places[number]]
    return count
