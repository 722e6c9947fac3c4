"""Accessibility and looks: axe finds nothing, everything fits on every screen, the page is light and stays at home."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import OpenTable
from tests.browser.server import Server
from tests.browser.table import Table

SIZES = {
    "phone": (390, 844),
    "lying phone": (844, 390),
    "tablet": (820, 1180),
    "desktop": (1280, 800),
    "wide": (1920, 1080),
}


def violations(table: Table) -> list[str]:
    """Return what axe finds, with the elements."""
    from axe_playwright_python.sync_playwright import Axe

    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    found = Axe().run(table.page, options=rules).response["violations"]
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}" for one in found]


def check_fit(table: Table) -> None:
    """Check that no card and no button is cut off by the window."""
    outside = table.page.evaluate(
        """() => [...document.querySelectorAll('button, #trick .card, #stock .card')].filter((one) => {
          const { left, top, right, bottom, width } = one.getBoundingClientRect();
          const inside = left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
          return width > 0 && one.checkVisibility() && one.closest('dialog, #coach, #result') === null && !inside;
        }).map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert outside == []


@pytest.mark.parametrize("size", SIZES)
def test_everything_fits_and_axe_finds_nothing(open_table: OpenTable, server: Server, size: str) -> None:
    width, height = SIZES[size]
    table = open_table(width=width, height=height, session=server.create(rules="classic", seat=0))
    table.act()
    check_fit(table)
    assert violations(table) == []


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_the_endgame_fits_and_axe_finds_nothing(open_table: OpenTable, server: Server, size: str) -> None:
    width, height = SIZES[size]
    table = open_table(width=width, height=height, session=server.create(rules="small", seat=0))
    while table.page.locator("html").get_attribute("data-stage") == "foreplay":
        table.act()
    check_fit(table)
    assert violations(table) == []


def test_axe_finds_nothing_in_windows_result_and_coach(table: Table, server: Server) -> None:
    table.go_to(server.create(rules="tiny", seat=0))
    table.button("Hint").click()
    table.page.get_by_role("region", name="Coach").wait_for()
    assert violations(table) == []
    table.play_on()
    assert violations(table) == []
    for name in ("Review", "Settings", "Statistics", "New game", "More", "Share", "Check the deal"):
        # "New game" stands in the bar, and in the result of a match that is over
        table.button(name).first.click()
        table.page.get_by_role("dialog").wait_for()
        assert violations(table) == [], name
        table.page.keyboard.press("Escape")


def test_targets_are_large_enough_for_a_finger(open_table: OpenTable, server: Server) -> None:
    table = open_table(width=390, height=844, touch=True, session=server.create(rules="classic", seat=0))
    sizes: list[Any] = table.page.locator("button:visible").evaluate_all(
        "all => all.map((one) => { const box = one.getBoundingClientRect(); return [box.width, box.height] })"
    )
    assert min(min(size) for size in sizes) >= 24


def test_the_page_is_light(open_table: OpenTable, server: Server) -> None:
    """All that a first visit loads: the document, its files, and what it asks the server for."""
    table = open_table(session=server.create(rules="classic", seat=0))
    loaded = table.page.evaluate(
        """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
          .map((one) => [one.name.split('#')[0].split('/').slice(4).join('/'), one.decodedBodySize])"""
    )
    sizes = dict(loaded)
    assert {"", "static/cards.svg", "static/js/main.js", "api/catalog"} <= set(sizes)
    assert any(name.startswith("api/sessions") for name in sizes)
    assert all(sizes.values())
    assert sum(size for _, size in loaded) < 300_000
