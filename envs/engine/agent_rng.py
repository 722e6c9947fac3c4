"""Random numbers for agents that do not depend on the batch size: each row draws from the stream of its own deal."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.dealing_kernels import AGENT_STREAM, philox
from german_whist.envs.utils.checks import check_seed
from german_whist.envs.utils.jit import kernel

Words = npt.NDArray[np.uint64]

_BLOCKS_PER_STEP = 2**16


@kernel
def _fill_words(seeds: Words, indices: Words, stream: np.uint64, blocks: Words, out: Words) -> None:
    for row in range(out.shape[0]):
        for column in range(0, out.shape[1], 2):
            w0, w1, w2, w3 = philox(seeds[row], indices[row], blocks[row] + np.uint64(column // 2), stream)
            out[row, column] = (w0 << np.uint64(32)) | w1
            if column + 1 < out.shape[1]:
                out[row, column + 1] = (w2 << np.uint64(32)) | w3


class AgentRng:
    """A drop-in for ``numpy.random.Generator`` in ``agent.act(views, rng)``, with one row of numbers per view.

    A row's numbers depend only on the deal's address, the number of actions played and the stream, so a match has the
    same result in any batch size. Only the two methods that agents need exist, ``random`` and ``integers``.
    """

    def __init__(self, seed: int | Words, indices: npt.ArrayLike, stream: int = 0, step: npt.ArrayLike = 0) -> None:
        """Set the address of each row.

        Args:
            seed: the key, 0 to 2**64 - 1; a uint64 array gives each row its own.
            indices: the deal of each row, uint64[rows].
            stream: from 0; users of randomness (the agents of a match) have one each.
            step: number of actions played so far, 0 to 2**16 - 1: one number, or one per row.

        Raises:
            ValueError: if the seed is out of range or the stream is negative.
        """
        if stream < 0:
            raise ValueError(f"stream {stream} is not allowed: a whole number from 0")
        self._indices = np.asarray(indices, np.uint64)
        own = isinstance(seed, np.ndarray) and seed.dtype == np.uint64 and seed.shape == self._indices.shape
        self._seeds = np.full(self._indices.shape, seed if own else check_seed(seed), np.uint64)
        self._stream = np.uint64(AGENT_STREAM + stream)
        self._blocks = np.full(self._indices.shape, np.asarray(step, np.uint64) * np.uint64(_BLOCKS_PER_STEP))

    def _words(self, size: int | tuple[int, ...] | None) -> Words:
        rows = len(self._indices)
        shape = (size,) if isinstance(size, (int, np.integer)) else (rows,) if size is None else tuple(size)
        if not shape or shape[0] != rows:
            raise ValueError(f"size {size!r} is not allowed: the first dimension is {rows}, one row per view")
        per_row = int(np.prod(shape[1:], dtype=np.int64))
        out = np.empty((rows, per_row), np.uint64)
        _fill_words(self._seeds, self._indices, self._stream, self._blocks, out)
        self._blocks = self._blocks + np.uint64((per_row + 1) // 2)
        return out.reshape(shape)

    def random(self, size: int | tuple[int, ...] | None = None) -> npt.NDArray[np.float64]:
        """Return uniform numbers in [0, 1), float64 of shape ``size`` (one per row by default).

        Raises:
            ValueError: if the first dimension of ``size`` is not the number of rows.
        """
        numbers: npt.NDArray[np.float64] = np.multiply(self._words(size) >> np.uint64(11), 2.0**-53, dtype=np.float64)
        return numbers

    def integers(
        self, low: int, high: int | None = None, size: int | tuple[int, ...] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return uniform integers, int64, from ``low`` to ``high`` - 1 (from 0 to ``low`` - 1 without ``high``).

        Raises:
            ValueError: if the range is empty or the first dimension of ``size`` is not the number of rows.
        """
        start, stop = (0, low) if high is None else (low, high)
        if stop <= start:
            raise ValueError(f"integers from {start} to {stop} is an empty range")
        numbers: npt.NDArray[Any] = np.floor(self.random(size) * (stop - start)).astype(np.int64) + start
        return numbers
