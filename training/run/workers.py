"""Starts the further processes of a run on this machine.

The process that was asked to train takes part as the first. The others, ``training/worker.py``, end with it however it
ends: they get no signals of the terminal, and a connection that breaks ends them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, Any

from german_whist.training.run.distributed import Processes, local_store, process_group

READY = "ready"  # number of workers that have come so far
_GRACE = 10.0  # seconds for the others to end by themselves
_LIBRARIES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class _Worker:
    """A process that was started, with what it printed."""

    def __init__(self, rank: int, size: int, port: int, threads: int) -> None:
        self._name = f"process {rank + 1} of {size}"
        self._printed: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        limits = dict.fromkeys(_LIBRARIES, str(threads)) if threads else {}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "german_whist.training.worker", *map(str, (rank, size, port))],
            env={**os.environ, **limits},
            stdin=subprocess.DEVNULL,
            stdout=self._printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def failure(self, within: float) -> str | None:
        """Return how it failed, if it has or does within some seconds."""
        try:
            code = self._process.wait(within)
        except subprocess.TimeoutExpired:
            return None
        if code == 0:
            return None
        self._printed.seek(0)
        lines = self._printed.read().strip().splitlines()
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"{self._name} {how}" + (f": {lines[-1]:.300}" if lines else "")

    def end(self) -> None:
        """End it, if it has not ended."""
        self._process.kill()
        self._process.wait()
        self._printed.close()


@contextmanager
def started_workers(size: int, threads: int) -> Iterator[Processes]:
    """Start the further processes of a run, and join them; at the end they are gone.

    Args:
        size: number of processes, with this one.
        threads: CPU threads of each; 0 leaves it to the libraries.

    Raises:
        ConnectionError: when one of them ends before the run does; the message says how.
    """
    store = local_store()
    with ExitStack() as stack:
        workers = [_Worker(rank, size, store.port, threads) for rank in range(1, size)]
        for worker in workers:
            stack.callback(worker.end)
        _await(workers, store)
        try:
            with process_group(0, store=store, rank=0, world_size=size) as processes:
                yield processes
        except ConnectionError as error:
            _raise_failures(workers, _GRACE)
            raise error from None
        for worker in workers:
            worker.failure(_GRACE)


def _await(workers: Sequence[_Worker], store: Any) -> None:
    """Wait until all have come; joining them before would wait for one that never comes."""
    while store.add(READY, 0) < len(workers):
        _raise_failures(workers, 0)
        time.sleep(0.02)


def _raise_failures(workers: Sequence[_Worker], within: float) -> None:
    failures = [failure for worker in workers if (failure := worker.failure(within))]
    if failures:
        raise ConnectionError("; ".join(failures)) from None
