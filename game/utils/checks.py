"""Checks of numbers and integer arrays that callers pass in."""

from __future__ import annotations

import operator
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

SEED_LIMIT = 2**64
MAX_THREADS = 1024


def is_int(value: object, low: int | None = None, high: int | None = None) -> TypeGuard[int]:
    """Return whether a value is an int (Python's or numpy's, not a bool) from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    number = int(value)
    return (low is None or number >= low) and (high is None or number <= high)


def check_int(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return a value as an int.

    Args:
        name: what to call it in the error.
        value: the value.
        low: the smallest allowed.
        high: the largest allowed; no limit by default.

    Raises:
        ValueError: if it is not an integer in that range.
    """
    if not is_int(value, low, high):
        allowed = f">= {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be an integer {allowed}, got {value!r}")
    return int(value)


def check_seed(seed: object, name: str = "seed") -> int:
    """Return a seed, or the index of a deal, as an int.

    Raises:
        ValueError: if it is not an integer from 0 to 2**64 - 1.
    """
    return check_int(name, seed, 0, SEED_LIMIT - 1)


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
        raise ValueError(f"{name} must be integers, got {values.dtype}")
    if values.ndim != 1 or (shape is not None and values.shape != shape):
        raise ValueError(f"{name} must have shape {shape or '(k,)'}, got {values.shape}")
    return values


def deal_indices(given: npt.ArrayLike, shape: tuple[int, ...], name: str = "deal index") -> npt.NDArray[np.uint64]:
    """Return deal indices, or seeds, as a uint64 array of a shape.

    Raises:
        ValueError: if they are not whole numbers from 0 to 2**64 - 1, or have another shape.
    """
    if not isinstance(given, np.ndarray):  # numpy turns a list that mixes small and very large ints into floats
        numbers = np.asarray(given, object)
        given = np.array([check_seed(number, name) for number in numbers.flat], np.uint64).reshape(numbers.shape)
    values = whole_numbers("deal indices" if name == "deal index" else f"{name}s", given, shape)
    if (values < 0).any():
        raise ValueError(f"{name} must be from 0 to 2**64 - 1, got {values.min()}")
    return values.astype(np.uint64, copy=False)


class IllegalActionError(ValueError):
    """An action that is not an integer, or is illegal in this state."""


def whole_action(action: object) -> int:
    """Return an action as an int.

    Args:
        action: an int of any library (not a bool), a float that is whole (5.0), or a NumPy array of shape () or (1,)
            that holds one of these.

    Raises:
        IllegalActionError: for anything else, such as 5.5, ``None``, text or an array of two.
    """
    if type(action) is int:  # the usual case, in every step of an environment
        return action
    one = action.item() if isinstance(action, (np.ndarray, np.generic)) and action.shape in ((), (1,)) else action
    if isinstance(one, float) and one.is_integer():
        return int(one)
    try:
        if not isinstance(one, bool):
            return operator.index(one)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise IllegalActionError(f"action must be an integer, got {action!r}")


def whole_actions(actions: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    """Return actions as int64[count]; those beyond the range of int64 become some illegal action.

    Args:
        actions: whole numbers of any integer or float dtype.
        count: how many there must be.

    Raises:
        ValueError: if they are not whole numbers, or have another shape.
    """
    given = np.asarray(actions)
    if given.dtype.kind not in "iuf" or (given.dtype.kind == "f" and not (np.floor(given) == given).all()):
        raise ValueError(f"actions must be integers, int[{count}], got {given!r}")
    if given.shape != (count,):
        raise ValueError(f"actions must be integers, int[{count}], got {given.dtype}{list(given.shape)}")
    with np.errstate(invalid="ignore"):
        return given.astype(np.int64)
