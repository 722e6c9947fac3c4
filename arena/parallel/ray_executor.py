"""Ray as an executor: the same tasks on a cluster (``pip install "german-whist[ray]"``)."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

RETRIES = 8  # of a task whose worker or machine is lost
LOCAL = "local"  # the address that starts Ray on this machine


class RayExecutor(Executor):
    """Runs tasks on a Ray cluster, each on one core. A task whose worker dies is run again elsewhere.

    The package has to be installed on every machine of the cluster, in the same version.
    """

    def __init__(self, address: str = LOCAL) -> None:
        """Connect to a cluster.

        Args:
            address: the cluster's address as ``ray.init`` takes it, ``"auto"`` for the one of this machine, or
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
        """Run a task on the cluster and return its future."""
        reference = self._call.remote(task, arguments, named)
        result: Future[Any] = Future()
        reference.future().add_done_callback(lambda done: self._copy(done, result))
        return result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect; a cluster goes on, and Ray on this machine alone ends."""
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
