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


@pytest.fixture(params=[80, 120])
def terminal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("COLUMNS", str(request.param))
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def test_without_a_terminal_lines_are_printed_periodically(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with TrainingProgress(10_000, 2_000) as shown:
        clock[0] += 300  # compiling, and the first evaluation
        shown.update(2_000)
        assert capsys.readouterr().err == "2,000 of 10,000 decisions\n"
        clock[0] += 20
        shown.show_rates(1_000, {"random": 0.751, "greedy": 0.5})
        shown.update(4_000)
        assert capsys.readouterr().err == (
            "4,000 of 10,000 decisions, 100 decisions/s, 1:00 left; at 1,000: won against random 75 %, greedy 50 %\n"
        )
        clock[0] += 1
        shown.update(4_100)
        shown.say("a line [of] its own")
    printed = capsys.readouterr()
    assert printed.err == "a line [of] its own\n"
    assert printed.out == ""


def test_without_a_terminal_what_takes_long_has_a_line_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with TrainingProgress(10_000) as shown:
        shown.begin_evaluation(FIRST_EVALUATION, 500, BOTS)
        assert capsys.readouterr().err == (
            f"{FIRST_EVALUATION}: 500 deals against each of random+exact, greedy+exact, heuristic+exact\n"
        )
        shown.begin_evaluation("", 500, BOTS)
        assert capsys.readouterr().err == ""
        shown.begin_evaluation(FINAL_EVALUATION, 2_000, ["champion"], games=3)
        assert capsys.readouterr().err == f"{FINAL_EVALUATION}: 2,000 deals against champion in each of 3 games\n"
        shown.begin_evaluation(FINAL_EVALUATION, 2_000, [f"checkpoint:{number}" for number in range(12)])
        assert capsys.readouterr().err == f"{FINAL_EVALUATION}: 2,000 deals against each of 12 opponents\n"


def test_the_end_after_whole_rollouts_is_said_once_if_it_is_another(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with TrainingProgress(1_000) as shown:
        for done, rollout in ((0, 300), (300, 310), (610, 300), (910, 300)):
            clock[0] += 20
            shown.expect(done, rollout)
            shown.update(done + rollout)
    first, *lines = capsys.readouterr().err.splitlines()
    assert "300" in first
    assert "1,200" in first
    counts = [re.match(r"([\d,]+) of ([\d,]+) decisions", line) for line in lines]
    assert [count.groups() for count in counts if count] == [("610", "1,230"), ("910", "1,210"), ("1,210", "1,210")]


def test_an_end_that_is_the_one_asked_for_is_not_said(capsys: pytest.CaptureFixture[str]) -> None:
    with TrainingProgress(1_000) as shown:
        shown.expect(0, 250)
        shown.expect(250, 250)
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_dated_win_rates_and_what_goes_on_after_the_last_decision(
    clock: list[float], terminal: Terminal, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)
    width = request.node.callspec.params["terminal"]
    with TrainingProgress(1_500_000) as shown:
        for done in range(0, 1_500_000, 42_588):
            shown.expect(done, 42_588)
            shown.update(done + 42_588)
            clock[0] += 12
            shown.show_rates(1_250_000, dict.fromkeys(BOTS, 0.5))
        shown._bar.refresh()
        drawn = " ".join(" ".join(terminal.lines()).split())
        assert "100%" in drawn
        assert "at 1,250,000: won against random+exact 50 %, greedy+exact 50 %, heuristic+exact 50 %" in drawn
        shown.begin_phase("fitting the value network")
        clock[0] += 75
        shown._bar.refresh()
        assert any(line.startswith("fitting the value network (1:15)") for line in terminal.lines())
        shown.begin_evaluation(FINAL_EVALUATION, 2_000, [f"checkpoint:{'a/long/way/' * 9}{i}" for i in range(5)])
        shown._bar.refresh()
    bars = [line for line in terminal.lines() if line.startswith("training ")]
    assert bars
    assert all("%" in line for line in bars)  # none is broken into two
    percents = [int(found) for found in re.findall(r"(\d+)%", " ".join(bars))]
    assert max(percents) == 100
    assert max(len(line) for line in terminal.lines()) <= width


def test_nothing_is_shown_when_quiet(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with TrainingProgress(10_000, quiet=True) as shown:
        clock[0] += 60
        shown.show_rates(0, {"random": 0.5})
        shown.begin_phase("work")
        shown.expect(0, 3_000)
        shown.update(5_000)
        shown.say("nothing")
    printed = capsys.readouterr()
    assert printed.out == printed.err == ""
