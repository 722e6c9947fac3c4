"""Reading and writing checkpoint files. Untrusted ones are checked step by step: file, model card, sizes, numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from german_whist.agents.policy.network.layers import Layer
from german_whist.envs.utils.specs import short_repr

FORMAT = "german-whist-policy"
MAX_BYTES = 1 << 30  # of a file; champion's has 3 million
MAX_HEADER = 1 << 20  # bytes of names, shapes and the model card together
MAX_LAYERS = 20
MAX_UNITS = 65_536  # in a layer

_UNREADABLE = (SafetensorError, OSError, TypeError, AttributeError)  # the last two for dtypes that numpy does not have


def tensor_bytes(tensors: dict[str, npt.NDArray[Any]], metadata: Mapping[str, str]) -> bytes:
    """Return the bytes of a safetensors file; equal contents give equal bytes.

    The library writes metadata in an order that changes from call to call; here it is sorted by name.
    """
    data = save(tensors, metadata=dict(metadata))
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header["__metadata__"] = dict(sorted(metadata.items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # tensors begin at a multiple of 8 bytes
    return len(text).to_bytes(8, "little") + text + data[8 + size :]


class TensorFile:
    """An open checkpoint file.

    Attributes:
        model_card: the model card; its fields are not checked.
        names: names of the tensors.
    """

    def __init__(self, path: str | Path, file: Any) -> None:
        """Read the model card of a file that :func:`open_checkpoint` has opened."""
        self._path, self._file = path, file
        self._metadata: dict[str, str] = file.metadata() or {}
        self.model_card = _model_card(path, self._metadata)
        self.names: frozenset[str] = frozenset(file.keys())

    def about(self, name: str) -> tuple[tuple[int, ...], str]:
        """Return the shape of a tensor and the name of its dtype, such as ``"F32"``, without reading it."""
        part = self._file.get_slice(name)
        return tuple(part.get_shape()), str(part.get_dtype())

    def tensor(self, name: str) -> npt.NDArray[Any]:
        """Read a tensor with the dtype and shape that the file gives."""
        array: npt.NDArray[Any] = self._file.get_tensor(name)
        return array

    def layers(self, prefix: str, shapes: Sequence[tuple[int, int]], largest: float) -> tuple[Layer, ...]:
        """Read the layers of a network as float32; shape and dtype of each are checked before it is read.

        Args:
            prefix: prefix of the tensors' names.
            shapes: expected shapes of the weights, (out, in).
            largest: the largest input.

        Raises:
            ValueError: when a layer is missing, has another shape or dtype, or has numbers that are not finite or too
                large.
        """
        where = f"checkpoint {str(self._path)!r}"
        layers = []
        for i, shape in enumerate(shapes):
            names = f"{prefix}.{i}.weight", f"{prefix}.{i}.bias"
            expected = [shape, (shape[0],)]
            about = [self.about(name) for name in names if name in self.names]
            if [given for given, _ in about] != expected:
                raise ValueError(f"{where}: {prefix} {i} is missing or has another shape than its model card says")
            kinds = [kind for _, kind in about]
            if kinds not in (["F32", "F32"], ["F16", "F16"]):
                raise ValueError(f"{where}: {prefix} {i} is {' and '.join(kinds)}, not both F32 or both F16")
            weight, bias = (self.tensor(name) for name in names)
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise ValueError(f"{where}: {prefix} {i} holds numbers that are not finite")
            layers.append((weight.astype(np.float32), bias.astype(np.float32)))
        try:
            check_outputs(layers, largest)
        except ValueError as error:
            raise ValueError(f"{where}: {prefix} {error}") from None
        return tuple(layers)

    def check_sum(self) -> None:
        """Verify the checksum of model card and tensors.

        Raises:
            ValueError: when it is wrong or missing.
        """
        if "sha256" not in self._metadata:
            raise ValueError(f"checkpoint {str(self._path)!r} is damaged: it has no checksum")
        if self._metadata["sha256"] != _checksum(
            {name: self.tensor(name) for name in self.names}, self._metadata["card"]
        ):
            raise ValueError(f"checkpoint {str(self._path)!r} is damaged: its checksum is wrong")


def file_metadata(model_card: Mapping[str, Any], tensors: Mapping[str, npt.NDArray[Any]]) -> dict[str, str]:
    """Return the metadata of a checkpoint file: the model card, and a checksum of the card and the tensors."""
    text = json.dumps(model_card)
    return {"card": text, "sha256": _checksum(tensors, text)}


def _checksum(tensors: Mapping[str, npt.NDArray[Any]], model_card: str) -> str:
    """Return the SHA-256 of the model card and the tensors with their names, dtypes and shapes."""
    digest = hashlib.sha256(model_card.encode())
    for name, array in sorted(tensors.items()):
        digest.update(json.dumps([name, array.dtype.str, list(array.shape)]).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


@contextmanager
def open_checkpoint(path: str | Path) -> Iterator[TensorFile]:
    """Open a checkpoint file and read its model card.

    Args:
        path: the file.

    Raises:
        ValueError: when the file is missing, not a file, too large, truncated or not a checkpoint; also when reading
            from it inside the ``with`` block fails.
    """
    try:
        _check_file(Path(path))
        with safe_open(str(path), framework="numpy") as file:
            yield TensorFile(path, file)
    except FileNotFoundError:
        raise ValueError(f"checkpoint {str(path)!r}: there is no such file") from None
    except _UNREADABLE as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"checkpoint {str(path)!r} is not a readable safetensors file: {reason:.200}") from None


def _check_file(path: Path) -> None:
    """Raise for anything but a regular file (reading a pipe may never end), and for sizes that no checkpoint has."""
    size = path.stat().st_size
    if path.is_dir():
        raise OSError("it is a folder; name a file in it, such as final.safetensors")
    if not path.is_file():
        raise OSError("it is not a file")
    if size > MAX_BYTES:
        raise OSError(f"it has {size} bytes, and at most {MAX_BYTES} are read")
    with path.open("rb") as file:
        header = int.from_bytes(file.read(8), "little")
    if header > MAX_HEADER:
        raise OSError(f"its header has {header} bytes, and at most {MAX_HEADER} are read")


def _model_card(path: str | Path, metadata: dict[str, str]) -> dict[str, Any]:
    try:
        model_card = json.loads(metadata["card"])
        if model_card["format"] != FORMAT:
            raise KeyError(model_card["format"])
    except (KeyError, TypeError, ValueError, RecursionError):
        raise ValueError(
            f"checkpoint {str(path)!r} has no model card of a {FORMAT}: it was not made by german-whist"
        ) from None
    found: dict[str, Any] = model_card
    return found


def check_sizes(sizes: Sequence[int], where: str) -> None:
    """Raise for too many layers, or for layers that are too large.

    Args:
        sizes: number of inputs, then of units in each layer.
        where: the beginning of the message.

    Raises:
        ValueError: when there are too many layers or units.
    """
    if len(sizes) > MAX_LAYERS + 1 or not all(1 <= size <= MAX_UNITS for size in sizes):
        raise ValueError(
            f"{where} has layers of sizes {short_repr(sizes)}: at most {MAX_LAYERS} of 1 to {MAX_UNITS} units"
        )


def check_outputs(layers: list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]], largest: float) -> None:
    """Raise for weights so large that outputs could overflow, although each weight is finite.

    Args:
        layers: weight float32[out, in] and bias float32[out] of each layer.
        largest: the largest input.

    Raises:
        ValueError: when the outputs have no bound that float32 can hold.
    """
    bound = float(largest)
    for number, (weight, bias) in enumerate(layers):
        sums = np.abs(weight).sum(axis=-1, dtype=np.float64) * bound + np.abs(bias).astype(np.float64)
        bound = max(bound, float(sums.max(initial=0)))  # suit layers: the last layers also see the first ones' outputs
        if bound > float(np.finfo(np.float32).max) / 8:  # suit layers: an output may be the sum of four
            raise ValueError(f"{number} holds numbers so large that its outputs overflow")
