"""Random numbers for agents, independent of the batch size: each row draws from the stream of its own deal.

The numbers come from Philox, as the deals do, but under another key: a BLAKE2b digest of the seed and the stream. An
agent that inspects its generator therefore learns neither the seed, which would reveal every card, nor the other
agent's numbers.
"""

from __future__ import annotations

import math
from copy import copy
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from german_whist.game.dealing_kernels import AGENT_STREAM, philox
from german_whist.game.utils.checks import check_int, check_seed
from german_whist.game.utils.jit import kernel

Words = npt.NDArray[np.uint64]

# Philox blocks reserved for each step of a deal. Steps stay below 2**16 too, so a block number fits into the 32 bits
# that the counter has for it.
_BLOCKS_PER_STEP = 2**16
_DEAL_STEP = 2**16 - 1  # stands for a whole deal: no deal has so many actions
_MAX_STREAM = 2**63 - 1


@kernel
def _fill_words(keys: Words, indices: Words, blocks: Words, out: Words) -> None:
    for row in range(out.shape[0]):
        for column in range(0, out.shape[1], 2):  # a block of four 32-bit words makes two numbers
            w0, w1, w2, w3 = philox(
                keys[row], indices[row], blocks[row] + np.uint64(column // 2), np.uint64(AGENT_STREAM)
            )
            out[row, column] = (w0 << np.uint64(32)) | w1
            if column + 1 < out.shape[1]:
                out[row, column + 1] = (w2 << np.uint64(32)) | w3


@lru_cache(maxsize=65_536)
def agent_key(seed: int, stream: int) -> int:
    """Return the key of a stream of agents' random numbers, 0 to 2**64 - 1. The seed cannot be computed from it.

    A small seed can still be found by brute force: see the documentation's page on the design.

    Args:
        seed: seed of the deals, 0 to 2**64 - 1.
        stream: number of the stream.
    """
    digest = blake2b(
        seed.to_bytes(8, "little"), digest_size=8, person=b"agents", salt=stream.to_bytes(8, "little", signed=True)
    )
    return int.from_bytes(digest.digest(), "little")


def _keys(seeds: Words, stream: int) -> Words | int:
    """Return the key of each row's seed, or a single key if all rows share their seed."""
    if len(seeds) == 1 or (len(seeds) and (seeds == seeds[0]).all()):
        return agent_key(int(seeds[0]), stream)
    return np.fromiter((agent_key(seed, stream) for seed in seeds.tolist()), np.uint64, len(seeds))


_NO_WORDS: Words = np.zeros(0, np.uint64)


class RandomNumbers(Protocol):
    """What agents draw from: ``numpy.random.Generator`` has it, and ``AgentRng``."""

    def random(self, size: Any = None) -> Any:
        """Return uniform numbers in [0, 1), float64 of shape ``size``."""
        ...

    def integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """Return uniform integers from ``low`` to ``high`` − 1, int64 of shape ``size``."""
        ...


class AgentRng:
    """A drop-in replacement for ``numpy.random.Generator`` as ``decisions.rng``, with one row per decision.

    A row's numbers depend only on the deal's address, the number of actions played and the stream, so a match has the
    same result in any batch size. It has the two methods that agents need, ``random`` and ``integers``.
    """

    def __init__(self, seed: int | Words, indices: npt.ArrayLike, stream: int = 0, step: npt.ArrayLike = 0) -> None:
        """Set the address of each row.

        Args:
            seed: seed of the deals, 0 to 2**64 - 1; a uint64[rows] array gives each row its own. It is not kept.
            indices: index of the deal in each row, uint64[rows].
            stream: stream number, from 0; the agents of a match have one each.
            step: number of actions played so far, 0 to 2**16 - 1: one for all rows, or one per row.

        Raises:
            ValueError: if the seed or the stream is out of range.
        """
        stream = check_int("stream", stream, 0, _MAX_STREAM)
        self._indices = np.asarray(indices, np.uint64)
        if isinstance(seed, np.ndarray) and seed.dtype == np.uint64 and seed.shape == self._indices.shape:
            self._key = _keys(seed, stream)
        else:
            self._key = agent_key(check_seed(seed), stream)
        self._step = step
        self._rows: Any = slice(None)
        self._level = 0
        # One per address, filled at the first draw: most agents never draw.
        self._keys = self._blocks = _NO_WORDS

    def _words(self, size: int | tuple[int, ...] | None) -> Words:
        self._fill()
        indices = self._indices[self._rows]
        rows = len(indices)
        shape = (size,) if isinstance(size, (int, np.integer)) else (rows,) if size is None else tuple(size)
        if not shape or shape[0] != rows:
            raise ValueError(f"size must be {rows} or ({rows}, ...), one row per view, got {size!r}")
        per_row = math.prod(shape[1:])
        out = np.empty((rows, per_row), np.uint64)
        _fill_words(self._keys[self._rows], indices, self._blocks[self._rows], out)
        self._blocks[self._rows] += np.uint64((per_row + 1) // 2)
        return out.reshape(shape)

    def _fill(self) -> None:
        if len(self._keys) != len(self._indices):
            self._keys, self._blocks = np.empty_like(self._indices), np.empty_like(self._indices)
            self._keys[:], self._blocks[:] = self._key, self._step
            self._blocks *= np.uint64(_BLOCKS_PER_STEP)

    def rows(self, rows: npt.ArrayLike, level: int = 0) -> AgentRng:
        """Return the numbers of some rows, bool[rows] or int64[k], for an agent that is asked about these alone.

        No number is drawn twice, here or by the part. With ``level=1`` this holds for :meth:`of_deal`, too, which
        otherwise draws the same numbers in both.
        """
        self._fill()
        part = copy(self)
        part._level += level
        part._rows = np.arange(len(self._indices))[self._rows][np.asarray(rows)]
        return part

    def of_deal(self) -> AgentRng:
        """Return numbers that each row draws again at every decision of its deal."""
        whole = copy(self)
        whole._step, whole._keys = _DEAL_STEP - self._level, _NO_WORDS
        return whole

    def random(self, size: int | tuple[int, ...] | None = None) -> npt.NDArray[np.float64]:
        """Return uniform numbers in [0, 1), float64 of shape ``size`` (one per row by default).

        Raises:
            ValueError: if the first dimension of ``size`` is not the number of rows.
        """
        # The upper 53 bits, which is what a float64 in [0, 1) holds.
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
