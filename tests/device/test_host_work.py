"""The host does little in an update of recipe ``gpu``. The counts do not depend on the number of deals."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from german_whist.game.utils.backend import TorchBackend
from german_whist.training.policy_iteration.trainer import PolicyIteration
from german_whist.training.processes import Processes
from german_whist.training.recipes import load_config
from german_whist.training.run.directory import RunDirectory

BATCH = 128


class HostWork(TorchDispatchMode):
    """Counts the host's work in a ``with`` block.

    Attributes:
        waits: how often it waited for the device.
        launches: row kernels launched, by name.
        arguments: the most arrays and numbers in a launch.
        operations: torch's operations by name, but ``detach``, which does nothing on a device.
    """

    def __init__(self) -> None:
        """Begin at zero."""
        super().__init__()
        self.waits = self.arguments = 0
        self.launches: Counter[str] = Counter()
        self.operations: Counter[str] = Counter()
        self._originals = TorchBackend.numpy, TorchBackend.launch

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count an operation of torch."""
        name = str(function.overloadpacket)
        self.operations[name] += name != "aten.detach"
        return function(*args, **(kwargs or {}))

    def __enter__(self) -> HostWork:
        """Begin to count."""
        numpy, launch = self._originals

        def counted_numpy(values: torch.Tensor) -> Any:
            self.waits += 1
            return numpy(values)

        def counted_launch(device: TorchBackend, kernel: Any, n: int, *arguments: Any) -> None:
            self.launches[kernel.__name__] += 1
            self.arguments = max(self.arguments, 1 + _leaves(arguments))
            launch(device, kernel, n, *arguments)

        TorchBackend.numpy = staticmethod(counted_numpy)  # type: ignore[method-assign]
        TorchBackend.launch = counted_launch  # type: ignore[method-assign, assignment]
        super().__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop counting."""
        super().__exit__(kind, error, trace)
        TorchBackend.numpy = staticmethod(self._originals[0])  # type: ignore[method-assign]
        TorchBackend.launch = self._originals[1]  # type: ignore[method-assign]


def _leaves(argument: Any) -> int:
    return sum(map(_leaves, argument)) if isinstance(argument, tuple) else 1


def test_host_work_of_an_update(tmp_path: Path) -> None:
    config = load_config("gpu").replace(device="cpu", num_envs=24, num_steps=26, batch_size=BATCH, threads=1)
    run = RunDirectory(tmp_path)
    run.begin(config)
    state = PolicyIteration(config, run, Processes())
    state.begin()
    state.save()
    with HostWork() as collecting:
        batch, _ = state.collect()
    assert 26 < collecting.waits <= 200
    assert 26 < collecting.operations.total() <= 5000, collecting.operations.most_common(9)
    assert 6 < collecting.arguments <= 13
    with HostWork() as learning:
        state.networks.update(batch, 0.0)
    steps = (config.epochs + 1) * (len(batch.features) // BATCH)
    assert 0 < learning.operations.total() <= 300 * steps, learning.operations.most_common(9)
