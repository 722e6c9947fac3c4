from __future__ import annotations

import pytest

from german_whist.benchmarks import harness


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still unless a workload moves it."""
    now = [0.0]
    monkeypatch.setattr(harness.time, "perf_counter", lambda: now[0])
    return now


def test_a_rate_is_units_over_the_time_they_took(clock: list[float]) -> None:
    def work() -> int:
        clock[0] += 0.5
        return 10

    assert harness.rate(work, 2) == pytest.approx(20)


def test_a_workload_longer_than_the_time_runs_once(clock: list[float]) -> None:
    calls = []

    def work() -> int:
        calls.append(1)
        clock[0] += 100
        return 10

    assert harness.rate(work, 1) == pytest.approx(0.1)
    assert len(calls) == 1


def test_rounds_are_interleaved_after_a_run_without_the_clock_and_medians_count(clock: list[float]) -> None:
    order = []
    seconds = {"a": [9.0, 1.0, 2.0, 4.0], "b": [9.0, 8.0, 8.0, 0.5]}  # the first of each is not measured

    def workload(name: str) -> harness.Workload:
        def work() -> int:
            order.append(name)
            clock[0] += seconds[name][order.count(name) - 1]
            return 8

        return work

    measured = harness.rates({"a": workload("a"), "b": workload("b")}, 0.3, lambda share: None, rounds=3)
    assert order == ["a", "b"] * 4
    assert measured == {"a": 4.0, "b": 1.0}
