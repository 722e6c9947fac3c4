"""``@kernel``: numba's ``njit`` with this project's options, its cache folder and a line while it compiles.

Raises:
    ValueError: on import, if compilation is disabled: kernels use machine instructions, so Python cannot run them.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import FunctionCache

from german_whist.game.utils.kernel_cache import kernel_cache, kernels_folder
from german_whist.game.utils.private_parts import reference_counts, use_cache

Function = TypeVar("Function", bound=Callable[..., Any])

# no_cfunc_wrapper: nothing calls kernels from C, and the wrapper takes a tenth of the compilation.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
# Seconds of CPU time after which compiling is announced, and between reports of it.
_NOTICE_AFTER = 1.0
REPORT_EVERY = 10.0

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined] # set when numba is imported
    raise ValueError("NUMBA_DISABLE_JIT is set, but german-whist needs compiled kernels: unset it")


def kernel(function: Function) -> Function:
    """Compile a module-level function to machine code on first call; later processes load it from a cache.

    Kernels release the interpreter lock, so batches can be stepped from several threads. A kernel must not make arrays:
    it is compiled without reference counts, which would double the time of one that gets many arrays for a single row.
    """
    return _compiled(function, allocates=False)


def allocating_kernel(function: Function) -> Function:
    """Compile a function as :func:`kernel` does, if it makes arrays or calls a kernel that returns one."""
    return _compiled(function, allocates=True)


def _compiled(function: Function, *, allocates: bool) -> Function:
    # Always set: a kernel inherits missing options from its caller.
    options: Any = {**_OPTIONS, **reference_counts(is_counted=allocates)}
    dispatcher: Any = numba.njit(**options)(function)
    folder = kernel_cache(Path(dispatcher.py_func.__code__.co_filename))
    if folder is not None:
        config: Any = numba.config
        previous = config.CACHE_DIR
        config.CACHE_DIR = str(folder)  # read when the cache is made, and only then
        use_cache(dispatcher, _KernelCache(dispatcher.py_func))
        config.CACHE_DIR = previous
    return cast(Function, dispatcher)


class _KernelCache(FunctionCache):
    """Numba's cache of a kernel, whose error names the folder if a file is damaged."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a compiled kernel, or ``None`` if it is not in the cache.

        Raises:
            ValueError: if it cannot be loaded.
        """
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:
            raise ValueError(
                f"the compiled kernels in {kernels_folder()} cannot be loaded ({type(error).__name__}: {error}): "
                "delete this folder"
            ) from error


class _CompilationNotice(event.Listener):
    """Says on standard error that kernels are being compiled, after a second of CPU time, and then how far it is."""

    def __init__(self) -> None:
        self._depth = 0
        self._spent = 0.0
        self._began = 0.0
        self._compiled = 0
        self._due = _NOTICE_AFTER
        # One process says it: the first of a run, and the first of a pool's workers.
        of_pool = multiprocessing.current_process().name.rpartition("-")[2]
        self._is_silent = os.environ.get("RANK", "0") != "0" or of_pool not in ("MainProcess", "1")

    def on_start(self, event: Any) -> None:
        """Note that numba starts to compile a function, perhaps while it compiles one that calls it."""
        if self._depth == 0:
            self._began = time.thread_time()
        self._depth += 1
        self._check(event)

    def on_end(self, event: Any) -> None:
        """Note that numba has compiled a function, or failed to."""
        self._compiled += 1
        self._check(event)
        self._depth -= 1
        if self._depth == 0:
            self._spent += time.thread_time() - self._began

    def _check(self, event: Any) -> None:
        seconds = self._spent + time.thread_time() - self._began
        if self._is_silent or seconds < self._due:
            return
        if self._due == _NOTICE_AFTER:
            # One slow core takes 28 s for an environment, 75 s for `TextEnv(reward="regret")`, 140 s for a search.
            how_often = "in each process: the cache folder cannot be written" if kernels_folder() is None else "once"
            line = f"compiling what this needs, 50 to 400 kernels in 10 to 180 s ({how_often}; warmup compiles all)"
        else:
            module = event.data["dispatcher"].py_func.__module__
            line = f"compiling: {self._compiled} kernels in {seconds:.0f} s, now {module}"
        print(f"german-whist: {line}", file=sys.stderr, flush=True)
        self._due = seconds + REPORT_EVERY


event.register("numba:compile", _CompilationNotice())
