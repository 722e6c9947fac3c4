"""The sessions of the page without a server say what Python's say, from positions to statistics."""

from __future__ import annotations

import os
import re
import shutil

import pytest

from tests.play.sessions import BUILD, compare, questions

WHAT = ["deck", "tables", "open", "session", "recording", "shared", "hint", "line", "belief", "reason", "statistics"]
REQUIRED = os.environ.get("GERMAN_WHIST_BROWSER") == "required"

pytestmark = pytest.mark.skipif(not (REQUIRED or shutil.which("node")), reason="node is not installed")


def test_every_game_is_told_in_the_same_words() -> None:
    answered = compare(questions(4 * len(BUILD["page_rules"]())))
    assert re.sub(r"\d+ ", "", answered).split(", ") == WHAT


def test_a_difference_names_field_game_and_deal() -> None:
    asked = list(questions(1, seed=5))
    wrong = next(one for one in asked if one["what"] == "session")
    wrong["wanted"]["position"]["hand"][0]["name"] = "joker"
    with pytest.raises(ValueError, match=r"^classic, deal 0, session\.position\.hand\.0\.name: Python says \"joker\""):
        compare(asked)
