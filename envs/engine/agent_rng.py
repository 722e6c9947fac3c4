"""Randomness for agents that does not depend on how deals are batched: every row draws from its own deal's stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.dealing import AGENT_STREAM, philox
from german_whist.envs.utils.checks import check_seed
from german_whist.envs.utils.jit import kernel

_BLOCKS_PER_STEP = 2**16


@kernel
def _fill_words(seed, indices, stream, blocks, out):
    for row in range(out.shape[0]):
        for cell in range(0, out.shape[1], 2):
            w0, w1, w2, w3 = philox(seed, indices[row], blocks[row] + np.uint64(cell // 2), stream)
            out[row, cell] = (w0 << np.uint64(32)) | w1
            if cell + 1 < out.shape[1]:
                out[row, cell + 1] = (w2 << np.uint64(32)) | w3


class AgentRng:
    """A stand-in for ``numpy.random.Generator`` whose first dimension is one row per view.

    The numbers of a row depend on its deal's address, the step of play and the stream alone, so that a match gives the
    same result in any batch size. It has the two methods that agents need, ``random`` and ``integers``.
    """

    def __init__(self, seed: int, indices: npt.ArrayLike, stream: int = 0, step: npt.ArrayLike = 0) -> None:
        """Address the rows.

        Args:
            seed: the key, 0 to 2**64 - 1.
            indices: the deal of each row, uint64[rows].
            stream: tells the users of randomness apart (the agents of a match), from 0.
            step: how many actions have been played, 0 to 2**16 - 1: one number, or one per row.

        Raises:
            ValueError: when the seed is out of range, or the stream is below 0, where the decks are.
        """
        if stream < 0:
            raise ValueError(f"stream {stream} is not allowed: a whole number from 0")
        self._seed = np.uint64(check_seed(seed))
        self._indices = np.asarray(indices, np.uint64)
        self._stream = np.uint64(AGENT_STREAM + stream)
        self._blocks = np.full(self._indices.shape, np.asarray(step, np.uint64) * np.uint64(_BLOCKS_PER_STEP))

    def _words(self, size: int | tuple[int, ...] | None) -> npt.NDArray[np.uint64]:
        rows = len(self._indices)
        shape = (size,) if isinstance(size, (int, np.integer)) else (rows,) if size is None else tuple(size)
        if not shape or shape[0] != rows:
            raise ValueError(f"size {size!r} is not allowed: the first dimension is {rows}, one row per view")
        cells = int(np.prod(shape[1:], dtype=np.int64))
        out = np.empty((rows, cells), np.uint64)
        _fill_words(self._seed, self._indices, self._stream, self._blocks, out)
        self._blocks = self._blocks + np.uint64((cells + 1) // 2)
        return out.reshape(shape)

    def random(self, size: int | tuple[int, ...] | None = None) -> npt.NDArray[np.float64]:
        """Return uniform numbers in [0, 1), float64 of shape ``size`` (one per row by default).

        Raises:
            ValueError: when the first dimension of ``size`` is not the number of rows.
        """
        numbers: npt.NDArray[np.float64] = np.multiply(self._words(size) >> np.uint64(11), 2.0**-53, dtype=np.float64)
        return numbers

    def integers(
        self, low: int, high: int | None = None, size: int | tuple[int, ...] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return uniform whole numbers from ``low`` up to ``high`` (left out; from 0 up to ``low`` without ``high``).

        Raises:
            ValueError: when the range is empty or the first dimension of ``size`` is not the number of rows.
        """
        start, stop = (0, low) if high is None else (low, high)
        if stop <= start:
            raise ValueError(f"integers from {start} to {stop} is an empty range")
        numbers: npt.NDArray[Any] = np.floor(self.random(size) * (stop - start)).astype(np.int64) + start
        return numbers
