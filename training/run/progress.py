"""The progress line of a run: decisions a second, win rates, time left."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

_PLAIN_EVERY = 15.0  # seconds between lines without a terminal
_MOST_RATES = 5  # win rates shown one by one; of more, the mean


class TrainingProgress:
    """A progress bar in a terminal; elsewhere, a line of text every 15 seconds."""

    def __init__(self, total: int, done: int = 0, quiet: bool = False) -> None:
        """Start at ``done`` of ``total`` decisions."""
        self._total = total
        self._start = done
        self._began: float | None = None  # at the first decisions: compilation and the first evaluation do not count
        self._last_line = 0.0
        self._rates = ""
        self._console = Console(file=sys.stderr, quiet=quiet)
        self._bar = Progress(
            TextColumn("training"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[speed]}"),
            TextColumn("{task.fields[rates]}"),
            TimeRemainingColumn(),
            console=self._console,
            disable=quiet or not self._console.is_terminal,
        )
        self._task = self._bar.add_task("", total=total, completed=done, speed="", rates="")

    def __enter__(self) -> TrainingProgress:
        """Show the bar."""
        if not self._bar.disable:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar."""
        if not self._bar.disable:  # older versions of rich end even a disabled bar with an empty line
            self._bar.stop()

    def say(self, line: str) -> None:
        """Print a line."""
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def update(self, done: int) -> None:
        """Show how many decisions have been trained on."""
        now = time.monotonic()
        if self._began is None:
            self._began, self._start, self._last_line = now, done, now
            return
        per_second = (done - self._start) / max(now - self._began, 1e-9)
        speed = f"{per_second:,.0f} decisions/s"
        self._bar.update(self._task, completed=done, speed=speed, rates=self._rates)
        if self._bar.disable and now - self._last_line >= _PLAIN_EVERY:
            self._last_line = now
            left = max(self._total - done, 0) / max(per_second, 1e-9)
            minutes, seconds = divmod(round(left), 60)
            self.say(f"{done:,} of {self._total:,} decisions, {speed}, {minutes}:{seconds:02d} left  {self._rates}")

    def show_rates(self, rates: dict[str, float]) -> None:
        """Show the latest win rates."""
        if len(rates) > _MOST_RATES:
            self._rates = f"won {sum(rates.values()) / len(rates):.0%} on average of {len(rates)} matches"
        else:
            self._rates = "won against " + ", ".join(f"{name} {rate:.0%}" for name, rate in rates.items())
