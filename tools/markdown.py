"""Tables and plain text in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable


def markdown_table(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table, without a final line break."""
    names = [str(name) for name in header]
    lines = [names, ["---"] * len(names), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def plain(text: str) -> str:
    """Return help text as Markdown that shows every character of it, with options as code."""
    parts = re.split(r"(?<!\S)(--[\w-]+)", " ".join(text.split()))
    return "".join(
        f"`{part}`" if part.startswith("--") else re.sub(r"([*_<>{}\[\]|])", r"\\\1", part) for part in parts
    )


def fenced(kind: str, text: str) -> str:
    """Return a fenced block of code."""
    return f"```{kind}\n{text}\n```"
