"""Actions as text, and the errors that name them."""

from __future__ import annotations

import pytest

from german_whist.game.actions import action_text, actions_text, non_card_action_names, parse_action
from german_whist.game.rules import rule_names, rules


@pytest.mark.parametrize("name", rule_names())
def test_action_text_round_trip(name: str) -> None:
    game_rules = rules(name)
    words = [action_text(action, game_rules) for action in range(game_rules.num_actions)]
    assert len(set(words)) == game_rules.num_actions
    assert [parse_action(word, game_rules) for word in words] == list(range(game_rules.num_actions))
    assert [parse_action(f" {word.swapcase()} ", game_rules) for word in words] == list(range(game_rules.num_actions))


def test_non_card_actions_have_names() -> None:
    assert non_card_action_names(rules("classic")) == non_card_action_names(rules("open_stock")) == ()
    assert [action_text(action, rules("draft")) for action in (51, 52, 53)] == ["SA", "take", "leave"]
    assert [action_text(action, rules("humbug")) for action in (0, 52, 53)] == ["C2", "keep", "swap"]


def test_mask_text_names_legal_actions() -> None:
    assert actions_text(1 << 51 | 1 << 0, rules("draft")) == "SA C2"
    assert actions_text(3 << 52, rules("draft")) == "take or leave"
    assert actions_text(1 << 53, rules("humbug")) == "swap"
