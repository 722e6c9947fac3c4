"""``Report``: the base of results that print as tables and show as HTML in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

NAMES = ("agent", "opponent")  # left-aligned columns


@dataclass(frozen=True)
class Table:
    """A table of a report.

    Attributes:
        title: the title, such as the game that was played.
        columns: headings of the columns.
        rows: cells of each row, one per column.
        notes: lines below the table that explain the figures.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        """Return the table as text with aligned columns."""
        lines = [self.columns, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        sides = ["<" if heading in NAMES else ">" for heading in self.columns]
        padded = [
            "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *padded, *self.notes])

    def html(self) -> str:
        """Return the table as HTML; all text is escaped, because names may hold anything."""
        sides = ["left" if heading in NAMES else "right" for heading in self.columns]
        lines = [f"<caption>{escape(self.title)}</caption>"]
        for tag, line in [("th", self.columns), *(("td", row) for row in self.rows)]:
            cells = (
                f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>'
                for side, cell in zip(sides, line, strict=True)
            )
            lines.append(f"<tr>{''.join(cells)}</tr>")
        return f"<table>{''.join(lines)}</table>{''.join(map(_paragraph, self.notes))}"


class Report(ABC):
    """A result that prints as tables and lines of text."""

    @abstractmethod
    def report(self) -> Sequence[Table | str]:
        """Return the result for people, as tables and lines of text."""

    def __str__(self) -> str:
        """Return the result as text."""
        return "\n".join(map(str, self.report()))

    def __repr__(self) -> str:
        """Return the class and the first row of its table, or its first line of text."""
        report = self.report()
        first = next((part for part in report if isinstance(part, Table)), None)
        words = [str(report[0])] if first is None else [cell.strip() for cell in first.rows[0]]
        return f"{type(self).__name__}({', '.join(words)})"

    def _repr_html_(self) -> str:
        """Return the result as HTML for a notebook."""
        return "".join(_paragraph(part) if isinstance(part, str) else part.html() for part in self.report())


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"
