"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def markdown_table(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table, without a final line break."""
    names = [str(name) for name in header]
    lines = [names, ["---"] * len(names), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
