"""Metrics of policy iteration, one row per update, as CSV and for TensorBoard, under CleanRL's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch.utils.tensorboard import SummaryWriter

from german_whist.training.run.csv_log import append_row
from german_whist.training.run.directory import RunDirectory


class RunMetrics:
    """Writes the metrics of a run; a resumed run appends to the same files."""

    def __init__(self, run: RunDirectory, names: Sequence[str], decisions: int) -> None:
        """Open the files.

        Args:
            run: the run's folder.
            names: names of the metrics.
            decisions: decisions at which the run resumes; TensorBoard hides its records of later ones.
        """
        self._path = run.metrics
        self._names = names
        if not self._path.exists():
            append_row(self._path, ("global_step", *names))
        self._board = SummaryWriter(str(run.tensorboard), purge_step=decisions + 1 if decisions else None)

    def write(self, decisions: int, metrics: Mapping[str, float]) -> None:
        """Write the row of an update.

        Args:
            decisions: decisions trained on so far.
            metrics: values by name.
        """
        append_row(self._path, [decisions, *(f"{metrics[name]:.6g}" for name in self._names)])
        self.chart(decisions, metrics)

    def chart(self, decisions: int, numbers: Mapping[str, float]) -> None:
        """Send numbers to TensorBoard."""
        for name, number in numbers.items():
            self._board.add_scalar(name, number, decisions)

    def close(self) -> None:
        """Flush TensorBoard's files."""
        self._board.close()
