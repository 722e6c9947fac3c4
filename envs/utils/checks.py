"""Checks of numbers and integer arrays that callers pass in."""

from __future__ import annotations

import operator
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.specs import integers, must_be

SEED_LIMIT = 2**64
MAX_THREADS = 1024

_EXACT_FLOATS = 2.0**53  # beyond it, a float64 cannot tell neighbouring whole numbers apart


class ActionTypeError(TypeError, ValueError):
    """Raised for an action that is not an integer. Like every error of bad input it is also a ``ValueError``."""


def is_whole_number(value: object, low: int | None = None, high: int | None = None) -> TypeGuard[int]:
    """Return whether a value is an int (Python's or numpy's, not a bool) from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    number = int(value)
    return (low is None or number >= low) and (high is None or number <= high)


def whole_number(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return a value as an int.

    Args:
        name: what to call it in the error.
        value: the value.
        low: the smallest allowed.
        high: the largest allowed; no limit by default.

    Raises:
        ValueError: if it is not an integer in that range.
    """
    if not is_whole_number(value, low, high):
        raise ValueError(must_be(name, integers(low, high), value))
    return int(value)


def check_seed(seed: object, name: str = "seed") -> int:
    """Return a seed, or the index of a deal, as an int.

    Raises:
        ValueError: if it is not an integer from 0 to 2**64 - 1.
    """
    return whole_number(name, seed, 0, SEED_LIMIT - 1)


def generator_of(rng: np.random.Generator | int | None) -> np.random.Generator:
    """Return the generator given, or a new one: seeded with an int, or for ``None`` from the operating system.

    Raises:
        ValueError: if ``rng`` is none of these.
    """
    if isinstance(rng, np.random.Generator):
        return rng
    return np.random.default_rng(None if rng is None else check_seed(rng, "rng"))


def whole_numbers(name: str, given: npt.ArrayLike, shape: tuple[int, ...] | None = None) -> npt.NDArray[Any]:
    """Return a one-dimensional array of whole numbers, of any integer dtype.

    Args:
        name: what to call them in errors.
        given: the numbers, int[k].
        shape: the only shape allowed; any length by default.

    Raises:
        ValueError: if they are not whole numbers, or have another shape.
    """
    values = np.asarray(given)
    if not values.size:
        values = values.astype(np.int64)
    if values.dtype.kind not in "iu":
        raise ValueError(must_be(name, "integers", values))
    if values.ndim != 1 or (shape is not None and values.shape != shape):
        raise ValueError(f"{name} must have shape {shape or '(k,)'}, got {values.shape}")
    return values


def deal_indices(given: npt.ArrayLike, shape: tuple[int, ...], name: str = "deal index") -> npt.NDArray[np.uint64]:
    """Return deal indices, or seeds, as a uint64 array of a given shape.

    Raises:
        ValueError: if they are not whole numbers from 0 to 2**64 - 1, or have another shape.
    """
    if not isinstance(given, np.ndarray):  # numpy turns a list that mixes small and very large ints into floats
        numbers = np.asarray(given, object)
        given = np.array([check_seed(number, name) for number in numbers.flat], np.uint64).reshape(numbers.shape)
    values = whole_numbers("deal indices" if name == "deal index" else f"{name}s", given, shape)
    if (values < 0).any():
        raise ValueError(must_be(name, integers(0, SEED_LIMIT - 1), int(values.min())))
    return values.astype(np.uint64, copy=False)


def whole_action(action: object) -> int:
    """Return an action as an int if it is unambiguously a whole number.

    Args:
        action: an int of any library (not a bool), a float that is whole (5.0), or a NumPy array of shape () or (1,)
            that holds one of these.

    Raises:
        ActionTypeError: for anything else, such as 5.5, ``None``, text or an array of two.
    """
    if isinstance(action, np.ndarray) and action.shape in ((), (1,)):
        action = action.reshape(())[()]
    if isinstance(action, (float, np.floating)) and np.isfinite(action) and action == np.floor(action):
        return int(action)
    try:
        if not isinstance(action, (bool, np.bool_)):
            return operator.index(action)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise ActionTypeError(must_be("action", "an integer, an int scalar or an int array of shape (1,)", action))


def whole_actions(actions: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    """Return actions as int64[count]; those beyond the range of int64 become −1, which is never legal.

    Args:
        actions: whole numbers of any integer or float dtype.
        count: how many there must be.

    Raises:
        ActionTypeError: if they are not whole numbers.
        ValueError: if they have another shape.
    """
    given = np.asarray(actions)
    whole = given.dtype.kind in "iu"
    if given.dtype.kind == "f":
        whole = bool(np.all(np.isfinite(given) & (given == np.floor(given))))
    if given.shape != (count,) or not whole:
        error = ValueError if whole else ActionTypeError
        raise error(must_be("actions", f"integers, int[{count}]", given))
    if given.dtype.kind == "f":
        given = np.where(np.abs(given) < _EXACT_FLOATS, given, -1)
    elif given.dtype == np.uint64:
        given = np.minimum(given, np.uint64(2**63 - 1))
    return given.astype(np.int64)
