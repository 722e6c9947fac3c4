"""Actions as text, and the errors that name them."""

from __future__ import annotations

import pytest

from german_whist.envs.engine.actions import action_text, actions_text, choice_names, parse_action
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.episodes import Episode


@pytest.mark.parametrize("name", rule_names())
def test_every_action_of_every_game_has_a_word_that_leads_back_to_it(name: str) -> None:
    game_rules = rules(name)
    words = [action_text(action, game_rules) for action in range(game_rules.num_actions)]
    assert len(set(words)) == game_rules.num_actions
    assert [parse_action(word, game_rules) for word in words] == list(range(game_rules.num_actions))
    assert [parse_action(f" {word.swapcase()} ", game_rules) for word in words] == list(range(game_rules.num_actions))


def test_the_choices_have_the_names_of_their_game() -> None:
    assert choice_names(rules("classic")) == choice_names(rules("open_stock")) == ()
    assert [action_text(action, rules("draft")) for action in (51, 52, 53)] == ["SA", "take", "leave"]
    assert [action_text(action, rules("humbug")) for action in (0, 52, 53)] == ["C2", "keep", "swap"]


def test_a_mask_is_printed_as_cards_or_choices() -> None:
    assert actions_text(1 << 51 | 1 << 0, rules("draft")) == "SA C2"
    assert actions_text(3 << 52, rules("draft")) == "take or leave"
    assert actions_text(1 << 53, rules("humbug")) == "swap"


def test_errors_name_the_choices_of_a_pending_decision() -> None:
    batch = DealBatch("humbug", 1)
    with pytest.raises(ValueError, match=r"action 3 \(C5\) is illegal in row 0: seat 1 may play keep or swap$"):
        batch.step([3])
    batch.step([53])
    batch.step([52])
    with pytest.raises(
        ValueError, match=r"action 53 \(swap\) is illegal in row 0: seat 1 may play [SHDC]\w( [SHDC]\w)*$"
    ):
        batch.step([53])
    deal = Episode("humbug")
    deal.reset(1)
    assert str(deal.illegal_action_error("player_1", 7)) == "action 7 (C9) is illegal: player_1 may play keep or swap"
