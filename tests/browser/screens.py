"""Whether a state of the page fits every screen, and whether axe finds anything in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.table import Table

WIDTHS = range(320, 2561, 20)

HEIGHTS = (560, 800, 1200)

SCREENS = [(width, height) for width in WIDTHS for height in HEIGHTS]

SMALLEST = 28  # pixels that a card of the hand is wide

WITH_LARGE_TEXT = [(320, 256), (390, 844), (1024, 768), (1440, 900)]  # twice the usual size, by the browser's settings

LOOKED_AT = {(390, 844): "light", (1440, 900): "dark"}

_WRONG = (Path(__file__).parent / "fit.js").read_text()


def violations(table: Table) -> list[str]:
    """Return what axe finds, with the elements."""
    from axe_playwright_python.base import AXE_SCRIPT

    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    if not table.page.evaluate("'axe' in window"):
        table.page.evaluate(AXE_SCRIPT)
    found = table.page.evaluate("async (rules) => (await axe.run(rules)).violations", rules)
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}" for one in found]


def misplaced(table: Table, sizes: Iterable[tuple[int, int]]) -> dict[str, list[str]]:
    """Return what does not fit screens of some sizes, or lies on something else, on a table in a frame."""
    return dict(table.page.evaluate(_WRONG, [list(sizes), SMALLEST]))


@contextmanager
def large_text(table: Table) -> Iterator[None]:
    """Double the size of letters in the settings of the browser."""
    settings = table.page.page.context.new_cdp_session(table.page.page)
    settings.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
    try:
        yield
    finally:
        settings.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
        settings.detach()


def check(table: Table, state: str, sizes: Iterable[tuple[int, int]] = SCREENS) -> None:
    """Check a state of a table in a frame: it fits every screen, axe finds nothing on a phone and a dark desktop."""
    found: dict[str, Any] = misplaced(table, sizes)
    with large_text(table):
        found |= {f"large text, {size}": wrong for size, wrong in misplaced(table, WITH_LARGE_TEXT).items()}
    for (width, height), scheme in LOOKED_AT.items():
        table.page.page.emulate_media(color_scheme=scheme)
        misplaced(table, [(width, height)])
        if words := violations(table):
            found[f"axe, {width}x{height}"] = words
    misplaced(table, [(1280, 800)])
    assert found == {}, f"{state}: {list(found.items())[:6]}"
