"""Data-parallel training with ``torch.distributed``: exchange and start of processes.

They are started by ``torchrun``, possibly on several machines, or by :func:`started_workers` on this one. In the latter
case, the process that was asked to train takes part as the first. The others run ``training/worker.py``. They get no
signals from the terminal, and they end with the first however it ends, because their standard input is then closed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

PATIENCE = timedelta(minutes=30)  # the other processes wait while the first one evaluates
READY = "ready"  # key of the store: number of workers that have arrived so far
_POLL = 0.001  # seconds
_LIBRARIES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class Processes:
    """The processes that train together.

    Attributes:
        rank: index of this process, from 0; the first process writes and evaluates.
        size: number of processes.
    """

    rank: int = 0
    size: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this process writes and evaluates."""
        return self.rank == 0

    def all_reduce(self, numbers: torch.Tensor) -> torch.Tensor:
        """Sum a tensor over all processes, in place, and return it.

        Raises:
            ConnectionError: if a process is gone.
        """
        if self.size > 1:
            with _connection_errors():
                dist.all_reduce(numbers)
        return numbers

    def all_sum(self, *numbers: int) -> list[int]:
        """Return the sum of each number over all processes; signals are handled while waiting for the others.

        Raises:
            ConnectionError: if a process is gone.
        """
        sums = torch.tensor(numbers)
        if self.size > 1:
            with _connection_errors():
                # Polling, because a blocking wait would hold up Python's signal handlers.
                exchange = dist.all_reduce(sums, async_op=True)
                while not exchange.is_completed():
                    time.sleep(_POLL)
                exchange.wait()
        return [int(number) for number in sums]

    def all_min(self, number: int) -> int:
        """Return the minimum of a number over all processes.

        Raises:
            ConnectionError: if a process is gone.
        """
        return int(min(self.all_gather(number)))

    def average_gradients(self, parameters: Sequence[torch.Tensor], decisions: int) -> None:
        """Replace gradients by their mean over the minibatches of all processes, weighted by their decisions.

        Args:
            parameters: weights whose gradients are means over this process's minibatch.
            decisions: number of decisions in this process's minibatch.

        Raises:
            ConnectionError: if a process is gone.
        """
        if self.size == 1:
            return
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        count = torch.tensor([float(decisions)], device=gradients[0].device)
        flat = self.all_reduce(torch.cat([*(gradient.flatten() * decisions for gradient in gradients), count]))
        start = 0
        for gradient in gradients:
            gradient.copy_((flat[start : start + gradient.numel()] / flat[-1]).view_as(gradient))
            start += gradient.numel()

    def broadcast(self, value: Any) -> Any:
        """Return the first process's ``value`` in every process.

        Raises:
            ConnectionError: if a process is gone.
        """
        if self.size == 1:
            return value
        values = [value]
        with _connection_errors():
            dist.broadcast_object_list(values)
        return values[0]

    def all_gather(self, value: Any) -> list[Any]:
        """Return the values of all processes, by rank, in every process.

        Raises:
            ConnectionError: if a process is gone.
        """
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        with _connection_errors():
            dist.all_gather_object(values, value)
        return values


@contextmanager
def _connection_errors() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise ConnectionError(f"another process of this run is gone or stuck: {str(error).splitlines()[0]}") from None


@contextmanager
def joined_processes() -> Iterator[Processes]:
    """Join the process group if ``torchrun`` started several processes; leave it on exit."""
    if not os.environ.get("RANK") or os.environ.get("WORLD_SIZE") in (None, "", "1"):
        yield Processes()
        return
    with process_group(int(os.environ.get("LOCAL_RANK", "0"))) as processes:
        yield processes


def local_store(port: int = 0) -> Any:
    """Return the store through which processes on this machine find each other: a new one, or the one at ``port``."""
    return dist.TCPStore(  # type: ignore[attr-defined]
        "127.0.0.1", port, is_master=port == 0, wait_for_workers=False, timeout=PATIENCE
    )


@contextmanager
def process_group(gpu: int, **place: Any) -> Iterator[Processes]:
    """Join the process group of a run; leave it on exit.

    Args:
        gpu: index of this process's GPU, if there are any.
        place: where the others are, as arguments of ``init_process_group``; by default from the environment.
    """
    with_gpus = torch.cuda.is_available()
    if with_gpus:
        torch.cuda.set_device(gpu % torch.cuda.device_count())
    dist.init_process_group("cpu:gloo,cuda:nccl" if with_gpus else "gloo", timeout=PATIENCE, **place)
    try:
        yield Processes(dist.get_rank(), dist.get_world_size())
    finally:
        dist.destroy_process_group()


@contextmanager
def started_workers(size: int, threads: int) -> Iterator[Processes]:
    """Start the other processes of a run and join their group; on exit they have ended.

    Args:
        size: number of processes, including this one.
        threads: CPU threads of each; 0 leaves the number to the libraries.

    Raises:
        ConnectionError: if a worker ends before the run does.
    """
    store = local_store()
    # Without the working folder, where a user's random.py would hide Python's.
    path = [folder for folder in sys.path if folder not in ("", os.getcwd())]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "RANK": "1"}
    environment |= dict.fromkeys(_LIBRARIES, str(threads)) if threads else {}
    command = [sys.executable, "-P", "-m", "german_whist.training.worker"]
    workers = [
        subprocess.Popen(
            [*command, *map(str, (rank, size, store.port))],
            env=environment,
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        for rank in range(1, size)
    ]
    try:
        while store.add(READY, 0) < len(workers):  # joining earlier would hang if one of them fails to start
            _check_running(workers)
            time.sleep(0.02)
        with process_group(0, store=store, rank=0, world_size=size) as processes:
            try:
                yield processes
            except BaseException:
                _end(workers)  # leaving the group would wait for pending exchanges with them
                raise
    finally:
        _end(workers)


def _check_running(workers: Sequence[subprocess.Popen[bytes]]) -> None:
    for worker in workers:
        if worker.poll() is not None:
            raise ConnectionError(f"a process of this run ended with exit code {worker.returncode}")


def _end(workers: Sequence[subprocess.Popen[bytes]]) -> None:
    for worker in workers:
        worker.kill()
        worker.communicate()
