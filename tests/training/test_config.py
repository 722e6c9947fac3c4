"""The settings of ``trainer: policy_iteration``: their types, and those that have to agree."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.training.config import PolicyIterationConfig


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hidden": [8, 8, 8, 8], "suit_layers": 2}, "hidden: .* at least 5 sizes, or suit_layers: 0"),
        ({"hidden": [8, 8, 8], "suit_layers": 1, "value_hidden": [8]}, "value_hidden: .* at least 2 sizes"),
        ({"suit_layers": -1}, "suit_layers"),
    ],
)
def test_settings_that_do_not_agree_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PolicyIterationConfig.of(**settings)


@pytest.mark.parametrize("kind", [np.int64, np.uint32, np.float32, str])
def test_a_number_of_any_library_is_a_plain_one(kind: type) -> None:
    config = PolicyIterationConfig.of(seed=kind(3), hidden=(kind(8), kind(9)), learning_rate=kind(1))
    assert config.to_yaml() == PolicyIterationConfig.of(seed=3, hidden=[8, 9], learning_rate=1.0).to_yaml()


@pytest.mark.parametrize(
    "wrong", [True, np.bool_(True), 3.5, "x", None, np.array(3), np.array([3]), -1, 2**64, [3], np.uint64(2**64 - 1)]
)
def test_a_number_that_is_none_is_refused_in_python_too(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"^seed must be an integer"):
        PolicyIterationConfig.of(seed=wrong)
