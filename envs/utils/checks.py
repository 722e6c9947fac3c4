"""Checks of the arrays that callers of a batch give it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

SEED_LIMIT = 2**64


def check_seed(seed: object, name: str = "seed") -> int:
    """Return a seed (or a deal's index) as an int.

    Raises:
        ValueError: when it is not a whole number from 0 to 2**64 - 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= int(seed) < SEED_LIMIT:
        raise ValueError(f"{name} {seed!r} is not allowed: a whole number from 0 to 2**64 - 1")
    return int(seed)


def whole_numbers(name: str, given: npt.ArrayLike, shape: tuple[int, ...] | None = None) -> npt.NDArray[Any]:
    """Return a row of whole numbers, of any integer type.

    Args:
        name: what to call them in errors.
        given: the numbers, int[k].
        shape: the only shape allowed; any length by default.

    Raises:
        ValueError: when they are no whole numbers or have another shape.
    """
    values = np.asarray(given)
    if not values.size:
        values = values.astype(np.int64)
    if values.dtype.kind not in "iu":
        raise ValueError(f"{name} have dtype {values.dtype}: whole numbers are needed")
    if values.ndim != 1 or (shape is not None and values.shape != shape):
        raise ValueError(f"{name} have shape {values.shape}: {shape or '(k,)'} is needed")
    return values


def numbers_between(
    name: str, given: npt.ArrayLike, low: int, high: int, shape: tuple[int, ...] | None = None
) -> npt.NDArray[np.int64]:
    """Return whole numbers in a range, int64[k]. Kernels do not check what they index with.

    Raises:
        ValueError: when they are no whole numbers, have another shape, or one is outside the range.
    """
    values = whole_numbers(name, given, shape)
    outside = (values < low) | (values > high)
    if outside.any():
        raise ValueError(f"{name}: {values[outside][0]} is not allowed: from {low} to {high}")
    return values.astype(np.int64, copy=False)


def deal_indices(given: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[np.uint64]:
    """Return the indices of deals, uint64 of a given shape.

    Raises:
        ValueError: when they are no whole numbers from 0 to 2**64 - 1, or have another shape.
    """
    if not isinstance(given, np.ndarray):  # numpy would make floats of a list that mixes small and very large numbers
        numbers = np.asarray(given, object)
        given = np.array([check_seed(number, "deal index") for number in numbers.flat], np.uint64).reshape(
            numbers.shape
        )
    values = whole_numbers("deal indices", given, shape)
    if (values < 0).any():
        raise ValueError(f"deal index {values.min()} is not allowed: a whole number from 0 to 2**64 - 1")
    return values.astype(np.uint64, copy=False)
