"""The settings: each does what it says, and is remembered."""

from __future__ import annotations

import re
from typing import Any

from tests.browser.conftest import OpenTable
from tests.browser.server import Server
from tests.browser.table import Table


def faces(table: Table) -> set[str]:
    """Return what the cards in the hand are drawn from."""
    hrefs = table.page.locator("#hand use").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
    return {href.split("-")[0] for href in hrefs}


def settings_of(table: Table) -> Any:
    table.button("Settings").click()
    return table.page.get_by_role("dialog", name="Settings")


def test_faces_backs_and_colours_change_at_once_and_are_remembered(table: Table) -> None:
    assert faces(table) == {"#classic"}
    dialog = settings_of(table)
    dialog.get_by_text("Four colours").click()
    dialog.get_by_text("Waves").click()
    dialog.get_by_text("Blue").click()
    for _ in range(2):
        assert faces(table) == {"#modern"}
        assert table.page.locator("html").get_attribute("data-faces") == "four-colour"
        assert table.page.locator("#far-hand use").first.get_attribute("href") == "#back-waves"
        assert table.page.locator("html").get_attribute("data-back") == "blue"
        table.page.reload()
        table.wait()


def test_the_hand_in_one_row_or_stacked_and_the_order_of_suits(table: Table, server: Server) -> None:
    table.go_to(server.create(rules="classic", seat=0))
    tops = "all => new Set(all.map((one) => Math.round(one.getBoundingClientRect().top))).size"
    hand = table.page.locator("#hand button")
    assert hand.evaluate_all(tops) == 1
    dialog = settings_of(table)
    dialog.get_by_label("Hand").select_option("Stacked in two rows")
    assert hand.evaluate_all(tops) == 2
    dialog.get_by_label("Order of suits").select_option("Spades, hearts, diamonds, clubs")
    suits = [name.split(" of ")[1] for name in table.hand]
    assert suits == sorted(suits, key=["spades", "hearts", "diamonds", "clubs"].index)


def test_portrait_and_landscape_follow_the_window_or_the_setting(open_table: OpenTable) -> None:
    table = open_table(width=820, height=1180)
    root = table.page.locator("html")
    assert root.get_attribute("data-layout") == "portrait"
    table.page.set_viewport_size({"width": 1180, "height": 820})
    table.page.wait_for_function("() => document.documentElement.dataset.layout === 'landscape'")
    settings_of(table).get_by_label("Orientation").select_option("Portrait")
    assert root.get_attribute("data-layout") == "portrait"


def test_the_next_game_is_chosen_and_remembered(table: Table) -> None:
    table.button("New game").click()
    dialog = table.page.get_by_role("dialog", name="New game")
    dialog.get_by_label("Game").select_option("tiny")
    dialog.get_by_label("Level").select_option("greedy")
    dialog.get_by_label("Win target").select_option("First to 10")
    dialog.get_by_role("button", name="Deal the cards").click()
    table.page.wait_for_function("() => document.querySelectorAll('#hand button').length === 2")
    table.wait()
    assert "First to 10" in table.page.locator("#match").text_content()
    table.page.reload()
    table.wait()
    table.button("New game").click()
    assert dialog.get_by_label("Game").input_value() == "tiny"
    assert dialog.get_by_label("Win target").input_value() == "first_to:10"
    assert re.search("greedy", dialog.get_by_label("Level").input_value())


def test_cards_move_unless_the_system_or_the_setting_asks_for_rest(open_table: OpenTable, server: Server) -> None:
    watch = """() => { window.flights = 0; const before = Element.prototype.animate;
      Element.prototype.animate = function (...given) { window.flights += 1; return before.apply(this, given); } }"""
    still: dict[str, Any] = {"moving": True, "settings": {"speed": "none"}}
    for expected, device in ((True, {"moving": True}), (False, {}), (False, still)):
        table = open_table(session=server.create(rules="tiny", seat=0), **device)
        table.page.evaluate(watch)
        table.act()
        assert (table.page.evaluate("window.flights") > 0) is expected
