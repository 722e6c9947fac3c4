"""Compiled kernels are cached by the state of the sources they depend on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from german_whist.game.utils.cache_folder import CACHE_VARIABLE
from german_whist.game.utils.kernel_cache import source_digest

CALLER = """\
from german_whist.constants import NUMBER
from german_whist.rooms import walls

@kernel
def caller():
    return NUMBER
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package in which one kernel depends on a constant and on a folder of modules, and one file on nothing."""
    files = {
        "kernels.py": CALLER,
        "constants.py": "NUMBER = 1\n",
        "rooms/__init__.py": "",
        "rooms/walls.py": "HEIGHT = 3\n",
        "prose.py": '"""No kernel."""\n',
    }
    for name, text in files.items():
        path = tmp_path / "german_whist" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "german_whist"


@pytest.mark.parametrize("name", ["kernels.py", "constants.py", "rooms/walls.py"])
def test_changed_source(package: Path, name: str) -> None:
    before = source_digest(package / "kernels.py", package)
    with (package / name).open("a") as file:
        file.write("OTHER = 2\n")
    assert source_digest(package / "kernels.py", package) != before


def test_no_cache_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code = "import numpy as np; from german_whist.game.utils.bit_kernels import popcount; print(popcount(np.uint64(7)))"
    environment = {**os.environ, "GERMAN_WHIST_CACHE": str(tmp_path / "file")}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == "3\n"


FIRST_STEP = """\
import german_whist as gw
env = gw.env()
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""


@pytest.mark.nightly  # compiles
def test_compilation_is_announced(tmp_path: Path) -> None:
    environment = {**os.environ, "GERMAN_WHIST_CACHE": str(tmp_path)}
    said = []
    for _ in range(2):
        command = [sys.executable, "-c", FIRST_STEP]
        said.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stderr)
    assert said[0].startswith("german-whist: compiling")
    assert said[0].count("\n") == 1
    assert said[1] == ""


def test_processes_remove_unused_kernels_together(tmp_path: Path) -> None:
    for number in range(60):
        folder = tmp_path / "kernels" / f"{number:016x}"
        folder.mkdir(parents=True)
        for file in range(12):
            (folder / f"{file}.nbi").touch()
        os.utime(folder, (0, 0))
    code = "from german_whist.game.utils.kernel_cache import kernels_folder; print(*kernels_folder().iterdir())"
    environment = {**os.environ, CACHE_VARIABLE: str(tmp_path)}
    started = [subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(4)]
    assert [process.wait() for process in started] == [0] * 4
    assert not [*(tmp_path / "kernels").iterdir()]
