"""The page reads the same matches as Python does."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from german_whist.game.match_format import match_format_of
from german_whist.table.page_data import page_constants
from tests.table.test_replay import needs_node

PAGE = Path(__file__).parents[2] / "table/page"
SETUP, CONSTANTS = PAGE / "game/setup.js", PAGE / "engine/constants.js"
MATCHES = [
    *("first_to:1", "first_to:25", "first_to:1000", "best_of:1", "best_of:999", "first_to:007"),
    *("first_to:0", "first_to:1001", "best_of:4", "first_to:", "first_to", "last_to:5", "", ":5", "first_to:-5"),
    *("first_to:1e2", "first_to:0x10", "first_to:5.0", "first_to: 5", "first_to:5 ", "first_to:+5", "first_to:5\n"),
    *("first_to:5:6", "first_to:5_0", "first_to:Infinity", " first_to:5", "First_to:5"),
    *("first_to:٣", "best_of:３", "first_to:²"),
]
READ = """
const [setup, constants, matches, json] = process.argv.slice(1);
const { matchFormatOf } = await import(setup);
(await import(constants)).setConstants(JSON.parse(json));
const read = (match) => { try { return matchFormatOf(match); } catch { return null; } };
console.log(JSON.stringify(JSON.parse(matches).map(read)));
"""


def read(match: str) -> dict[str, str | int] | None:
    try:
        found = match_format_of(match)
    except ValueError:
        return None
    return {"kind": found.kind, "number": found.number}


@needs_node
def test_page_reads_matches_as_python_does() -> None:
    command = ["node", "--input-type=module", "--eval", READ]
    command += [SETUP.as_uri(), CONSTANTS.as_uri(), json.dumps(MATCHES), json.dumps(page_constants())]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = dict(zip(MATCHES, json.loads(done.stdout), strict=True))
    assert found == {match: read(match) for match in MATCHES}
