"""Row kernels: one body for each row of a batch, which is a loop on a CPU and a grid on a GPU.

A body is written once, as a function of the row's number and of arrays. What it computes is tested on the CPU; what a
GPU runs is the same function. All that compiles for a GPU stands here, so that the library that does can be exchanged:
today ``numba-cuda``, which ``pip install "german-whist[gpu]"`` brings.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from german_whist.envs.utils import jit

if TYPE_CHECKING:
    import torch

_THREADS = 128  # of a block
_STAGED_THREADS = 64  # rows of bytes that fit into the shared memory of a block
_BLOCKS = 132 * 16  # sixteen for each multiprocessor of an H100; a thread takes several rows of larger batches
_ALIGNED = 16  # bytes, of records in a thread's memory

_SMALL = 4096  # bytes
_MOST_ARRAYS = 4096
_arrays: dict[Any, Any] = {}  # of tensors on a GPU, by address, shape and dtype
_constants: dict[Any, tuple[Any, Any]] = {}  # arrays of the host, and their copies on a GPU

KERNELS: list[Any] = []  # every row kernel of the modules loaded so far


def row_kernel(
    function: Callable[..., Any] | None = None,
    *,
    scratch: Mapping[str, tuple[int, Any]] | None = None,
    writes: str = "",
) -> Any:
    """Make a row kernel of ``function(i, …)``, which handles row ``i``: call it as ``kernel(n, …)`` for n rows.

    Args:
        function: a module-level function that numba compiles.
        scratch: length and dtype of arrays that each row uses for itself, by the names of parameters; callers do not
            give them.
        writes: the name of a parameter that is an int8 array of two dimensions. The function gets the row itself, and
            writes all of it. On a GPU, where neighbouring threads should write neighbouring bytes, the rows of a block
            are put together in its shared memory.
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

# All threads of a block take part in every copy, also those that have no row.
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
        for place in range(own, min(threads, n - first) * width, threads):
            {writes}[first + place // width, place % width] = staged[place]
        cuda.syncthreads()
        first += cuda.gridDim.x * threads
"""


class _Shape(NamedTuple):
    """What the code around a body depends on."""

    name: str
    parameters: list[str]
    scratch: dict[str, tuple[int, Any]]
    writes: str

    def compiled(self, template: str, body: Any, function: Any) -> Callable[..., Any]:
        """Return the function of a template around a body; it counts as code of the body's file, for the cache."""
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
            scope["cuda"] = _cuda()
        exec(compile(code, function.__code__.co_filename, "exec"), scope)
        found: FunctionType = scope[f"{self.name}_{'grid' if is_grid else 'rows'}"]
        found.__code__ = found.__code__.replace(co_firstlineno=function.__code__.co_firstlineno)
        return found


@cache
def _cuda() -> Any:
    """Return the module that compiles for GPUs.

    Raises:
        ModuleNotFoundError: when it is not installed.
    """
    with contextlib.suppress(ImportError):
        import _numba_cuda_redirector  # noqa: F401 - puts numba-cuda in the place of numba's own, deprecated module
    try:
        import numba_cuda  # noqa: F401
        from numba import cuda
    except ImportError as error:
        message = f'a GPU needs numba-cuda: pip install "german-whist[gpu]" ({error})'
        raise ModuleNotFoundError(message, name="numba_cuda") from None
    return cuda


def _grid(kernel: Any) -> Any:
    """Return the function of the grid around the body of a row kernel, not compiled yet."""
    shape: _Shape = kernel.shape
    return shape.compiled(_STAGED_GRID if shape.writes else _GRID, kernel.body, kernel.body.py_func)


def ptx_of(kernel: Any) -> list[str]:
    """Compile the grid of a row kernel for each signature with which it has run here, and return the PTX of each.

    It needs no GPU, so that a test can tell that a kernel compiles for one.

    Raises:
        ModuleNotFoundError: when numba-cuda is not installed.
    """
    cuda = _cuda()
    from numba.cuda import dispatcher as dispatcher_module

    dispatcher: Any = dispatcher_module
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=(9, 0))
    return [cuda.compile_ptx(_grid(kernel), types, cc=(9, 0))[0] for types in kernel.signatures]


class Records(NamedTuple):
    """Records in a tensor, which has no such type itself.

    Attributes:
        bytes: uint8[n, itemsize].
        dtype: NumPy's dtype of a record, such as ``STATE``.
    """

    bytes: torch.Tensor
    dtype: np.dtype[Any]

    def field(self, name: str) -> torch.Tensor:
        """Return a field of one byte of every record, int8[n] or bool[n]; it shares their memory."""
        import torch

        kind, offset = self.dtype.fields[name][:2]  # type: ignore[index]
        column = self.bytes[:, offset]
        return column.view(torch.bool) if kind == np.bool_ else column.view(torch.int8)


