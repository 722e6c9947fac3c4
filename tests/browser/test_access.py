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
    from axe_playwright_python.base import AXE_SCRIPT

    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    if not table.page.evaluate("'axe' in window"):
        table.page.evaluate(AXE_SCRIPT)
    found = table.page.evaluate("async (rules) => (await axe.run(rules)).violations", rules)
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}" for one in found]


# What is cut off: by the window, or by the side of a panel, whose content can be scrolled up and down only.
_CUT_OFF = """() => {
  const panels = 'dialog, #coach, #result, .offer';
  const wanted = `button, a.button, select, textarea, .card, ${panels}`;
  const modal = document.querySelector('dialog[open]') !== null;
  return [...document.querySelectorAll(wanted)].filter((one) => {
    const { left, top, right, bottom, width, height } = one.getBoundingClientRect();
    if (width <= 1 || height <= 1 || !one.checkVisibility()) return false;
    if (one.closest('.ghost, .scroller, #far-hand') !== null) return false;
    if (modal && one.closest('dialog') === null) return false;
    const panel = one.matches(panels) ? null : one.closest('.moves, .dialog-body, #coach, #result');
    const sides = panel?.getBoundingClientRect() ?? { left: 0, right: innerWidth };
    if (left < sides.left - 1 || right > sides.right + 1) return true;
    return panel === null && (top < -1 || bottom > innerHeight + 1);
  }).map((one) => one.outerHTML.slice(0, 100));
}"""


def check(table: Table, state: str) -> None:
    """Check a state of the page: everything fits, and axe finds nothing."""
    found = [f"cut off: {one}" for one in table.page.evaluate(_CUT_OFF)] + violations(table)
    assert found == [], f"{state}: {found}"


@pytest.mark.parametrize("size", SIZES)
def test_everything_fits_and_axe_finds_nothing(open_table: OpenTable, server: Server, size: str) -> None:
    width, height = SIZES[size]
    table = open_table(width=width, height=height, session=server.create(rules="classic", seat=0))
    table.act()
    check(table, "foreplay")


@pytest.mark.parametrize("size", ["phone", "tablet", "desktop"])
def test_the_endgame_fits_and_axe_finds_nothing(open_table: OpenTable, server: Server, size: str) -> None:
    width, height = SIZES[size]
    table = open_table(width=width, height=height, session=server.create(rules="small", seat=0))
    while table.page.locator("html").get_attribute("data-stage") == "foreplay":
        table.act()
    check(table, "endgame")


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_windows_result_and_coach_fit_and_axe_finds_nothing(open_table: OpenTable, server: Server, size: str) -> None:
    width, height = SIZES[size]
    other = server.create(rules="small", seat=0)
    table = open_table(width=width, height=height, session=server.create(rules="tiny", seat=0))
    table.button("Hint").click()
    table.page.get_by_role("region", name="Coach", exact=True).wait_for()
    check(table, "hint")
    table.play_on()
    check(table, "result")
    windows = ("Review", "Watch the agent", "Settings", "Statistics", "New game", "More", "Share", "Check the deal")
    for name in windows:
        # "New game" stands in the bar, and in the result of a match that is over
        table.button(name).first.click()
        table.page.get_by_role("dialog").wait_for()
        check(table, name)
        table.page.keyboard.press("Escape")
    for name in ("Rules", "Open a recording", "Unfinished games"):
        table.button("More").click()
        table.button(name, exact=False).click()
        table.page.get_by_role("dialog", name=name).wait_for()
        check(table, name)
        table.page.keyboard.press("Escape")
    assert server.session(other)["deals"] == []


def test_the_log_can_be_read_on_a_phone(open_table: OpenTable, server: Server) -> None:
    session = server.create(rules="classic", seat=0)
    table = open_table(width=390, height=844, touch=True, session=session)
    table.act()
    commitment = server.session(session)["deal"]["commitment"]
    table.button("More").tap()
    table.button("What happened", exact=False).tap()
    window = table.page.get_by_role("dialog", name="What happened")
    assert window.locator("p").all_text_contents() == table.page.locator("[role=log] p").all_text_contents()
    assert commitment[:8] in window.get_by_text("Hash of the cards").text_content()
    assert window.locator("p").last.evaluate("(line) => line.getBoundingClientRect().bottom <= innerHeight")
    check(table, "log")


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_every_kind_of_decision_fits_and_axe_finds_nothing(open_table: OpenTable, server: Server, size: str) -> None:
    width, height = SIZES[size]
    faces = {"phone": "classic", "desktop": "four-colour"}[size]
    table = open_table(
        width=width,
        height=height,
        settings={"lessonOffered": False, "faces": faces, "known": True},
        session=server.create(rules="humbug", seat=0),
    )
    choices = table.page.get_by_role("group", name="Your choice").get_by_role("button")
    welcome = table.page.get_by_role("region", name="Welcome")
    check(table, "welcome, keep or swap")
    welcome.get_by_role("button", name="I know it").click()
    table.go_to(server.create(rules="draft", seat=0))
    while not choices.count():
        table.act()
    check(table, "take or leave")
    table.go_to(server.create(rules="open_stock", seat=0))
    while not table.page.get_by_role("group", name="Open cards").get_by_role("button").count():
        table.act()
    check(table, "pick")
    table.button("More").click()
    table.button("Learn the game", exact=False).click()
    table.page.get_by_role("region", name="Coach", exact=True).get_by_role("heading", name="Lesson").wait_for()
    table.wait()
    check(table, "lesson")


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
