"""Every link of the built site to a part of a page leads there, generated pages included."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from sphinx.application import Sphinx
from sphinx.util import logging


@cache
def ids(page: Path) -> set[str]:
    """Return the anchors of a built page."""
    return set(re.findall(r'\bid="([^"]+)"', page.read_text(encoding="utf-8")))


def dead_links(root: Path) -> list[str]:
    """Return the links of a built site to pages or anchors that it lacks."""
    dead = []
    for page in sorted(root.rglob("*.html")):
        for link in re.findall(r'<a [^>]*href="([^"]+)"', page.read_text(encoding="utf-8")):
            path, _, anchor = unquote(unescape(link)).partition("#")
            target = page.parent / path if path else page
            if re.match(r"[a-z]+:", link) or target.suffix != ".html":
                continue
            if not target.exists() or (anchor and anchor not in ids(target.resolve())):
                dead.append(f"{page.relative_to(root)}: {link}")
    return dead


def check(app: Sphinx, error: Exception | None) -> None:
    """Warn of each dead link."""
    if error is None and app.builder.format == "html":
        for link in dead_links(Path(app.outdir)):
            logging.getLogger(__name__).warning("dead link: %s", link)


def setup(app: Sphinx) -> dict[str, bool]:
    """Check the site when it is built."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True}
