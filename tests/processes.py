"""``german-whist`` in another process, with this suite's small tablebases, and what it has started."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.conftest import SMALL_TABLE

USE_SMALL_TABLES = f"from german_whist.solver.tablebase import cache; cache.SEARCH_CARDS = {SMALL_TABLE}\n"
RUN = "from german_whist.cli import run_program; run_program()"
PROGRAM = [sys.executable, "-c", USE_SMALL_TABLES + RUN]
WITHIN = 120.0  # seconds: only what hangs waits so long, on a busy machine too

_SLOW_BOT = """
import os, pathlib, time

class Bot:
    def act(self, decisions):
        path = pathlib.Path(__file__).with_suffix("")
        path.with_suffix(".part").write_text(str(os.getpid()))
        path.with_suffix(".part").rename(path)
        time.sleep(600)
"""


def slow_bot(path: Path) -> str:
    """Return an agent that thinks for ten minutes; when it begins, it writes the number of its process to a file."""
    path.with_suffix(".py").write_text(_SLOW_BOT, encoding="utf-8")
    return f"python:{path}.py:Bot"


def wait_until(done: Callable[[], object]) -> None:
    """Wait until a condition holds, for two minutes at most."""
    until = time.monotonic() + WITHIN
    while not done():
        assert time.monotonic() < until
        time.sleep(0.02)


def children(process: int) -> list[int]:
    """Return the processes that one has started, as Linux knows them."""
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_running(process: int) -> bool:
    """Return whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
