"""Running tasks on an executor, in order, with one-line errors when a worker is lost."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from german_whist.envs.utils.checks import whole_number
from german_whist.envs.utils.kernel_cache import kernel_cache
from german_whist.envs.utils.warn_once import NUM_WARNINGS, share_warnings

T = TypeVar("T")


@contextmanager
def worker_processes(workers: int) -> Iterator[Executor]:
    """Start worker processes on this machine; they end with the block.

    The processes are spawned, not forked, because a fork after threads have started may hang.

    Raises:
        ValueError: when ``workers`` is not a whole number from 1.
    """
    whole_number("workers", workers, 1)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, _begin, (context.Array("b", NUM_WARNINGS),))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(warned: Any) -> None:
    """Print no line that another process prints: where kernels are cached, the main process has said."""
    with contextlib.redirect_stderr(io.StringIO()):
        kernel_cache()
    share_warnings(warned)


def run_tasks(executor: Executor, task: Callable[..., T], arguments: Sequence[tuple[Any, ...]]) -> Iterator[T]:
    """Run a function once for each tuple of arguments, and yield the results in their order.

    Args:
        executor: any ``concurrent.futures.Executor``.
        task: a function that the executor's workers can import.
        arguments: the arguments of each call.

    Raises:
        ChildProcessError: when a worker ended abruptly.
    """
    futures: list[Future[T]] = []
    try:
        for one in arguments:
            futures.append(executor.submit(task, *one))  # which raises if a worker was lost before
        for future in futures:
            yield future.result()
    except BrokenExecutor:
        raise ChildProcessError("a worker process ended abruptly: was it killed, or out of memory?") from None
    finally:
        for future in futures:
            future.cancel()
