"""A served table and a real browser; skipped where there is no Chromium, unless GERMAN_WHIST_BROWSER=required."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.server import Server
from tests.browser.table import Table

REQUIRED = os.environ.get("GERMAN_WHIST_BROWSER") == "required"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests if there is no browser."""
    here = Path(__file__).parent
    missing = _missing()
    if missing and not REQUIRED:
        for item in items:
            if here in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=missing))


def _missing() -> str:
    try:
        import playwright.sync_api  # noqa: F401
    except ModuleNotFoundError:
        return "playwright is not installed"
    return "" if find_chromium() else "no chromium is installed"


def find_chromium() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    chromium = find_chromium()
    assert chromium, "no chromium is installed"
    with sync_playwright() as playwright:
        # Containers have little shared memory, and often no right to make sandboxes.
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("data"))
    server.start()
    yield server
    server.stop()


OpenTable = Callable[..., Table]


@pytest.fixture(scope="package")
def device(browser: Any, server: Server) -> Iterator[Table]:
    """A device without a touch screen that all tests use: a new one takes a second."""
    table = Table(browser, server)
    yield table
    table.close()


@pytest.fixture
def open_table(browser: Any, server: Server, device: Table) -> Iterator[OpenTable]:
    """Return a function that opens the page on a device, the first time on one that has forgotten everything.

    Afterwards nothing may have gone wrong on it.
    """
    tables: list[Table] = []

    def open_one(served: Server = server, *, touch: bool = False, **visit: Any) -> Table:
        if tables or touch or served is not server:
            tables.append(Table(browser, served, touch=touch, **visit))
        else:
            device.visit(**visit)
            tables.append(device)
        return tables[-1]

    yield open_one
    for table in tables:
        if table is device:
            table.leave()
        else:
            table.close()
    complaints = [table.complaints[:] for table in tables]
    device.complaints.clear()
    assert complaints == [[]] * len(tables)


@pytest.fixture
def table(open_table: OpenTable) -> Table:
    """The page on a desktop, without animation."""
    return open_table()
