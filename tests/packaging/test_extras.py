"""Each command that README names runs with what its extra brings, and nothing that only developers have."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.packaging.only import environment

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.nightly
PROGRAM = "-m german_whist"
SMALL = "--rules tiny --decisions 256 --num-envs 64 --batch-size 64 --hidden [16] --suit-layers 0 --value-hidden [16]"
SMALL += " --evaluate-deals 8 --final-deals 8 --processes 1"
COMMANDS = {
    "base": [f"{ROOT / 'tests/packaging/smoke.py'}"],
    "train": [f"{PROGRAM} train quickstart --out run {SMALL}"],
    "render": [f"{PROGRAM} draw heuristic greedy --still table.png --gif deal.gif --size 300x200"],
    "docs": ["-m german_whist.table.bundle page"],  # the pages: make site
}


@pytest.mark.parametrize("extra", COMMANDS)
def test_commands_of_extras_run(extra: str, tmp_path: Path) -> None:
    hidden = environment(extra, tmp_path)
    for words in COMMANDS[extra]:
        command = [sys.executable, *words.split()]
        done = subprocess.run(command, env=hidden, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"


def test_web_extra_serves(tmp_path: Path) -> None:
    words = [sys.executable, *PROGRAM.split(), "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        words, env=environment("web", tmp_path), cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            line = server.stdout.readline()
            assert line.startswith("German Whist is served at ")
            with urlopen(line.split()[-1], timeout=60) as answer:
                assert b"German Whist" in answer.read()
        finally:
            server.send_signal(signal.SIGTERM)
    assert server.returncode == 0
