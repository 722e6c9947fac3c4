"""Backends: where arrays live and row kernels run. The host has NumPy arrays; the CPU or a GPU has torch tensors."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from german_whist.game.utils import jit
from german_whist.game.utils.checks import deal_indices, whole_numbers
from german_whist.game.utils.row_kernels import cuda_module, grid_of

if TYPE_CHECKING:
    import torch

_THREADS = 128  # threads of a block
_STAGED_THREADS = 64  # threads of a block whose rows are staged: they must fit into the block's shared memory
_BLOCKS = 132 * 16  # sixteen for each multiprocessor of an H100; in larger batches a thread takes several rows

_SMALL = 4096  # bytes; constants up to this size are told apart by content, larger ones by identity
_MOST_ARRAYS = 4096
_arrays: dict[Any, Any] = {}  # the device arrays of tensors, by address, shape, strides and dtypes
# Arrays of the host with their copies on a GPU. The host's array is kept so that no other array can get its id.
_constants: dict[Any, tuple[Any, Any]] = {}


@dataclass(frozen=True)
class StructTensor:
    """A structured array held in a tensor of bytes: torch has no structured dtypes.

    ``records[rows]`` and ``records["field"]`` mean what they mean for structured arrays, for fields of single bytes.

    Attributes:
        bytes: uint8[n, itemsize].
        dtype: NumPy dtype of a record, such as ``STATE``.
    """

    bytes: torch.Tensor
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return len(self.bytes)

    def __getitem__(self, key: Any) -> Any:
        """Return a field, int8 or bool, as a view of the records' memory; or some records, copied."""
        if not isinstance(key, str):
            return StructTensor(self.bytes[key], self.dtype)
        import torch

        kind, offset = self.dtype.fields[key][:2]  # type: ignore[index]
        column = self.bytes[:, offset : offset + kind.itemsize].unflatten(1, kind.shape or (1,))
        found = column.view(torch.bool if kind.base == np.bool_ else torch.int8)
        return found if kind.shape else found[:, 0]

    def __setitem__(self, rows: Any, records: StructTensor) -> None:
        self.bytes[rows] = records.bytes.to(self.bytes.device)

    def copy(self) -> StructTensor:
        """Return a copy."""
        return StructTensor(self.bytes.clone(), self.dtype)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Return the records as a structured array on the host."""
        return np.ascontiguousarray(self.bytes.cpu()).view(self.dtype)[:, 0]


@jit.kernel
def _are_between(values: Any, low: int, high: int) -> bool:
    outside = 0  # counted to the end: without an early exit the loop is vectorised
    for value in values:
        outside += value < low or value > high
    return outside == 0


# What code for both backends takes and returns: of one batch, all arrays are of one kind.
Array: TypeAlias = "npt.NDArray[Any] | torch.Tensor"
Records: TypeAlias = "np.ndarray[Any, Any] | StructTensor"
Numbers: TypeAlias = "npt.ArrayLike | torch.Tensor"
Device: TypeAlias = "str | torch.device | None"
ArrayT = TypeVar("ArrayT", bound="npt.NDArray[Any] | torch.Tensor", default=npt.NDArray[Any])


class Backend(Protocol):
    """Makes arrays and runs row kernels on them."""

    @property
    def torch_device(self) -> torch.device | None:
        """The device of its tensors; ``None`` for NumPy arrays."""
        ...

    @property
    def is_gpu(self) -> bool:
        """Whether it is a GPU."""
        ...

    def zeros(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Any:
        """Return a zeroed array; ``StructTensor`` instead of a tensor for a structured dtype."""
        ...

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Any:
        """Return an array of any content; ``StructTensor`` instead of a tensor for a structured dtype."""
        ...

    def array(self, values: Any) -> Any:
        """Return values as an array of this backend."""
        ...

    def copy(self, values: Array) -> Any:
        """Return a copy."""
        ...

    def numpy(self, values: Array) -> npt.NDArray[Any]:
        """Return an array on the host."""
        ...

    def bools(self, masks: Array) -> Any:
        """Return an int8 array of zeros and ones as bool, which shares its memory."""
        ...

    def flatnonzero(self, mask: Array) -> Any:
        """Return the indices where a mask, bool[n], is true, int64[k]."""
        ...

    def integers(
        self, name: str, given: Any, low: int | None, high: int | None, shape: tuple[int, ...] | None = None
    ) -> Any:
        """Return whole numbers as int64[k], checked against a range. Kernels check no index.

        Raises:
            ValueError: if they are not whole numbers, have another shape, or one is out of range.
        """
        ...

    def deal_bits(self, given: Any, shape: tuple[int, ...], name: str = "deal indices") -> Any:
        """Return deal indices or seeds as callers get them, uint64[k]; in tensors int64[k], which holds the same bits.

        torch does little with uint64.
        """
        ...

    def bits(self, numbers: Array) -> Any:
        """Return 64-bit numbers as kernels get deal indices, seeds and masks: the same bits as uint64[k]."""
        ...

    def as_type(self, values: Array, dtype: npt.DTypeLike) -> Any:
        """Return values converted to a dtype."""
        ...

    def masks(self, masks: Array) -> Any:
        """Return bit masks, uint64[n], as callers get them; in tensors int64[n]."""
        ...

    def launch(self, kernel: Any, n: int, *arguments: Any) -> None:
        """Run a row kernel for n rows on arrays of this backend, numbers, NumPy arrays, or tuples of these."""
        ...


class NumpyBackend:
    """NumPy arrays, and row kernels as loops: the backend of batches for which no device is asked."""

    torch_device = None
    is_gpu = False

    @staticmethod
    def zeros(shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return a zeroed array."""
        return np.zeros(shape, dtype)

    @staticmethod
    def empty(shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return an array of any content."""
        return np.empty(shape, dtype)

    @staticmethod
    def array(values: Any) -> npt.NDArray[Any]:
        """Return values as an array."""
        return np.asarray(values)

    @staticmethod
    def copy(values: Any) -> npt.NDArray[Any]:
        """Return a copy."""
        return np.array(values)

    @staticmethod
    def flatnonzero(mask: Any) -> npt.NDArray[np.int64]:
        """Return the indices where a mask, bool[n], is true, int64[k]."""
        return np.flatnonzero(mask)

    @staticmethod
    def deal_bits(given: Any, shape: tuple[int, ...], name: str = "deal index") -> npt.NDArray[np.uint64]:
        """Return deal indices or seeds, uint64[k].

        Raises:
            ValueError: if they are not whole numbers from 0 to 2**64 − 1, or have another shape.
        """
        return deal_indices(given, shape, name)

    @staticmethod
    def numpy(values: Any) -> Any:
        """Return the array itself."""
        return values

    @staticmethod
    def bools(masks: Any) -> Any:
        """Return an int8 array of zeros and ones as bool, which shares its memory."""
        return masks.view(np.bool_)

    @staticmethod
    def bits(numbers: Any) -> Any:
        """Return 64-bit numbers as kernels get them: the same bits as uint64[k]."""
        return numbers.view(np.uint64)

    @staticmethod
    def as_type(values: Any, dtype: npt.DTypeLike) -> Any:
        """Return values converted to a dtype."""
        return values.astype(dtype)

    @staticmethod
    def integers(
        name: str, given: Any, low: int | None, high: int | None, shape: tuple[int, ...] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return whole numbers as int64[k], checked against a range.

        Raises:
            ValueError: if they are not whole numbers, have another shape, or one is out of range.
        """
        values = whole_numbers(name, given, shape).astype(np.int64, copy=False)
        if low is not None and high is not None and not _are_between(values, low, high):
            outside = values[(values < low) | (values > high)]
            raise ValueError(f"{name} must be integers from {low} to {high}, got {outside[0]}")
        return values

    @staticmethod
    def masks(masks: Any) -> Any:
        """Return bit masks as callers get them: as they are, uint64[n]."""
        return masks

    @staticmethod
    def launch(kernel: Any, n: int, *arguments: Any) -> None:
        """Run a row kernel for n rows."""
        kernel(n, *arguments)


HOST: Backend = NumpyBackend()


def torch_device(name: Any) -> torch.device:
    """Return torch's device of a name, with its number (``cuda:0`` for ``"cuda"``).

    Raises:
        ValueError: if this machine has no such device.
        ModuleNotFoundError: if torch is not installed.
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


def backend_of(device: Device) -> Backend:
    """Return the backend of a batch: NumPy's for ``None``, else that of torch's device of this name."""
    return HOST if device is None else TorchBackend(device)


def backend_holding(values: Array | Records) -> Backend:
    """Return the backend that an array belongs to."""
    if isinstance(values, np.ndarray):
        return HOST
    return _torch_backend(values.bytes.device if isinstance(values, StructTensor) else values.device)


@cache
def _torch_backend(device: torch.device) -> TorchBackend:
    return TorchBackend(device)


class TorchBackend:
    """Torch tensors, on the CPU or on an NVIDIA GPU, and row kernels as loops or as grids.

    Attributes:
        torch_device: the ``torch.device``.
        is_gpu: whether it is a GPU.
    """

    def __init__(self, name: Any) -> None:
        """Find a device.

        Args:
            name: torch's name for it: ``"cpu"``, ``"cuda"``, ``"cuda:1"``.

        Raises:
            ValueError: if there is no such device, or row kernels do not run on it.
            ModuleNotFoundError: if torch or, for a GPU, numba-cuda is not installed.
        """
        self.torch_device = torch_device(name)
        if self.torch_device.type not in ("cpu", "cuda"):
            raise ValueError(f'device: {name!r} cannot be used: "cpu" and "cuda" can')
        self.is_gpu = self.torch_device.type == "cuda"
        if self.is_gpu:
            cuda_module()

    def zeros(self, shape: Any, dtype: Any) -> Any:
        """Return a zeroed tensor, or ``StructTensor`` for a structured dtype."""
        import torch

        if isinstance(dtype, np.dtype) and dtype.fields is not None:
            return StructTensor(self.zeros((shape, dtype.itemsize), np.uint8), dtype)
        return torch.zeros(shape, dtype=getattr(torch, np.dtype(dtype).name), device=self.torch_device)

    def empty(self, shape: Any, dtype: Any) -> Any:
        """Return a tensor, or ``StructTensor`` for a structured dtype, of any content."""
        import torch

        if isinstance(dtype, np.dtype) and dtype.fields is not None:
            return StructTensor(self.empty((shape, dtype.itemsize), np.uint8), dtype)
        return torch.empty(shape, dtype=getattr(torch, np.dtype(dtype).name), device=self.torch_device)

    def array(self, values: Any) -> torch.Tensor:
        """Return values as a tensor on this device."""
        import torch

        return torch.as_tensor(values, device=self.torch_device)

    def rows_by_code(self, codes: torch.Tensor, highest: int) -> list[torch.Tensor]:
        """Return the rows that hold each of the codes 1 … ``highest``, int64[k] in order; waits only once.

        Args:
            codes: int8[n], 0 … ``highest``.
            highest: number of lists.
        """
        import torch

        if not self.is_gpu:
            on_host = self.numpy(codes)
            return [torch.from_numpy(np.flatnonzero(on_host == code)) for code in range(1, highest + 1)]
        ordered, rows = codes.sort(stable=True)
        bounds = torch.arange(highest + 1, dtype=torch.int8, device=self.torch_device)
        starts = self.numpy(torch.searchsorted(ordered, bounds, right=True)).tolist()
        return [rows[start:stop] for start, stop in itertools.pairwise(starts)]

    @staticmethod
    def copy(values: Any) -> torch.Tensor:
        """Return a copy."""
        copied: torch.Tensor = values.clone()
        return copied

    @staticmethod
    def numpy(values: Any) -> npt.NDArray[Any]:
        """Return a tensor as an array on the host."""
        array: npt.NDArray[Any] = values.cpu().numpy()
        return array

    @staticmethod
    def bools(masks: Any) -> torch.Tensor:
        """Return an int8 tensor of zeros and ones as bool, which shares its memory."""
        import torch

        seen: torch.Tensor = masks.view(torch.bool)
        return seen

    @staticmethod
    def flatnonzero(mask: Any) -> torch.Tensor:
        """Return the indices where a mask, bool[n], is true, int64[k]."""
        found: torch.Tensor = mask.nonzero().squeeze(1)
        return found

    def integers(
        self, name: str, given: Any, low: int | None, high: int | None, shape: tuple[int, ...] | None = None
    ) -> torch.Tensor:
        """Return whole numbers as int64[k] on this device, checked against a range. Kernels check no index.

        Raises:
            ValueError: if they are not whole numbers, have another shape, or one is out of range.
        """
        import torch

        values = self.array(given)
        if not values.numel():  # torch takes an empty list for floats
            values = values.to(torch.int64)
        if values.dtype == torch.bool or values.is_floating_point() or values.is_complex():
            raise ValueError(f"{name} must be integers, got {values.dtype}")
        if values.ndim != 1 or (shape is not None and tuple(values.shape) != shape):
            raise ValueError(f"{name} must have shape {shape or '(k,)'}, got {tuple(values.shape)}")
        values = values.to(torch.int64).contiguous()
        if low is not None and high is not None:
            outside = values[(values < low) | (values > high)]
            if len(outside):
                raise ValueError(f"{name} must be integers from {low} to {high}, got {int(outside[0])}")
        return values

    def deal_bits(self, given: Any, shape: tuple[int, ...], name: str = "deal indices") -> torch.Tensor:
        """Return deal indices or seeds, int64[k]; a negative number stands for itself + 2**64.

        torch does little with uint64, so their bits are held as int64.
        """
        import torch

        if isinstance(given, np.ndarray) and given.dtype == np.uint64:
            given = given.view(np.int64)
        elif isinstance(given, torch.Tensor) and given.dtype == torch.uint64:
            given = given.view(torch.int64)
        return self.integers(name, given, None, None, shape)

    @staticmethod
    def bits(numbers: Any) -> torch.Tensor:
        """Return 64-bit numbers as kernels get them: the same bits as uint64[k]."""
        import torch

        seen: torch.Tensor = numbers.view(torch.uint64)
        return seen

    @staticmethod
    def as_type(values: Any, dtype: npt.DTypeLike) -> torch.Tensor:
        """Return values converted to a dtype."""
        import torch

        converted: torch.Tensor = values.to(getattr(torch, np.dtype(dtype).name))
        return converted

    @staticmethod
    def masks(masks: Any) -> torch.Tensor:
        """Return bit masks as callers get them, int64[n]."""
        import torch

        seen: torch.Tensor = masks.view(torch.int64)
        return seen

    def launch(self, kernel: Any, n: int, *arguments: Any) -> None:
        """Run a row kernel for n rows.

        Args:
            kernel: made by :func:`row_kernel`.
            n: number of rows.
            arguments: tensors on this device, ``StructTensor``, numbers, NumPy arrays, or tuples of these. A
                GPU gets a copy of a NumPy array at the first call only, so the array must not change.
        """
        if not n:
            return
        if not self.is_gpu:
            kernel(n, *map(self._array, arguments))
            return
        import torch

        with torch.cuda.device(self.torch_device):
            given = [self._array(argument) for argument in arguments]
            shape = kernel.shape
            if shape.writes:
                out = arguments[[name for name in shape.parameters if name not in shape.scratch].index(shape.writes)]
                width, threads = out.shape[1], _STAGED_THREADS
            else:
                width, threads = 0, _THREADS
            blocks = min(-(-n // threads), _BLOCKS)
            # On torch's own stream, so that kernels and torch's operations run in the order of the calls.
            current = torch.cuda.current_stream().cuda_stream
            stream = cuda_module().external_stream(current) if current else 0
            _compiled_grid(kernel)[blocks, threads, stream, threads * width](n, *given)

    def _array(self, argument: Any) -> Any:
        if isinstance(argument, StructTensor):
            if self.is_gpu:
                return _gpu_array(argument.bytes, argument.dtype)
            return argument.bytes.numpy().reshape(-1).view(argument.dtype)
        if isinstance(argument, tuple):
            parts = [self._array(part) for part in argument]
            return type(argument)._make(parts) if hasattr(argument, "_make") else tuple(parts)
        if isinstance(argument, np.ndarray):
            return self._constant(argument) if self.is_gpu else argument
        if hasattr(argument, "data_ptr"):
            return _gpu_array(argument) if self.is_gpu else argument.numpy()
        return argument

    def _constant(self, array: np.ndarray[Any, Any]) -> Any:
        """Return this GPU's copy of an array. Small arrays with the same content share one."""
        alike = array.tobytes() if array.nbytes <= _SMALL else id(array)
        key = self.torch_device, array.dtype, array.shape, alike
        if key not in _constants:
            _constants[key] = array, cuda_module().to_device(np.ascontiguousarray(array))
        return _constants[key][1]


def _gpu_array(tensor: torch.Tensor, record: np.dtype[Any] | None = None) -> Any:
    """Return a tensor, or the records in its bytes, as a device array for kernels.

    Making one and finding its type takes longer than a launch, so they are kept.
    """
    key = tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype, record
    found = _arrays.get(key)
    if found is None:
        if len(_arrays) >= _MOST_ARRAYS:
            _arrays.clear()
        # Made from the address alone: an array made from the tensor would keep the tensor's memory alive.
        interface = {
            "data": (tensor.data_ptr(), False),
            "shape": tuple(tensor.shape) if record is None else (tensor.nbytes,),
            "strides": None if tensor.is_contiguous() else tuple(step * tensor.itemsize for step in tensor.stride()),
            "typestr": np.dtype(str(tensor.dtype).removeprefix("torch.")).str,
            "version": 2,
        }
        found = cuda_module().as_cuda_array(SimpleNamespace(__cuda_array_interface__=interface))
        _arrays[key] = found = found if record is None else found.view(record)
    return found


@cache
def _compiled_grid(kernel: Any) -> Any:
    return cuda_module().jit(grid_of(kernel))
