"""The catalogue of benchmarks: what can be asked for."""

from __future__ import annotations

import math

import pytest

from german_whist.benchmarks.catalog import SUBJECTS, check_request, measurement, run_subjects


def test_every_subject_has_its_module() -> None:
    calls = []
    lines = list(run_subjects(["batch"], 0.02, lambda name, share: calls.append((name, share))))
    assert len(lines) == 2
    assert calls[0] == ("batch", 0)
    assert calls[-1] == ("batch", 1)
    assert all(callable(measurement(name)) for name in SUBJECTS)


def test_every_subject_is_run_by_default_and_each_only_once() -> None:
    assert check_request([], 1) == list(SUBJECTS)
    assert check_request(["batch", "aec", "batch"], 1) == ["batch", "aec"]


def test_an_unknown_subject_gets_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="unknown benchmark 'bacth': did you mean 'batch'"):
        check_request(["bacth"], 1)


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf])
def test_an_invalid_time_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match=f"seconds must be a number > 0, got {seconds}"):
        check_request([], seconds)
