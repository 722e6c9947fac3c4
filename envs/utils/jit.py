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

# No wrapper for C callers, which nobody needs and which takes a tenth of the compilation.
_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_NOTICE_AFTER = 1.0  # seconds of CPU time


def kernel(function: Function) -> Function:
    """Compile a module-level function to machine code on first call; later processes load it from a cache.

    There is none where no folder can be written (``kernel_cache``). Kernels release the interpreter lock, so batches
    can be stepped from several threads.
    """
    folder = kernel_cache()
    given = cast(FunctionType, function)
    called = FunctionType(given.__code__, given.__globals__, given.__name__, given.__defaults__)
    called.__module__ = given.__module__
    called.__qualname__ = f"{given.__qualname__}_called"  # names its files in the cache
    dispatcher = _Kernel(function, targetoptions=_OPTIONS)
    dispatcher.called = _CalledKernel(called, targetoptions={**_OPTIONS, "no_cpython_wrapper": True})
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


class _CachedDispatcher(CPUDispatcher):
    def enable_caching(self) -> None:
        self._cache = CachedKernel(self.py_func)


class _Kernel(_CachedDispatcher):
    """A kernel as Python calls it. Kernels that name it call ``called`` instead."""

    called: Any = None  # a _CalledKernel; a kernel that comes out of a pickle calls itself

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self if self.called is None else self.called)


class _CalledKernel(_CachedDispatcher):
    """A kernel as other kernels call it.

    It has no wrapper for Python, and is compiled once for all signed integers and constants: cards are int8 in records,
    int64 in variables and constants in calls. Both make compilation a quarter shorter.
    """

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(
            tuple(_widened(one) for one in args), {name: _widened(one) for name, one in kws.items()}
        )


def _widened(argument: Any) -> Any:
    plain = types.unliteral(argument)
    return types.int64 if plain in types.signed_domain else plain


class _CompilationNotice(event.Listener):
    """Says once on standard error that kernels are compiled, as soon as that has taken a second of CPU time."""

    def __init__(self) -> None:
        self._depth = 0
        self._spent = 0.0
        self._began = 0.0

    def on_start(self, event: Any) -> None:
        """Note that numba starts to compile a function, perhaps for one that it is compiling."""
        if isinstance(event.data["dispatcher"], (_Kernel, _CalledKernel)):
            if self._depth == 0:
                self._began = time.thread_time()
            self._depth += 1
            self._check()

    def on_end(self, event: Any) -> None:
        """Note that numba has compiled a function, or failed to."""
        if isinstance(event.data["dispatcher"], (_Kernel, _CalledKernel)):
            self._check()
            self._depth -= 1
            if self._depth == 0:
                self._spent += time.thread_time() - self._began

    def _check(self) -> None:
        if self._spent + time.thread_time() - self._began > _NOTICE_AFTER:
            when = "in each process" if kernel_cache() is None else "once; german-whist warmup does it ahead"
            warn_once(COMPILING, f"compiling, 5 to 30 seconds ({when})")


event.register("numba:compile", _CompilationNotice())
