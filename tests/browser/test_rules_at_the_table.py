"""What the table says about the rules: which cards may be played, and why others must not be."""

from __future__ import annotations

import pytest

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


def test_arrow_keys_begin_at_the_hand(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=0))
    for key, place in (("ArrowRight", 0), ("ArrowLeft", -1)):
        table.page.locator("#hand").focus()  # as after a new game
        table.page.keyboard.press(key)
        focused = table.page.evaluate("document.activeElement.getAttribute('aria-label').split(',')[0]")
        assert focused == table.hand[place]


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
