"""Recompute the sums of the values of all endgames: ``python -m tests.solver.regenerate_sums``."""

from __future__ import annotations

import json
from pathlib import Path

from german_whist.solver.tablebase.build import build_tablebase
from german_whist.solver.tablebase.kinds import KINDS
from tests.solver.tablebase.every_position import count_and_sum

SUMS = Path(__file__).with_name("golden_sums.json")
LARGEST = 8


def sums() -> dict[str, list[list[int]]]:
    """The number of endgames and the sum of their values, by kind of game and for 1 … 8 cards a hand."""
    return {
        kind.name: [list(count_and_sum(build_tablebase(kind, LARGEST), cards)) for cards in range(1, LARGEST + 1)]
        for kind in KINDS.values()
    }


if __name__ == "__main__":
    SUMS.write_text(json.dumps(sums(), indent=1) + "\n")
    print(f"written: {SUMS}")
