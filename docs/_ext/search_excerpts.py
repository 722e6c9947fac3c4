"""Excerpts in the search results of a site that is opened as a file.

Sphinx's search fetches each page that it found. A browser refuses that to pages that are files: they find the text in a
script instead.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

FILE = "pages.js"
SCRIPT = """\
const pages = %s;
if (location.protocol === "file:") window.fetch = async (url) => new Response(pages[url.replace("./", "")]);
"""


def text_of(html: str) -> str:
    """Return the main part of a page without tags; sections stay, because a result can be one of them."""
    article = re.search(r'<article role="main".*?</article>', html, re.DOTALL)
    links_and_tags = r'<a class="headerlink".*?</a>|<(?!/?section\b)[^>]*>'
    text = re.sub(links_and_tags, "", article[0] if article else "")
    return f'<div role="main">{text}</div>'


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the script, when the pages are there."""
    if error is None and app.builder.format == "html":
        root = Path(app.outdir)
        pages = {f"{name}.html": text_of((root / f"{name}.html").read_text("utf-8")) for name in app.env.all_docs}
        (root / "_static" / FILE).write_text(SCRIPT % json.dumps(pages, ensure_ascii=False), "utf-8")


def load(app: Sphinx, page: str, *_event: Any) -> None:
    """Load the script on the search page alone."""
    if page == "search":
        app.add_js_file(FILE)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write and load the script."""
    app.connect("html-page-context", load)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
