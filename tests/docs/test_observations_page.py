"""``docs/reference/observations.md`` is written by the code, and says what the code does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from german_whist.envs.engine.match_format import match_format_of
from german_whist.envs.engine.rules import Rules, rule_names, rules
from german_whist.envs.observation.full_state import state_high, state_layout
from german_whist.envs.observation.history import COLUMNS, EVENTS, HISTORY_VERSION
from german_whist.envs.observation.vector import OBSERVATION_VERSION, observation_high, observation_layout
from german_whist.envs.simulator.batch import DealBatch
from tools.observations_page import COMMAND, page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "observations.md"


def section(title: str) -> str:
    return page().partition(f"## {title}")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line[:1] == "|"]


def test_the_page_in_docs_is_the_one_the_code_writes() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), f"write it again: {COMMAND}"


def test_the_command_prints_the_page() -> None:
    words = COMMAND.partition(" > ")[0].split()
    printed = subprocess.run([sys.executable, *words[1:]], capture_output=True, check=True, encoding="utf-8")
    assert printed.stdout == page()


def test_the_page_lists_every_classic_block_with_its_range() -> None:
    for title, layout, high in (
        ("The vector", observation_layout(), observation_high()),
        ("The full state", state_layout(), state_high()),
    ):
        documented = {row[0].strip("`"): row for row in rows(section(title)) if row[0].startswith("`")}
        for name, (start, stop, meaning) in layout.items():
            _, features, number, values, text = documented[name]
            assert (features.split("–")[0], features.split("–")[-1]) == (str(start), str(stop - 1))
            assert number == str(stop - start)
            assert values == f"0 to {high[start:stop].max()}"
            assert text == meaning


@pytest.mark.parametrize("title", ["The vector", "The full state"])
@pytest.mark.parametrize(
    ("game", "match"),
    [
        *((name, None) for name in rule_names()),
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


def test_sizes_by_game_are_those_of_what_the_batch_writes() -> None:
    documented = {row[0].strip("`"): row for row in rows(section("Sizes by game"))}
    for name in rule_names():
        batch = DealBatch(name, 1, history=True)
        _, vector, history, _, actions, _ = documented[name]
        assert int(vector) == batch.observe().shape[1]
        assert history == " × ".join(map(str, batch.history()[0].shape[1:]))
        assert int(actions) == batch.action_mask().shape[1]
        assert int(documented[name][3]) == state_high(name).size


def test_columns_events_and_versions_are_on_the_page() -> None:
    history = rows(section("The history"))
    assert [row[1].strip("`") for row in history if len(row) == 4 and row[0].isdigit()] == [c.name for c in COLUMNS]
    assert [row[1].strip("`") for row in history if len(row) == 3 and row[0].isdigit()] == [name for name, _ in EVENTS]
    plain = " ".join(page().split())
    assert f"version {OBSERVATION_VERSION}, `OBSERVATION_VERSION`" in plain
    assert f"version {HISTORY_VERSION}, `HISTORY_VERSION`" in plain


def test_the_page_is_right_about_matches() -> None:
    small, large = match_format_of("first_to:25"), match_format_of("first_to:1000")
    classic = rules("classic")
    for match, features in ((small, 3), (large, 6)):
        assert observation_high(classic, match).size == observation_high(classic).size + features
        assert state_high(classic, match).size == state_high(classic).size + features
    assert re.search(r"A match adds 3 features to vector and state, or 6", page())


def test_observations_reach_no_further_than_the_page_says(rng) -> None:
    for name in rule_names():
        batch, high = DealBatch(name, 30), observation_high(name)
        while not batch.done.all():
            seen = batch.observe()
            assert (seen >= 0).all()
            assert (seen <= high).all()
            batch.step((rng.random((30, batch.num_actions)) * batch.action_mask()).argmax(axis=1))
