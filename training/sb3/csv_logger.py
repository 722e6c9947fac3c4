"""Training metrics of ``trainer: sb3`` as CSV: one row per update, under Stable-Baselines3's names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter

from german_whist.training.run.csv_log import append_row

COLUMNS = (
    "time/total_timesteps",
    "time/time_elapsed",
    "time/fps",
    "train/n_updates",
    "train/learning_rate",
    "train/entropy_loss",
    "train/policy_gradient_loss",
    "train/value_loss",
    "train/loss",
    "train/explained_variance",
    "train/approx_kl",
    "train/clip_fraction",
)


class MetricsWriter(KVWriter):
    """Appends rows to a CSV file; a resumed run continues the same file."""

    def __init__(self, path: Path) -> None:
        """Name the file; the header is written when it does not exist."""
        self._path = path
        if not path.exists():
            append_row(path, COLUMNS)

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Write one row; metrics without a value stay empty."""
        append_row(self._path, [key_values.get(column, "") for column in COLUMNS])

    def close(self) -> None:
        """Do nothing: no file is held open."""
