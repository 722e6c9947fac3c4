from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import german_whist as gw


@pytest.mark.parametrize("name", gw.rule_names())
@pytest.mark.parametrize("match", [None, "first_to:7", "best_of:3"])
def test_the_largest_reward_and_the_longest_game_are_bounds_that_environments_keep(name: str, match: Any) -> None:
    rng = np.random.default_rng(1)
    for reward in ("margin", "win", "points"):
        environment = gw.raw_env(rules=name, reward=reward, match=match)
        limit = gw.max_reward(name, reward, match)
        assert limit == environment.reward_limit
        environment.reset(seed=1)
        actions = 0
        while not any(environment.terminations.values()):
            environment.step(int(rng.choice(np.flatnonzero(environment.action_masks()))))
            actions += 1
        assert max(environment.rewards.values()) <= limit
        assert actions <= gw.max_game_length(name, match)


def test_the_limits_of_the_classic_game() -> None:
    assert [gw.max_reward("classic", reward) for reward in ("margin", "win", "points")] == [13, 1, 13]
    assert gw.max_reward("classic", "margin", "first_to:25") == 37
    assert gw.max_game_length("classic") == 52
    assert gw.max_game_length("classic", "best_of:3") == 52 * 4095


@pytest.mark.parametrize("wrong", [{"rules": "clasic"}, {"reward": "margn"}, {"match": "first"}])
def test_a_wrong_name_is_named(wrong: Any) -> None:
    with pytest.raises(ValueError, match=str(*wrong.values())):
        gw.max_reward(**wrong)


def test_the_cards_of_a_mask() -> None:
    mask = gw.DealBatch("classic").legal()[0]
    cards = gw.cards_of_mask(mask)
    assert sum(1 << card for card in cards) == int(mask)
    assert gw.cards_of_mask(0) == []
    assert [gw.card_text(card) for card in gw.cards_of_mask(1 << 51 | 1)] == ["C2", "SA"]
    for wrong in (-1, 2**64, "1", None, True, 1.0):
        with pytest.raises(ValueError, match="mask"):
            gw.cards_of_mask(wrong)  # type: ignore[arg-type]
