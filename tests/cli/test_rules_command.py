"""``german-whist rules``."""

from __future__ import annotations

import json

import pytest

from german_whist.cli import main
from german_whist.envs.engine.rules import rule_names, rules, rules_from_dict
from german_whist.envs.text.rules_text import preset_summary, rules_text

Capture = pytest.CaptureFixture[str]


def test_the_list_names_every_preset_with_a_line(capsys: Capture) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(rule_names())
    for line in lines:
        name, _, summary = line.partition(" ")
        assert summary.strip() == preset_summary(name)
        assert len(summary.strip()) > 20


@pytest.mark.parametrize("name", [*rule_names(), "classic:hand=10,stock=32"])
def test_a_game_is_printed_in_words_or_as_json(name: str, capsys: Capture) -> None:
    assert main(["rules", name]) == 0
    text = capsys.readouterr().out
    assert text == rules_text(name) + "\n"
    assert text.startswith(f"German Whist: {name}\n")
    assert main(["rules", name, "--json"]) == 0
    assert rules_from_dict(json.loads(capsys.readouterr().out)) == rules(name)
