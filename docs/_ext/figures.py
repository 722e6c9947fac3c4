"""Figures such as 67.8 % ± 0.5 stay in one line."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx


def unbroken(text: str) -> str:
    """Return a text whose figures have no-break spaces."""
    return re.sub(r"(?<=\d) (?=[%±×])|(?<=%) (?=±)|(?<=±) ", "\N{NO-BREAK SPACE}", text)


def _mark(_app: Sphinx, doctree: nodes.document) -> None:
    for text in list(doctree.findall(nodes.Text)):
        if not isinstance(text.parent, (nodes.literal, nodes.literal_block)) and text.parent is not None:
            text.parent.replace(text, nodes.Text(unbroken(text)))


def setup(app: Sphinx) -> dict[str, bool]:
    """Mark the figures of every page."""
    app.connect("doctree-read", _mark)
    return {"parallel_read_safe": True}
