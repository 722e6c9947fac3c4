"""``docs/reference/observations.md`` is written by the code, and says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.full_state import state_layout
from german_whist.envs.observation.vector import observation_layout
from tools.observation_picture import FILE, picture
from tools.observations_page import COMMAND, page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "observations.md"


def section(title: str) -> str:
    return page().partition(f"## {title}")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line[:1] == "|"]


def test_the_page_in_docs_is_the_one_the_code_writes() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), f"write it again: {COMMAND}"


@pytest.mark.parametrize("title", ["The vector", "The full state"])
@pytest.mark.parametrize(
    ("game", "match"),
    [
        ("open_stock:open_stock=3,high_low=true", None),
        ("draft:counts=all,race=5", "best_of:3"),
        (Rules(suits=2, ranks=4, hand=2, stock=0, humbug=True, high_low=True), "first_to:10"),
    ],
    ids=str,
)
def test_every_block_that_any_game_has_is_on_the_page(title: str, game: str | Rules, match: str | None) -> None:
    layout = (observation_layout if title == "The vector" else state_layout)(game, match)
    documented = [row[0].strip("`") for row in rows(section(title)) if row[0].startswith("`")]
    places = [documented.index(name) for name in layout]
    assert places == sorted(places)  # and the blocks stand in the order of the page


def test_the_picture_in_docs_is_the_one_the_code_draws() -> None:
    assert FILE.read_text(encoding="utf-8") == picture()
