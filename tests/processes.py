"""``german-whist`` in a process of its own, with the small endgame tables of this suite."""

from __future__ import annotations

import sys

from tests.conftest import SMALL_TABLE

USE_SMALL_TABLES = f"from german_whist.solver.tablebase import cache; cache.SEARCH_CARDS = {SMALL_TABLE}\n"
RUN = "import sys; from german_whist.cli import main; sys.exit(main())"
PROGRAM = [sys.executable, "-c", USE_SMALL_TABLES + RUN]
