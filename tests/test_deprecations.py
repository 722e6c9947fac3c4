"""What is deprecated fails a test, if it is ours: so the next Python, NumPy or torch announces itself."""

from __future__ import annotations

import warnings

import pytest

OWN = ("german_whist", "german_whist.evaluation.match", "tests.docs.examples", "tests.index")
FOREIGN = ("torch.jit._trace", "multiprocessing.popen_fork")


@pytest.mark.parametrize("category", [DeprecationWarning, PendingDeprecationWarning, FutureWarning])
@pytest.mark.parametrize("module", OWN)
def test_a_deprecation_in_our_code_is_an_error(module: str, category: type[Warning]) -> None:
    with pytest.raises(category, match="old"):
        exec("warn('old', category)", {"__name__": module, "warn": warnings.warn, "category": category})


@pytest.mark.parametrize("module", FOREIGN)
def test_one_inside_a_library_is_shown(module: str) -> None:
    with warnings.catch_warnings(record=True) as shown:
        exec("warn('old', DeprecationWarning)", {"__name__": module, "warn": warnings.warn})
    assert [str(warning.message) for warning in shown] == ["old"]
