"""Takes the pictures of the page in ``docs/images``: ``python -m tools.web_pictures``."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.conftest import find_chromium
from tests.browser.server import Server
from tests.browser.table import Table

IMAGES = Path(__file__).parents[1] / "docs" / "images"
_COLORS = 256


def save(name: str, *tables: Table, scale: float = 1) -> None:
    """Save a screenshot of one table, or of several side by side, with few colours."""
    shots = [Image.open(io.BytesIO(table.page.screenshot())).convert("RGB") for table in tables]
    shots = [
        shot.resize((round(shot.width * scale), round(shot.height * scale)), Image.Resampling.LANCZOS) for shot in shots
    ]
    gap = 24
    width = sum(shot.width for shot in shots) + gap * (len(shots) - 1)
    picture = Image.new("RGB", (width, max(shot.height for shot in shots)), "white")
    left = 0
    for shot in shots:
        picture.paste(shot, (left, 0))
        left += shot.width + gap
    picture.quantize(_COLORS, kmeans=3, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def draw(browser: Any, server: Server) -> None:
    """Play a deal and take the pictures on the way."""
    classic = {"rules": "classic", "agent": "champion", "seed": 15}
    table = Table(browser, server, game={**classic, "seat": 1})
    for _ in range(3):
        table.act(1)
    table.button("Hint").click()
    table.page.get_by_role("region", name="Coach", exact=True).wait_for(timeout=60_000)
    save("web-hint.png", table)

    phones = [Table(browser, server, width=390, height=844, game={**classic, "seat": 1}) for _ in "12"]
    while phones[1].page.locator("html").get_attribute("data-stage") == "foreplay":
        phones[1].act()
    for _ in range(3):
        phones[1].act()
    phones[0].act()
    save("web-phone.png", *phones)

    screens = [
        Table(browser, server, width=width, height=height, game={**classic, "seat": 1})
        for width, height in ((820, 1180), (1920, 1080))
    ]
    for screen in screens:
        for _ in range(4):
            screen.act()
    save("web-screens.png", *screens, scale=0.5)

    table.play_on()
    table.button("Review").click()
    table.page.get_by_role("dialog").wait_for(timeout=60_000)
    save("web-review.png", table)


def main() -> None:
    """Start a server, take the pictures, and stop it."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        server.start()
        try:
            draw(playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"]), server)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
