"""The one way this project compiles a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a module-level function to machine code on first call; later processes load it from numba's cache.

    Kernels release the interpreter lock, so batches can be stepped from several threads.
    """
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
