"""Executors that run games in this thread, in worker processes, or on a Ray cluster (``german-whist[ray]``)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from german_whist.envs.utils.checks import whole_number
from german_whist.envs.utils.processes import end_with_parent

_SHUTDOWN_BEGINS = 0.1  # seconds
RETRIES = 8  # how often Ray repeats a task whose worker or machine was lost
LOCAL = "local"  # the address that starts Ray on this machine

T = TypeVar("T")


class InlineExecutor(Executor):
    """Runs each task in this thread when its result is asked for, so that no task runs in vain."""

    def submit(self, task: Callable[..., T], /, *arguments: Any, **named: Any) -> Future[T]:
        """Return a future whose ``result`` runs the task."""
        return _Deferred(lambda: task(*arguments, **named))


class _Deferred(Future[T]):
    def __init__(self, task: Callable[[], T]) -> None:
        super().__init__()
        self._task = task

    def result(self, timeout: float | None = None) -> T:
        return self._task()


@contextmanager
def worker_processes(workers: int) -> Iterator[Executor]:
    """Start worker processes on this machine, which end with the block or with this process.

    An exception in the block, such as ``KeyboardInterrupt``, ends them in the middle of their tasks. The processes are
    spawned, not forked, because a process with threads may hang after a fork.

    Args:
        workers: number of processes.

    Yields:
        The executor.

    Raises:
        ValueError: when ``workers`` is not an integer >= 1.
    """
    whole_number("workers", workers, 1)
    context = multiprocessing.get_context("spawn")
    lifeline, ours = context.Pipe(duplex=False)  # workers end when this process ends or closes its side
    pool = _WorkerProcesses(workers, context, _begin, (lifeline,))
    try:
        yield pool
    except BaseException:
        # Only once the pool is shutting down: before, it would take the end of its workers for a crash.
        threading.Timer(_SHUTDOWN_BEGINS, ours.close).start()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        ours.close()
        lifeline.close()


class _WorkerProcesses(ProcessPoolExecutor):
    """A pool whose processes ignore Ctrl-C, which a terminal sends to all of them."""

    def submit(self, task: Callable[..., T], /, *arguments: Any, **named: Any) -> Future[T]:
        """Submit a task; start a process if none is idle."""
        with _interrupts_afterwards():
            return super().submit(task, *arguments, **named)


@contextmanager
def _interrupts_afterwards() -> Iterator[None]:
    """Delay SIGINT until the end of the block; processes started in the block begin with SIGINT blocked."""
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: came.append(number))  # other threads may receive it
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
        if came:
            signal.raise_signal(signal.SIGINT)


def _begin(lifeline: Connection) -> None:
    """Set up a worker: it ends with the main process and ignores SIGINT."""
    end_with_parent(lambda: wait([lifeline]))
    signal.signal(signal.SIGINT, lambda *_: None)  # bots that are started would inherit SIG_IGN, but not a handler
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def run_tasks(executor: Executor, task: Callable[..., T], arguments: Sequence[tuple[Any, ...]]) -> Iterator[T]:
    """Run a function once per tuple of arguments, and yield the results in order.

    Args:
        executor: any ``concurrent.futures.Executor``.
        task: a function that the executor's workers can import.
        arguments: the arguments of each call.

    Yields:
        The result of each call.

    Raises:
        ChildProcessError: when a worker ended abruptly.
    """
    futures: list[Future[T]] = []
    try:
        for one in arguments:
            futures.append(executor.submit(task, *one))  # raises if a worker was lost before
        for future in futures:
            yield future.result()
    except BrokenExecutor:
        raise ChildProcessError(
            "a worker process ended abruptly: was it killed, out of memory, or unable to import an agent's class?"
        ) from None
    finally:
        for future in futures:
            future.cancel()


class RayExecutor(Executor):
    """Runs tasks on a Ray cluster, each on one core. A task whose worker dies is repeated on another one.

    Every machine of the cluster must have the same version of the package.
    """

    def __init__(self, address: str = LOCAL) -> None:
        """Connect to a cluster.

        Args:
            address: the cluster's address as for ``ray.init``, ``"auto"`` for the cluster of this machine, or
                ``"local"`` to start Ray on this machine alone.

        Raises:
            ModuleNotFoundError: when Ray is not installed.
            ConnectionError: when there is no cluster at this address.
        """
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        self._ray: Any = ray
        settings = {"include_dashboard": False} if address == LOCAL else {}
        ray.init(address, log_to_driver=False, logging_level="ERROR", **settings)
        self._call: Any = ray.remote(num_cpus=1, max_retries=RETRIES)(_call)

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Start a task on the cluster and return its future."""
        reference = self._call.remote(task, arguments, named)
        result: Future[Any] = Future()
        reference.future().add_done_callback(lambda done: self._copy(done, result))
        return result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from a cluster, or stop Ray if it was started on this machine alone."""
        self._ray.shutdown()

    def _copy(self, done: Future[Any], result: Future[Any]) -> None:
        if not result.set_running_or_notify_cancel():
            return
        error = done.exception()
        if error is None:
            result.set_result(done.result())
        elif isinstance(error, self._ray.exceptions.RayTaskError):
            result.set_exception(getattr(error, "cause", None) or error)
        else:
            result.set_exception(BrokenExecutor(str(error)))


def _call(task: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return task(*arguments, **named)
