"""The progress of a run in the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from german_whist.simulator.text.words import percent_text

_PLAIN_EVERY = 10.0  # seconds between lines of progress without a terminal
_MAX_NAMES = 5  # opponents to name; if there are more, show their number and the mean of their win rates


class RunProgress:
    """A progress bar with decisions per second and the time left."""

    def __init__(self, total: int, done: int, quiet: bool) -> None:
        """Start at ``done`` of ``total`` decisions."""
        self._total, self._start = total, done
        self._began: float | None = None  # set at the first decisions, to leave out compilation and first evaluation
        self._last_line = time.monotonic()
        self._console = Console(file=sys.stderr, quiet=quiet)
        self._shows_bar = self._console.is_terminal and not quiet
        self.bar = Progress(
            TextColumn("training"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[speed]}"),
            console=self._console,
            disable=not self._shows_bar,
        )
        self._task = self.bar.add_task("", total=total, completed=min(done, total), speed="")

    def say(self, line: str) -> None:
        """Print a line."""
        self._last_line = time.monotonic()
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def say_rates(self, decisions: int, rates: Mapping[str, float]) -> None:
        """Print the win rates of the evaluation after ``decisions`` decisions."""
        if len(rates) > _MAX_NAMES:
            won = f"{percent_text(sum(rates.values()) / len(rates))} on average of {len(rates)} matches"
        else:
            won = ", ".join(f"{percent_text(rate)} against {name}" for name, rate in rates.items())
        self.say(f"games won after {decisions:,} decisions: {won}")

    def update(self, done: int, played: int) -> None:
        """Show an update, the last ``played`` of ``done`` decisions; the run ends with one."""
        now = time.monotonic()
        end = done + -(-max(self._total - done, 0) // max(played, 1)) * played
        speed = ""
        if self._began is None:
            self._began, self._start = now, done
        else:
            per_second = (done - self._start) / max(now - self._began, 1e-9)
            left = timedelta(seconds=round((end - done) / max(per_second, 1e-9)))
            speed = f"{per_second:,.0f} decisions/s, {left} left"
        self.bar.update(self._task, completed=done, total=end, speed=speed)
        if not self._shows_bar and now - self._last_line >= _PLAIN_EVERY:
            self.say(f"{done:,} of {end:,} decisions{speed and f', {speed}'}")
