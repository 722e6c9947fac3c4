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
    loop = compiled(shape.compiled(_LOOP, body, function))
    loop.shape, loop.body = shape, body  # type: ignore[attr-defined]
    KERNELS.append(loop)
    return loop


_LOOP = """
def {name}_rows(n, {parameters}):
{scratch}
    for i in range(n):
        body(i, {arguments})
"""

_GRID = """
def {name}_grid(n, {parameters}):
{scratch}
    i = cuda.grid(1)
    while i < n:
        body(i, {arguments})
        i += cuda.gridsize(1)
"""

# Threads without a row take part in the copies, too: ``syncthreads`` waits for every thread of the block. The second
# one keeps a fast thread from overwriting the staged rows while others still copy them.
_STAGED_GRID = """
def {name}_grid(n, {parameters}):
{scratch}
    staged = cuda.shared.array(0, np.int8)
    width = {writes}.shape[1]
    threads, own = cuda.blockDim.x, cuda.threadIdx.x
    first = cuda.blockIdx.x * threads
    while first < n:
        i = first + own
        if i < n:
            body(i, {arguments})
        cuda.syncthreads()
        for byte in range(own, min(threads, n - first) * width, threads):
            {writes}[first + byte // width, byte % width] = staged[byte]
        cuda.syncthreads()
        first += cuda.gridDim.x * threads
"""


class _Shape(NamedTuple):
    """Key of the code generated around a body."""

    name: str
    parameters: list[str]
    scratch: dict[str, tuple[int, Any]]
    writes: str

    def compiled(self, template: str, body: Any, function: Any) -> Callable[..., Any]:
        """Return the function that a template makes around a body, in the body's file: numba's cache is by file."""
        is_grid = template is not _LOOP
        row = "staged[own * width : (own + 1) * width]" if is_grid else f"{self.writes}[i]"
        made = "cuda.local.array({0}_size, {0}_dtype, {1})" if is_grid else "np.zeros({0}_size, {0}_dtype)"
        lines = [f"    {name} = " + made.format(name, _ALIGNED) for name in self.scratch]
        code = template.format(
            name=self.name,
            parameters=", ".join(name for name in self.parameters if name not in self.scratch),
            arguments=", ".join(row if name == self.writes else name for name in self.parameters),
            scratch="\n".join(lines),
            writes=self.writes,
        )
        scope: dict[str, Any] = {"np": np, "body": body, "__name__": function.__module__}
        for name, (size, dtype) in self.scratch.items():
            scope |= {f"{name}_size": size, f"{name}_dtype": dtype}
        if is_grid:
            scope["cuda"] = cuda_module()
        exec(compile(code, function.__code__.co_filename, "exec"), scope)
        found: FunctionType = scope[f"{self.name}_{'grid' if is_grid else 'rows'}"]
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
    return shape.compiled(_STAGED_GRID if shape.writes else _GRID, kernel.body, kernel.body.py_func)
