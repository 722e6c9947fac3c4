"""What a run shows as it goes, in a terminal and without one."""

from __future__ import annotations

import io
import re
import sys

import pytest

from german_whist.training import progress
from german_whist.training.progress import FINAL_EVALUATION, FIRST_EVALUATION, TrainingProgress

BOTS = ["random+exact", "greedy+exact", "heuristic+exact"]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


class Terminal(io.StringIO):
    """A terminal that remembers what was written."""

    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """Return the lines that were drawn, without colours and movements of the cursor."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.getvalue()).replace("\r", "\n").splitlines()


def test_without_a_terminal_lines_are_printed_periodically(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with TrainingProgress(10_000, 2_000) as shown:
        clock[0] += 300  # compiling, and the first evaluation
        shown.update(2_000)
        assert capsys.readouterr().err == "2,000 of 10,000 decisions\n"
        clock[0] += 20
        shown.update(4_000)
        assert capsys.readouterr().err == "4,000 of 10,000 decisions, 100 decisions/s, 1:00 left\n"
        clock[0] += 1
        shown.update(4_100)
        shown.say("a line [of] its own")
    printed = capsys.readouterr()
    assert printed.err == "a line [of] its own\n"
    assert printed.out == ""


def test_evaluations_have_lines(capsys: pytest.CaptureFixture[str]) -> None:
    many = [f"checkpoint:{number}" for number in range(12)]
    with TrainingProgress(10_000) as shown:
        shown.say_evaluation(FIRST_EVALUATION, 500, BOTS)
        shown.say_evaluation(FINAL_EVALUATION, 2_000, ["champion"], games=3)
        shown.say_evaluation(FINAL_EVALUATION, 2_000, many)
        shown.say_rates(1_000, {"random": 0.751, "greedy": 0.5})
        shown.say_rates(1_000_000, dict.fromkeys(many, 0.25))
    assert capsys.readouterr().err.splitlines() == [
        f"{FIRST_EVALUATION}: 500 deals against each of random+exact, greedy+exact, heuristic+exact",
        f"{FINAL_EVALUATION}: 2,000 deals against champion in each of 3 games",
        f"{FINAL_EVALUATION}: 2,000 deals against each of 12 opponents",
        "at 1,000: won against random 75 %, greedy 50 %",
        "at 1,000,000: won 25 % on average of 12 matches",
    ]


def test_the_end_after_whole_rollouts_is_said_once_if_it_is_another(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with TrainingProgress(1_000) as shown:
        shown.expect(0, 250)
        assert capsys.readouterr().err == ""
        for done, rollout in ((0, 300), (300, 310), (610, 300), (910, 300)):
            clock[0] += 20
            shown.expect(done, rollout)
            shown.update(done + rollout)
    first, *lines = capsys.readouterr().err.splitlines()
    assert first == "a rollout takes about 300 decisions, so the run will end at about 1,200"
    counts = [re.match(r"([\d,]+) of ([\d,]+) decisions", line) for line in lines]
    assert [count.groups() for count in counts if count] == [("610", "1,230"), ("910", "1,210"), ("1,210", "1,210")]


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_shows_a_bar_below_the_lines(
    clock: list[float], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    terminal = Terminal()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    with TrainingProgress(1_500_000) as shown:
        for done in range(0, 1_500_000, 42_588):
            shown.expect(done, 42_588)
            shown.update(done + 42_588)
            clock[0] += 12
        shown.say_rates(1_250_000, dict.fromkeys(BOTS, 0.5))
        shown._bar.refresh()
    lines = terminal.lines()
    assert "at 1,250,000: won against random+exact 50 %, greedy+exact 50 %, heuristic+exact 50 %" in lines
    bars = [line for line in lines if line.startswith("training ")]
    assert bars
    assert all("%" in line and len(line) <= width for line in bars)  # none is broken into two
    assert max(int(found) for found in re.findall(r"(\d+)%", " ".join(bars))) == 100


def test_nothing_is_shown_when_quiet(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with TrainingProgress(10_000, quiet=True) as shown:
        clock[0] += 60
        shown.expect(0, 3_000)
        shown.update(5_000)
        shown.say("nothing")
    printed = capsys.readouterr()
    assert printed.out == printed.err == ""
