"""``german-whist warmup``: afterwards, first calls compile nothing and build no table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from german_whist.cli import main
from german_whist.envs.utils.files import CACHE_VARIABLE

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
import german_whist as gw
from german_whist.cli import main

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


def test_each_part_is_timed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warmup", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {"environments", "agents", "solver", "training"} <= set(report["seconds"])
    assert all(size > 0 for size in report["megabytes"].values())


def test_a_larger_endgame_table_is_built_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    for _ in range(2):
        assert main(["warmup", "--endgame-cards", "4", "--json"]) == 0
        assert list(json.loads(capsys.readouterr().out)["seconds"]) == ["endgame table"]
        assert [path.name for path in tmp_path.glob("*.table")] == ["trump-high-4.table"]
    assert main(["warmup", "--endgame-cards", "14"]) == 2
    assert "cards must be an integer from 1 to 13, got 14" in capsys.readouterr().err
    table = tmp_path / "trump-high-4.table"
    table.write_bytes(table.read_bytes()[:-1] + b"\xff")
    assert main(["warmup", "--endgame-cards", "4"]) == 2
    assert "is damaged: its checksum is wrong" in capsys.readouterr().err


@pytest.mark.nightly  # compiles everything: a minute or two
def test_afterwards_first_calls_find_everything_compiled(tmp_path: Path) -> None:
    environment = {**os.environ, CACHE_VARIABLE: str(tmp_path)}
    warmup = [sys.executable, "-m", "german_whist", "warmup"]
    done = subprocess.run(warmup, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr.count("compiling") == 1
    command = [sys.executable, "-c", FIRST_CALLS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
