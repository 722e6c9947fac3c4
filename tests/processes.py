"""``german-whist`` in a process of its own, with the small endgame tables of this suite, and what it has started."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.conftest import SMALL_TABLE

USE_SMALL_TABLES = f"from german_whist.solver.tablebase import cache; cache.SEARCH_CARDS = {SMALL_TABLE}\n"
RUN = "from german_whist.cli import run_program; run_program()"
PROGRAM = [sys.executable, "-c", USE_SMALL_TABLES + RUN]


def children(process: int) -> list[int]:
    """Return the processes that one has started, as Linux knows them."""
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_running(process: int) -> bool:
    """Return whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
