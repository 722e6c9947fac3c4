"""``german-whist warmup``: afterwards, first calls compile nothing and build no table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from german_whist.game.utils.cache_folder import CACHE_VARIABLE
from german_whist.solver.tablebase import tablebase_file
from german_whist.solver.tablebase.build import build_tablebase
from german_whist.solver.tablebase.kinds import KINDS
from tests.cli.commands import Run

FIRST_CALLS = """
from numba.core.dispatcher import Dispatcher
from numba.core.caching import FunctionCache

missing, load = [], FunctionCache.load_overload

def loading(self, signature, target):
    found = load(self, signature, target)
    if found is None:
        missing.append((str(self._name), signature))
    return found

FunctionCache.load_overload = loading
import contextlib
import io
import gymnasium
from german_whist.cli import main
import german_whist as gw

env = gw.env()
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
env = gymnasium.make("german_whist:GermanWhist-v0", opponent="heuristic")
observation, info = env.reset(seed=0)
env.step(info["action_mask"].argmax())
for agent in ("heuristic+exact", "champion", "champion:search=8", "mc:worlds=8"):
    gw.play_match(agent, "random", deals=10, seed=0)
gw.solve_endgame("AKQ2.T98..J4", "J3.AKQ.5432.", trump="S")
with contextlib.redirect_stdout(io.StringIO()):
    assert main(["solve", "AK32...", "QJT9..."]) == 0
print(missing)
"""


def test_warmup_builds_larger_table(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(here))
    table = here / "trump-high-4.table"
    for _ in range(2):
        assert run("warmup", "--endgame-cards", "4").out == f"tablebase: {table}\n"
        assert list(here.glob("*.table")) == [table]
    assert run("warmup", "--endgame-cards", "14").code == 2


def test_warmup_checks_tables(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(here))
    monkeypatch.setattr(tablebase_file, "MOST_READ", 0)
    build_tablebase(KINDS["trump-low"], 4, folder=here / "complete")
    run("warmup", "--endgame-cards", "4")
    tables = [here / "trump-high-4.table", here / "complete" / "trump-low-4.table"]
    whole = tables[0].read_bytes()
    for path in tables:
        changed = path.stat().st_mtime_ns
        path.write_bytes(bytes(path.stat().st_size))
        os.utime(path, ns=(changed, changed))
    assert run("warmup", "--endgame-cards", "4").code == 0
    assert tables[0].read_bytes() == whole
    assert not tables[1].exists()  # whoever needs it builds it


@pytest.mark.nightly  # compiles everything: a minute or two
def test_warmup_compiles_everything(tmp_path: Path) -> None:
    environment = {**os.environ, CACHE_VARIABLE: str(tmp_path)}
    warmup = [sys.executable, "-m", "german_whist", "warmup"]
    done = subprocess.run(warmup, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr.count("compiling what") == 1
    command = [sys.executable, "-c", FIRST_CALLS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
