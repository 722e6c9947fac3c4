"""What a run shows of its progress: decisions a second, win rates, time left, and what it does besides training."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn
from rich.text import Text

from german_whist.envs.utils.plain_text import writable
from german_whist.envs.utils.specs import percent_text, printable

FIRST_EVALUATION = "first evaluation"
FIRST_ROLLOUT = "first rollout"
FINAL_EVALUATION = "final evaluation"
_PLAIN_EVERY = 10.0  # seconds between lines without a terminal
_MAX_RATES = 5  # win rates, or opponents, shown one by one; of more, the mean, or their number


class TrainingProgress:
    """A progress bar in a terminal; elsewhere, a line of text every ten seconds, as rollouts end."""

    def __init__(self, total: int, done: int = 0, quiet: bool = False) -> None:
        """Start at ``done`` of ``total`` decisions."""
        self._wanted = self._end = total
        self._start = done
        self._began: float | None = None  # at the first decisions: compilation and the first evaluation do not count
        self._last_line = time.monotonic()
        self._end_is_said = False
        self._rates = ""
        self._phase = ""
        self._phase_began = 0.0
        self._console = Console(file=sys.stderr, quiet=quiet)
        self._bar = _Bar(
            self._lines_below,
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the bar as it was last."""
        self._phase = ""
        if not self._bar.disable:  # older versions of rich end even a disabled bar with an empty line
            self._bar.stop()

    def say(self, line: str) -> None:
        """Print a line."""
        self._last_line = time.monotonic()
        self._console.print(writable(printable(line)), highlight=False, markup=False, soft_wrap=True)

    def begin_phase(self, phase: str, *, is_short: bool = False) -> None:
        """Show what the run does besides training, until the next decisions.

        Args:
            phase: what it does.
            is_short: worth no line of its own where there is no terminal.
        """
        self._phase, self._phase_began = phase, time.monotonic()
        if self._bar.disable and not is_short:
            self.say(phase)

    def begin_evaluation(self, kind: str, deals: int, opponents: Sequence[str], games: int = 1) -> None:
        """Show that matches are played.

        Args:
            kind: ``FIRST_EVALUATION`` or ``FINAL_EVALUATION``; empty for those in between, which are short.
            deals: deals of each match.
            opponents: specification strings of the opponents.
            games: number of games in which each is met.
        """
        against = f"{len(opponents)} opponents" if len(opponents) > _MAX_RATES else ", ".join(opponents)
        each = "each of " if len(opponents) > 1 else ""
        where = f" in each of {games} games" if games > 1 else ""
        self.begin_phase(f"{kind or 'evaluation'}: {deals:,} deals against {each}{against}{where}", is_short=not kind)

    def expect(self, done: int, rollout: int) -> None:
        """Expect the end after the last whole rollout; say once where that is, unless it is the number asked for.

        Args:
            done: decisions before a rollout.
            rollout: decisions of a rollout, all processes together.
        """
        left = -(-max(self._wanted - done, 0) // max(rollout, 1))
        self._end = done + left * rollout
        if self._end != self._wanted and not self._end_is_said:
            self._end_is_said = True
            self.say(f"a rollout is about {rollout:,} decisions: the run ends at about {self._end:,}")

    def update(self, done: int) -> None:
        """Show how many decisions have been trained on."""
        now = time.monotonic()
        self._phase = ""
        self._end = max(self._end, done)
        speed = ""
        if self._began is None:
            self._began, self._start = now, done
        else:
            per_second = (done - self._start) / max(now - self._began, 1e-9)
            speed = f"{per_second:,.0f} decisions/s"
            if done < self._end:
                speed += f", {_clock((self._end - done) / max(per_second, 1e-9))} left"
        if done >= self._end:
            self._phase, self._phase_began = "last update", now
        self._bar.update(self._task, completed=done, total=self._end, speed=speed)
        if self._bar.disable and now - self._last_line >= _PLAIN_EVERY:
            about = f"{done:,} of {self._end:,} decisions{speed and f', {speed}'}"
            self.say(f"{about}; {self._rates}" if self._rates else about)

    def show_rates(self, decisions: int, rates: dict[str, float]) -> None:
        """Show the win rates of the newest evaluation, which was after so many decisions."""
        if len(rates) > _MAX_RATES:
            won = f"won {percent_text(sum(rates.values()) / len(rates))} on average of {len(rates)} matches"
        else:
            won = "won against " + ", ".join(f"{name} {percent_text(rate)}" for name, rate in rates.items())
        self._rates = f"at {decisions:,}: {won}"
        self._phase = ""

    def _lines_below(self) -> Iterable[str]:
        if self._phase:
            yield f"{self._phase} ({_clock(time.monotonic() - self._phase_began)})"
        if self._rates:
            yield self._rates


class _Bar(Progress):
    """A progress bar with lines of text below it."""

    def __init__(self, lines_below: Callable[[], Iterable[str]], *columns: ProgressColumn, **settings: Any) -> None:
        """Take the function that returns the lines, which is called whenever the bar is drawn, and rich's settings."""
        self._lines_below = lines_below
        super().__init__(*columns, **settings)

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return the bar and the lines."""
        yield from super().get_renderables()
        for line in self._lines_below():
            yield Text(printable(line))


def _clock(seconds: float) -> str:
    """Return a time as minutes and seconds, with hours if there are any."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
