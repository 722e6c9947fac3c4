"""Minibatches of equal size, which all processes take equally many of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from german_whist.training.run.distributed import Processes


def minibatches(
    phase: torch.Tensor, phases: int, size: int, epochs: int, seed: tuple[int, ...], processes: Processes
) -> Iterator[torch.Tensor]:
    """Yield the positions of each minibatch, int64[at most size], shuffled by ``seed`` alone.

    Each minibatch is of one phase, and the phases take turns. All have the same size, because matrix products of
    a new size are slow (:class:`FrozenMLP`); the few positions left over differ from pass to pass.

    Args:
        phase: int64[positions], below ``phases``.
        phases: number of phases.
        size: largest size.
        epochs: passes.
        seed: the numbers that the order depends on.
        processes: the processes that train together.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    phase = phase.cpu()
    fewest = [processes.all_min(int((phase == number).sum())) for number in range(phases)]
    for _ in range(epochs):
        order = torch.from_numpy(rng.permutation(len(phase)))
        batches: list[tuple[float, torch.Tensor]] = []
        for number, positions in enumerate(fewest):  # all processes take equally many steps, in the same order
            if positions:
                rows_each = min(size, positions)
                parts = positions // rows_each
                rows = order[phase[order] == number][: parts * rows_each]
                batches += [((i + 0.5) / parts, part) for i, part in enumerate(rows.split(rows_each))]
        for _, rows in sorted(batches, key=lambda batch: batch[0]):
            yield rows
