"""The progress of a run in the terminal: decisions per second, time left, win rates, and what else is going on."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from german_whist.envs.utils.specs import percent_text

FIRST_EVALUATION = "first evaluation"
FIRST_ROLLOUT = "first rollout"
FINAL_EVALUATION = "final evaluation"
_PLAIN_EVERY = 10.0  # seconds between lines without a terminal
_MAX_NAMES = 5  # opponents to name; if there are more, show their number and the mean of their win rates


class TrainingProgress:
    """Prints to standard error: a progress bar below the lines in a terminal, a line every ten seconds elsewhere."""

    def __init__(self, total: int, done: int = 0, quiet: bool = False) -> None:
        """Start at ``done`` of ``total`` decisions."""
        self._wanted = self._end = total
        self._start = done
        self._began: float | None = None  # set at the first decisions, to leave out compilation and first evaluation
        self._last_line = time.monotonic()
        self._end_is_said = False
        self._console = Console(file=sys.stderr, quiet=quiet)
        self._bar = Progress(
            TextColumn("training"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[speed]}"),
            console=self._console,
            disable=quiet or not self._console.is_terminal,
        )
        self._task = self._bar.add_task("", total=total, completed=min(done, total), speed="")

    def __enter__(self) -> TrainingProgress:
        """Show the bar."""
        if not self._bar.disable:
            self._bar.start()
        return self

    def __exit__(self, *error: Any) -> None:
        """Stop the bar and leave it in its last state."""
        if not self._bar.disable:  # older versions of rich end even a disabled bar with an empty line
            self._bar.stop()

    def say(self, line: str) -> None:
        """Print a line."""
        self._last_line = time.monotonic()
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def say_evaluation(self, kind: str, deals: int, opponents: Sequence[str], games: int = 1) -> None:
        """Announce an evaluation that takes long.

        Args:
            kind: ``FIRST_EVALUATION`` or ``FINAL_EVALUATION``.
            deals: deals in each match.
            opponents: specification strings of the opponents.
            games: number of games in which each opponent is met.
        """
        against = f"{len(opponents)} opponents" if len(opponents) > _MAX_NAMES else ", ".join(opponents)
        each = "each of " if len(opponents) > 1 else ""
        where = f" in each of {games} games" if games > 1 else ""
        self.say(f"{kind}: {deals:,} deals against {each}{against}{where}")

    def say_rates(self, decisions: int, rates: Mapping[str, float]) -> None:
        """Print the win rates of the evaluation after ``decisions`` decisions."""
        if len(rates) > _MAX_NAMES:
            won = f"won {percent_text(sum(rates.values()) / len(rates))} on average of {len(rates)} matches"
        else:
            won = "won against " + ", ".join(f"{name} {percent_text(rate)}" for name, rate in rates.items())
        self.say(f"at {decisions:,}: {won}")

    def expect(self, done: int, rollout: int) -> None:
        """Expect the run to end with a whole rollout; say so once, if that is not the number of decisions asked for.

        Args:
            done: decisions before a rollout.
            rollout: decisions in a rollout of all processes together.
        """
        left = -(-max(self._wanted - done, 0) // max(rollout, 1))
        self._end = done + left * rollout
        if self._end != self._wanted and not self._end_is_said:
            self._end_is_said = True
            self.say(f"a rollout takes about {rollout:,} decisions, so the run will end at about {self._end:,}")

    def update(self, done: int) -> None:
        """Show that ``done`` decisions have been trained on."""
        now = time.monotonic()
        self._end = max(self._end, done)
        speed = ""
        if self._began is None:
            self._began, self._start = now, done
        else:
            per_second = (done - self._start) / max(now - self._began, 1e-9)
            speed = f"{per_second:,.0f} decisions/s"
            if done < self._end:
                speed += f", {_clock((self._end - done) / max(per_second, 1e-9))} left"
        self._bar.update(self._task, completed=done, total=self._end, speed=speed)
        if self._bar.disable and now - self._last_line >= _PLAIN_EVERY:
            self.say(f"{done:,} of {self._end:,} decisions{speed and f', {speed}'}")


def _clock(seconds: float) -> str:
    """Format seconds as ``M:SS``, or ``H:MM:SS`` from an hour on."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
