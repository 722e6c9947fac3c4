"""A hint does not keep a person waiting on a slow device."""

from __future__ import annotations

import json
import statistics
import subprocess
from pathlib import Path

from german_whist.table.page_data import write_data
from tests.table.node import needs_node

PROGRAM = Path(__file__).parent / "hint_time.mjs"
MOST = 60  # milliseconds of processor time, of half of the decisions: the first ones are not compiled yet


@needs_node
def test_a_hint_takes_little_processor_time(tmp_path: Path) -> None:
    write_data(tmp_path)
    done = subprocess.run(["node", str(PROGRAM), str(tmp_path)], capture_output=True, text=True, check=True)
    assert statistics.median(json.loads(done.stdout)) < MOST
