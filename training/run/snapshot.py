"""The snapshot that a stopped run resumes from: everything that the next update depends on.

There is no random state: every random number of a run is a function of its seed and of how far the run is.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import torch

from german_whist.envs.utils.checks import is_whole_number
from german_whist.training.config import MAX_NUMBER
from german_whist.training.run.provenance import Provenance
from german_whist.training.run.resume_file import UNREADABLE, cannot_resume, read_resume_file, write_resume_file

FORMAT = "german-whist-snapshot"


@dataclass(frozen=True)
class Snapshot:
    """A run between two updates.

    Attributes:
        decisions: decisions trained on so far.
        seconds: seconds of training so far.
        learner: weights and optimiser state, by name.
        deals: the collector's state in each process, by name.
        provenance: the settings of the run and its checkpoints.
    """

    decisions: int
    seconds: float
    learner: dict[str, torch.Tensor]
    deals: list[dict[str, torch.Tensor]]
    provenance: Provenance

    def save(self, path: Path) -> None:
        """Write the file, atomically.

        Raises:
            OSError: when it cannot be written; an earlier one is left as it was.
        """
        tensors = {f"learner.{name}": tensor for name, tensor in self.learner.items()}
        for rank, of_process in enumerate(self.deals):
            tensors |= {f"deals.{rank}.{name}": tensor for name, tensor in of_process.items()}
        about = {"decisions": self.decisions, "seconds": self.seconds, "processes": len(self.deals)}
        texts = {"about": json.dumps(about), "provenance": self.provenance.to_text()}
        write_resume_file(path, FORMAT, tensors, texts)

    @classmethod
    def load(cls, path: Path) -> Snapshot:
        """Read the file.

        Raises:
            ValueError: when it is damaged or not a snapshot; the message is one line.
        """
        try:
            tensors, metadata = read_resume_file(path, FORMAT)
            about = json.loads(metadata["about"])
            decisions, seconds, processes = (about[name] for name in ("decisions", "seconds", "processes"))
            found = {name.split(".")[1] for name in tensors if name.startswith("deals.")}
            if not is_whole_number(decisions, 0, MAX_NUMBER):
                raise ValueError(f"its decisions {decisions!r:.60} are not a number of decisions")
            if not isinstance(seconds, float) or not math.isfinite(seconds) or seconds < 0:
                raise ValueError(f"its seconds {seconds!r:.60} are not a time")
            if not is_whole_number(processes, 1) or found != {str(rank) for rank in range(min(processes, 10**4))}:
                raise ValueError(f"it holds the deals of {len(found)} processes, not of {processes!r:.60}")
            return cls(
                decisions,
                seconds,
                _below(tensors, "learner."),
                [_below(tensors, f"deals.{rank}.") for rank in range(processes)],
                Provenance.from_text(metadata["provenance"]),
            )
        except UNREADABLE as error:
            raise cannot_resume(path, error) from None


def _below(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
