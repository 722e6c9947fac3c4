"""The one way this project compiles a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from german_whist.envs.utils.kernel_cache import kernel_cache

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a module-level function to machine code on first call; later processes load it from a cache.

    There is none where no folder can be written (``kernel_cache``). Kernels release the interpreter lock, so batches
    can be stepped from several threads.
    """
    cache = kernel_cache()
    # No wrapper for C callers, which nobody needs and which takes a tenth of the compilation.
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    compiler = numba.njit(cache=cache is not None, **options)
    config: Any = numba.config
    previous = config.CACHE_DIR
    config.CACHE_DIR = str(cache or "")  # numba reads it when a function is decorated, and only then
    try:
        return cast(Function, compiler(function))
    finally:
        config.CACHE_DIR = previous
