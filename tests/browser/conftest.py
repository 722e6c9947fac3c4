"""A served table and a real browser; skipped where there is no Chromium, unless GERMAN_WHIST_BROWSER=required."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from german_whist.table.bundle import write_page
from tests.browser.server import Server
from tests.browser.static_site import StaticSite
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


@pytest.fixture(scope="package")
def page_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("site")
    write_page(folder / "play")
    return folder


@pytest.fixture(scope="package")
def site(page_folder: Path) -> Iterator[StaticSite]:
    """The page on a static host."""
    site = StaticSite(page_folder)
    site.start()
    yield site
    site.stop()


@pytest.fixture
def host(request: pytest.FixtureRequest) -> Server | StaticSite:
    """What serves the page: ``german-whist serve``, or what :data:`STATIC` and :data:`HOSTS` say."""
    served: Server | StaticSite = request.getfixturevalue(getattr(request, "param", "server"))
    return served


STATIC = pytest.mark.parametrize("host", ["site"], indirect=True)
# A static host, too, at night.
HOSTS = pytest.mark.parametrize("host", ["server", pytest.param("site", marks=pytest.mark.nightly)], indirect=True)

StartServer = Callable[..., Server]


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """Return a function that starts a server on the folder of the test; it stops when no page needs it any more."""
    servers: list[Server] = []

    def start(*proposed: str) -> Server:
        servers.append(Server(tmp_path, *proposed))
        servers[-1].start()
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


OpenTable = Callable[..., Table]
Devices = dict[bool, Table]  # keys: has it a touch screen?


@pytest.fixture(scope="package")
def devices(browser: Any, server: Server) -> Iterator[Devices]:
    """Two devices that all tests use: a new one takes seconds."""
    devices = {touch: Table(browser, server, touch=touch) for touch in (False, True)}
    yield devices
    for table in devices.values():
        table.close()


@pytest.fixture
def open_table(browser: Any, server: Server, host: Server | StaticSite, devices: Devices) -> Iterator[OpenTable]:
    """Return a function that opens the page on a device, the first time on one that has forgotten everything.

    Afterwards nothing may have gone wrong on it.
    """
    tables: list[Table] = []

    def open_one(served: Server | StaticSite = host, *, touch: bool = False, **visit: Any) -> Table:
        if tables:
            tables.append(Table(browser, served, touch=touch, **visit))
        else:
            device = devices[touch]
            device.server = served
            device.visit(**visit)
            tables.append(device)
        return tables[-1]

    yield open_one
    complaints = [table.complaints[:] for table in tables]
    for table in tables:
        if table in devices.values():
            table.leave(server)
            table.complaints.clear()
        else:
            table.close()
    assert complaints == [[]] * len(tables)


@pytest.fixture
def table(open_table: OpenTable) -> Table:
    """The page on a desktop, without animation."""
    return open_table()
