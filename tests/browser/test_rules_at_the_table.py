"""What the table says about the rules: which cards may be played, and why others must not be."""

from __future__ import annotations

import re

import pytest

from german_whist.envs.text.rules_text import rules_text
from tests.browser.conftest import OpenTable
from tests.browser.table import Table

pytestmark = pytest.mark.nightly


def unplayable(table: Table) -> list[str]:
    """Play until a suit has to be followed; return the names of the cards that must not be played."""
    for _ in range(20):
        hand = table.page.get_by_role("list", name="Your hand").get_by_role("button")
        names = [str(name) for name in hand.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")]
        if any("not playable" in name for name in names) and table.actions():
            return [name for name in names if "not playable" in name]
        table.act()
    raise AssertionError("no suit had to be followed")


def test_a_card_that_must_not_be_played_says_which_suit_to_follow(table: Table) -> None:
    table.go_to(table.create(rules="classic", seat=0))
    names = unplayable(table)
    _, _, suit = names[0].partition(", not playable: you must follow ")
    assert suit in {"clubs", "diamonds", "hearts", "spades"}
    before = table.hand
    card = table.button(names[0])
    assert card.get_attribute("aria-disabled") == "true"
    card.click(force=True)
    card.click(force=True)
    assert f"follow {suit}" in table.page.get_by_role("alert").text_content()
    assert table.hand == before


def test_the_first_tap_raises_a_card_and_another_card_can_be_raised_instead(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=1))
    first, second, *_ = table.actions()
    first.click()
    assert first.get_attribute("aria-pressed") == "true"
    second.click()
    assert (first.get_attribute("aria-pressed"), second.get_attribute("aria-pressed")) == ("false", "true")
    table.page.keyboard.press("Escape")
    assert second.get_attribute("aria-pressed") == "false"
    assert len(table.hand) == 7


def test_a_single_tap_plays_if_the_setting_says_so(open_table: OpenTable) -> None:
    table = open_table(settings={"singleTap": True}, game={"rules": "small", "seat": 1})
    name = str(table.actions()[0].get_attribute("aria-label"))
    table.actions()[0].click()
    table.page.wait_for_function("() => document.querySelector('[role=log]').textContent.includes('You lead')")
    table.wait()
    assert f"You lead the {name}." in table.log or f"You play the {name}." in table.log


def test_the_rules_are_told_in_paragraphs(table: Table) -> None:
    session = table.create(rules="classic", seat=0)
    table.go_to(session)
    table.button("More").click()
    table.button("Rules", exact=False).click()
    paragraphs = table.page.get_by_role("dialog", name="Rules").get_by_role("paragraph").all_text_contents()
    told = rules_text("classic")
    assert len(paragraphs) == len(re.findall(r"^\w+:", told, re.MULTILINE))
    assert " ".join(paragraphs).split() == told.partition("\n\n")[2].split()


def test_nobody_sees_the_opponents_cards(table: Table) -> None:
    table.go_to(table.create(rules="classic", seat=0))
    table.act()
    far = table.page.get_by_role("region", name="Textbook", exact=True)
    assert far.get_by_role("img").count() == 0
    drawn = far.locator("[data-card]").evaluate_all("all => all.map((one) => one.dataset.card)")
    assert set(drawn) == {"-1"}
