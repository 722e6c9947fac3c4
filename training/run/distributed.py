"""Several processes that learn together through ``torch.distributed``, as ``torchrun`` starts them; or one alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

PATIENCE = timedelta(minutes=30)  # the others wait while the first evaluates


@dataclass(frozen=True)
class Processes:
    """Who learns together.

    Attributes:
        rank: this process among them, from 0. The first writes and evaluates.
        size: how many there are.
    """

    rank: int = 0
    size: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this process writes and evaluates."""
        return self.rank == 0

    def add(self, numbers: torch.Tensor) -> torch.Tensor:
        """Return the sums over all processes.

        Raises:
            ConnectionError: when one of them is gone.
        """
        if self.size > 1:
            with _naming_the_dead():
                dist.all_reduce(numbers)
        return numbers

    def fewest(self, number: int) -> int:
        """Return the smallest of the numbers of all processes.

        Raises:
            ConnectionError: when one of them is gone.
        """
        return int(min(self.gather(number)))

    def average_gradients(self, parameters: Sequence[torch.Tensor], decisions: int) -> None:
        """Replace the gradients by their mean over the decisions of all processes, those of the joined minibatch.

        Args:
            parameters: with the gradient of a mean over this process's decisions.
            decisions: how many those were.

        Raises:
            ConnectionError: when a process is gone.
        """
        if self.size == 1:
            return
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        count = torch.tensor([float(decisions)], device=gradients[0].device)
        flat = self.add(torch.cat([*(gradient.flatten() * decisions for gradient in gradients), count]))
        start = 0
        for gradient in gradients:
            gradient.copy_((flat[start : start + gradient.numel()] / flat[-1]).view_as(gradient))
            start += gradient.numel()

    def share(self, thing: Any) -> Any:
        """Return what the first process gave, in all of them.

        Raises:
            ConnectionError: when a process is gone.
        """
        if self.size == 1:
            return thing
        things = [thing]
        with _naming_the_dead():
            dist.broadcast_object_list(things)
        return things[0]

    def gather(self, thing: Any) -> list[Any]:
        """Return what each process gave, by rank; in all of them.

        Raises:
            ConnectionError: when a process is gone.
        """
        if self.size == 1:
            return [thing]
        things: list[Any] = [None] * self.size
        with _naming_the_dead():
            dist.all_gather_object(things, thing)
        return things


@contextmanager
def _naming_the_dead() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise ConnectionError(f"another process of this run is gone or stuck: {reason}") from None


@contextmanager
def joined_processes() -> Iterator[Processes]:
    """Join the processes that ``torchrun`` started, or stand alone; leave them at the end."""
    if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
        yield Processes()
        return
    with_gpus = torch.cuda.is_available()
    if with_gpus:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("cpu:gloo,cuda:nccl" if with_gpus else "gloo", timeout=PATIENCE)
    try:
        yield Processes(dist.get_rank(), dist.get_world_size())
    finally:
        dist.destroy_process_group()
