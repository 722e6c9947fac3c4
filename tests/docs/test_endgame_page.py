"""``docs/explanation/endgame.md``: its tables are those that its command prints."""

from __future__ import annotations

import re
from pathlib import Path

from german_whist.benchmarks.strength.endgame_report import markdown
from german_whist.benchmarks.strength.endgame_statistics import BOTS, measure

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "endgame.md").read_text(encoding="utf-8")


def without_numbers(table: str) -> list[str]:
    return [re.sub(r"[+-]?\d[\d,]*(\.\d+)?", "0", line) for line in table.splitlines()]


def test_the_tables_are_those_of_the_command() -> None:
    printed = markdown(measure(BOTS, 4, 0)).split("\n\n")
    page = PAGE.split("\n\n")
    for table in printed[:-1]:
        header = table.splitlines()[0]
        (written,) = [part for part in page if part.startswith(header)]
        assert without_numbers(written) == without_numbers(table)
    # The last line says how many endgames and which seed.
    summary = printed[-1].replace("4 endgames", "10,000 endgames")
    assert summary in PAGE.replace("\n", " ")