def torch_device(name: Any) -> torch.device:
    """Return a device that torch has on this machine, with its number.

    Raises:
        ValueError: when there is none of this name.
        ModuleNotFoundError: when torch is not installed.
    """
    try:
        import torch
    except ImportError as error:
        message = 'device= needs torch: pip install "german-whist[train]"'
        raise ModuleNotFoundError(message, name=error.name) from None
    try:
        return torch.zeros(1, device=torch.device(name)).device
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        raise ValueError(f"device: {name!r} cannot be used: {str(error).splitlines()[0]}") from None


class Device:
    """Where tensors are and row kernels run: the CPU, or a GPU of NVIDIA's.

    Attributes:
        torch_device: the device as torch knows it.
        is_gpu: whether it is a GPU.
    """

    def __init__(self, name: Any) -> None:
        """Find a device.

        Args:
            name: as torch names it: ``"cpu"``, ``"cuda"``, ``"cuda:1"``.

        Raises:
            ValueError: when there is no such device, or row kernels do not run on it.
            ModuleNotFoundError: when torch or, for a GPU, numba-cuda is not installed.
        """
        self.torch_device = torch_device(name)
        if self.torch_device.type not in ("cpu", "cuda"):
            raise ValueError(f'device: {name!r} cannot be used: "cpu" and "cuda" can')
        self.is_gpu = self.torch_device.type == "cuda"
        if self.is_gpu:
            _cuda()

    def records(self, n: int, dtype: np.dtype[Any]) -> Records:
        """Return n zeroed records."""
        return Records(self.zeros((n, dtype.itemsize), "uint8"), dtype)

    def zeros(self, shape: int | tuple[int, ...], dtype: str) -> torch.Tensor:
        """Return a zeroed tensor; ``dtype`` is the name of one of torch's."""
        import torch

        return torch.zeros(shape, dtype=getattr(torch, dtype), device=self.torch_device)

    def run(self, kernel: Any, n: int, *arguments: Any) -> None:
        """Run a row kernel for n rows.

        Args:
            kernel: made by :func:`row_kernel`.
            n: number of rows.
            arguments: tensors of this device, which are C-contiguous; ``Records``; numbers; NumPy arrays, which are
                copied to the device at the first call and must not change; tuples of these.
        """
        if not n:
            return
        given = [self._array(argument) for argument in arguments]
        if not self.is_gpu:
            kernel(n, *given)
            return
        import torch

        with torch.cuda.device(self.torch_device):
            shape = kernel.shape
            if shape.writes:
                out = arguments[[name for name in shape.parameters if name not in shape.scratch].index(shape.writes)]
                width, threads = out.shape[1], _STAGED_THREADS
            else:
                width, threads = 0, _THREADS
            blocks = min(-(-n // threads), _BLOCKS)
            current = torch.cuda.current_stream().cuda_stream
            stream = _cuda().external_stream(current) if current else 0
            _compiled_grid(kernel)[blocks, threads, stream, threads * width](n, *given)

    def _array(self, argument: Any) -> Any:
        if isinstance(argument, Records):
            flat = self._array(argument.bytes.view(-1))
            return flat.view(argument.dtype)
        if isinstance(argument, tuple):
            parts = [self._array(part) for part in argument]
            return type(argument)._make(parts) if hasattr(argument, "_make") else tuple(parts)
        if isinstance(argument, np.ndarray):
            return self._constant(argument) if self.is_gpu else argument
        if hasattr(argument, "data_ptr"):
            return _gpu_array(argument) if self.is_gpu else argument.numpy()
        return argument

    def _constant(self, array: np.ndarray[Any, Any]) -> Any:
        """Return the copy of an array on this GPU: one for all small arrays that are alike, and for each large one."""
        alike = array.tobytes() if array.nbytes <= _SMALL else id(array)
        key = self.torch_device, array.dtype, array.shape, alike
        if key not in _constants:
            _constants[key] = array, _cuda().to_device(np.ascontiguousarray(array))
        return _constants[key][1]


def _gpu_array(tensor: torch.Tensor) -> Any:
    """Return a tensor as kernels take it. Making one takes longer than a launch, so the last ones are kept."""
    key = tensor.data_ptr(), tensor.shape, tensor.dtype
    found = _arrays.get(key)
    if found is None:
        if len(_arrays) >= _MOST_ARRAYS:
            _arrays.clear()
        # Not of the tensor itself, whose memory the array would keep.
        memory = SimpleNamespace(__cuda_array_interface__=tensor.__cuda_array_interface__)
        found = _arrays[key] = _cuda().as_cuda_array(memory)
    return found


@cache
def _compiled_grid(kernel: Any) -> Any:
    return _cuda().jit(_grid(kernel))
