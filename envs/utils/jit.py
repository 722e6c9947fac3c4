"""The one way this project compiles a kernel."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
from numba.core import event, types
from numba.core.registry import CPUDispatcher

from german_whist.envs.utils.kernel_cache import CachedKernel, kernel_cache, warn_not_cached
from german_whist.envs.utils.warn_once import COMPILING, warn_once

Function = TypeVar("Function", bound=Callable[..., Any])

# no_cfunc_wrapper: nothing calls kernels from C, and the wrapper takes a tenth of the compilation.
_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_NOTICE_AFTER = 1.0  # seconds of CPU time


def kernel(function: Function) -> Function:
    """Compile a module-level function to machine code on first call; later processes load it from a cache.

    Nothing is cached if no folder can be written (``kernel_cache``). Kernels release the interpreter lock, so batches
    can be stepped from several threads. A kernel must not make arrays: it is compiled without reference counts, which
    would double the time of a kernel that gets many arrays for a single row.
    """
    return _compiled(function, allocates=False)


def allocating_kernel(function: Function) -> Function:
    """Compile a function as :func:`kernel` does, if it makes arrays or calls a kernel that returns one."""
    return _compiled(function, allocates=True)


def _compiled(function: Function, *, allocates: bool) -> Function:
    options = {**_OPTIONS, "_nrt": allocates}  # always set: a kernel inherits missing options from its caller
    folder = kernel_cache()
    given = cast(FunctionType, function)
    called = FunctionType(given.__code__, given.__globals__, given.__name__, given.__defaults__)
    called.__module__ = given.__module__
    called.__qualname__ = f"{given.__qualname__}_called"  # names its files in the cache
    dispatcher = _Kernel(function, targetoptions=options)
    dispatcher.called = _Kernel(called, targetoptions={**options, "no_cpython_wrapper": True})
    if folder is not None:
        config: Any = numba.config
        previous = config.CACHE_DIR
        config.CACHE_DIR = str(folder)  # numba reads it when caching is enabled, and only then
        try:
            dispatcher.enable_caching()
            dispatcher.called.enable_caching()
        except RuntimeError:  # numba finds no place in the folder
            warn_not_cached(folder, "a folder in it cannot be written")
        finally:
            config.CACHE_DIR = previous
    return cast(Function, dispatcher)


class _Kernel(CPUDispatcher):
    """A kernel as Python calls it. Other kernels call its twin ``called``, which has no wrapper for Python.

    This uses three private parts of numba. ``_numba_type_``, by which numba types a dispatcher, and the option
    ``no_cpython_wrapper`` cut compilation to three quarters of the time (a first match takes 12 s of CPU time, not 16).
    The option ``_nrt`` turns reference counts off (a lookahead in training takes 0.31 µs, not 0.66).
    """

    called: Any = None  # a _Kernel; an unpickled kernel has no twin, so kernels call it directly

    def enable_caching(self) -> None:
        self._cache = CachedKernel(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self.called or self)


class _CompilationNotice(event.Listener):
    """Says once on standard error that kernels are being compiled, after a second of CPU time spent on it."""

    def __init__(self) -> None:
        self._depth = 0
        self._spent = 0.0
        self._began = 0.0

    def on_start(self, event: Any) -> None:
        """Note that numba starts to compile a function, perhaps while it compiles one that calls it."""
        if isinstance(event.data["dispatcher"], _Kernel):
            if self._depth == 0:
                self._began = time.thread_time()
            self._depth += 1
            self._check()

    def on_end(self, event: Any) -> None:
        """Note that numba has compiled a function, or failed to."""
        if isinstance(event.data["dispatcher"], _Kernel):
            self._check()
            self._depth -= 1
            if self._depth == 0:
                self._spent += time.thread_time() - self._began

    def _check(self) -> None:
        if self._spent + time.thread_time() - self._began > _NOTICE_AFTER:
            when = "in each process" if kernel_cache() is None else "once; german-whist warmup does it ahead"
            warn_once(COMPILING, f"compiling, 5 to 30 seconds ({when})")


event.register("numba:compile", _CompilationNotice())
