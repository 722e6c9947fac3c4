"""Executors for ``--workers`` and ``--ray``: processes on this machine, or a Ray cluster (``german-whist[ray]``)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from german_whist.game.utils.libraries import explained

RETRIES = 8  # how often Ray repeats a task whose worker or machine was lost
LOCAL = "local"  # the address that starts Ray on this machine


@contextmanager
def worker_processes(workers: int) -> Iterator[Executor]:
    """Start worker processes, which end with this one. After an exception, tasks that still run are not waited for.

    The processes are spawned, not forked, because a process with threads may hang after a fork.
    """
    pool, others = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin), _children()
    try:
        yield pool
    except BaseException:
        for worker in _children() - others:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _children() -> set[Any]:
    return set(multiprocessing.active_children())


def _begin() -> None:
    """Set up a worker: it leaves Ctrl-C to the process that started it, and ends with that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None  # this process was started by another one
    parent.join()
    os._exit(1)


class RayExecutor(Executor):
    """Runs tasks on a Ray cluster, each on one core. A task whose worker dies is repeated on another one.

    Every machine of the cluster must have the same version of the package.
    """

    def __init__(self, address: str = LOCAL) -> None:
        """Connect to the cluster at ``address``, as for ``ray.init``; ``"local"`` starts Ray on this machine alone.

        Raises:
            ModuleNotFoundError: if Ray is not installed.
        """
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ModuleNotFoundError as error:
            raise explained(error) from None

        self._ray: Any = ray
        settings = {"include_dashboard": False} if address == LOCAL else {}
        self._ray.init(address, log_to_driver=False, logging_level="ERROR", **settings)
        self._call: Any = self._ray.remote(num_cpus=1, max_retries=RETRIES)(_call)

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Start a task on the cluster and return its future."""
        future: Future[Any] = self._call.remote(task, arguments, named).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from a cluster, or stop Ray if it was started on this machine alone."""
        self._ray.shutdown()


def _call(task: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return task(*arguments, **named)
