"""Pages show directives in the site alone: ``<!-- site … -->``, which a clone hides.

What a clone shows in their place stands between ``<!-- begin: clone -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx


def _for_the_site(_app: Sphinx, _page: str, source: list[str]) -> None:
    text = re.sub(r"<!-- begin: clone -->.*?<!-- end -->", "", source[0], flags=re.DOTALL)
    source[0] = re.sub(r"<!-- site\n(.*?)\n-->", r"\1", text, flags=re.DOTALL)


def setup(app: Sphinx) -> dict[str, bool]:
    """Change every page as it is read."""
    app.connect("source-read", _for_the_site)
    return {"parallel_read_safe": True}
