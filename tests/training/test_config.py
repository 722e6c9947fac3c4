"""The settings of ``trainer: policy_iteration`` that have to agree."""

from __future__ import annotations

import pytest

from german_whist.training.config import PolicyIterationConfig


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hidden": [8, 8, 8, 8], "suit_layers": 2}, "hidden: .* at least 5 sizes, or suit_layers: 0"),
        ({"hidden": [8, 8, 8], "suit_layers": 1, "value_hidden": [8]}, "value_hidden: .* at least 2 sizes"),
        ({"suit_layers": -1}, "suit_layers"),
        ({"value_start": 5}, "value_start needs init"),
        ({"lookahead_policy": "init"}, "lookahead_policy: init needs init"),
        ({"lookahead_policy": "opponent"}, "opponent needs opponents without self"),
        (
            {"lookahead_policy": "opponent", "lookahead": 2, "opponents": {"random": 1.0}},
            "opponent needs lookahead: 1",
        ),
        ({"lookahead_policy": "actr"}, "lookahead_policy"),
    ],
)
def test_settings_that_do_not_agree_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PolicyIterationConfig.of(**settings)


def test_suit_layers_need_one_layer_for_all_suits() -> None:
    config = PolicyIterationConfig.of(hidden=[8, 8, 9, 8, 8], suit_layers=2, value_hidden=[8, 8, 9])
    assert config.suit_layers == 2
