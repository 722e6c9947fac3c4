"""Row kernels: a function of one row, run for all rows of a batch by a loop on a CPU and by a grid on a GPU.

The function (the *body*) takes the row's number and arrays. It is written once, so what the tests check on the CPU is
what a GPU runs. ``cuda_module`` is the library behind it, today ``numba-cuda``, which
``pip install "german-whist[gpu]"`` installs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from german_whist.game.utils import jit
from german_whist.game.utils.private_parts import redirect_cuda

_ALIGNED = 16  # bytes: alignment of records in a thread's local memory

KERNELS: list[Any] = []  # every row kernel of the modules loaded so far


def row_kernel(
    function: Callable[..., Any] | None = None,
    *,
    scratch: Mapping[str, tuple[int, Any]] | None = None,
    writes: str = "",
) -> Any:
    """Make a row kernel from ``function(i, …)``, which handles row ``i``. Call it as ``kernel(n, …)`` for n rows.

    Args:
        function: a module-level function that numba can compile.
        scratch: for each parameter that is a work array of the row: its length and dtype. Callers leave these
            parameters out.
        writes: name of a parameter for which callers pass an int8 array of two dimensions. The function gets its row
            of it, and must write all of that row. On a GPU the rows of a block are first collected in its shared
            memory, because writes are fast only if neighbouring threads write neighbouring bytes.
    """
    if function is None:
        return lambda given: row_kernel(given, scratch=scratch, writes=writes)
    shape = _Shape(function.__name__, list(inspect.signature(function).parameters)[1:], dict(scratch or {}), writes)
    body = jit.kernel(function)
    compiled = jit.allocating_kernel if scratch else jit.kernel
    loop = compiled(shape.compiled(body, function))
    loop.shape, loop.body = shape, body  # type: ignore[attr-defined]
    KERNELS.append(loop)
    return loop


# The only generated code: numba's cache does not find closures over other kernels, and `*arrays` slow down every call.
# A CPU takes the rows one by one, the blocks of a GPU one for each of their threads.
_TEMPLATE = """
def {name}(n, {parameters}):
    threads, own, first, step = {place}
{arrays}
    while first < n:
        i = first + own
        if i < n:
            body(i, {arguments})
{copy}
        first += step
"""
_ON_CPU = "1, 0, 0, 1"
_ON_GPU = "cuda.blockDim.x, cuda.threadIdx.x, cuda.blockIdx.x * cuda.blockDim.x, cuda.gridsize(1)"
# Threads without a row take part in the copies, too: ``syncthreads`` waits for every thread of the block. The second
# one keeps a fast thread from overwriting the staged rows while others still copy them.
_COPY = """
        cuda.syncthreads()
        for byte in range(own, min(threads, n - first) * width, threads):
            {writes}[first + byte // width, byte % width] = staged[byte]
        cuda.syncthreads()
"""


class _Shape(NamedTuple):
    """What is generated around a body."""

    name: str
    parameters: list[str]
    scratch: dict[str, tuple[int, Any]]
    writes: str

    def compiled(self, body: Any, function: Any, cuda: Any = None) -> Callable[..., Any]:
        """Return a body's rows on the CPU, or as a grid of ``cuda``, in the body's file: numba's cache is by file."""
        made = "cuda.local.array({0}_size, {0}_dtype, {1})" if cuda else "np.zeros({0}_size, {0}_dtype)"
        arrays = [f"    {name} = " + made.format(name, _ALIGNED) for name in self.scratch]
        row, copy = f"{self.writes}[i]", ""
        if cuda and self.writes:
            arrays += ["    staged = cuda.shared.array(0, np.int8)", f"    width = {self.writes}.shape[1]"]
            row, copy = "staged[own * width : (own + 1) * width]", _COPY.format(writes=self.writes)
        name = f"{self.name}_{'grid' if cuda else 'rows'}"
        code = _TEMPLATE.format(
            name=name,
            parameters=", ".join(name for name in self.parameters if name not in self.scratch),
            place=_ON_GPU if cuda else _ON_CPU,
            arrays="\n".join(arrays),
            arguments=", ".join(row if name == self.writes else name for name in self.parameters),
            copy=copy,
        )
        scope: dict[str, Any] = {"np": np, "cuda": cuda, "body": body, "__name__": function.__module__}
        for array, (size, dtype) in self.scratch.items():
            scope |= {f"{array}_size": size, f"{array}_dtype": dtype}
        exec(compile(code, function.__code__.co_filename, "exec"), scope)
        found: FunctionType = scope[name]
        # numba reads the function's source in that file, which must begin at this line.
        found.__code__ = found.__code__.replace(co_firstlineno=function.__code__.co_firstlineno)
        return found


@cache
def cuda_module() -> Any:
    """Return the module that compiles for GPUs.

    Raises:
        ModuleNotFoundError: if it is not installed.
    """
    redirect_cuda()
    try:
        import numba_cuda  # noqa: F401
        from numba import cuda
    except ImportError as error:
        message = f'a GPU needs numba-cuda: pip install "german-whist[gpu]" ({error})'
        raise ModuleNotFoundError(message, name="numba_cuda") from None
    return cuda


def grid_of(kernel: Any) -> Any:
    """Return the grid around the body of a row kernel as a Python function, not compiled yet."""
    shape: _Shape = kernel.shape
    return shape.compiled(kernel.body, kernel.body.py_func, cuda_module())
