"""Compiled kernels are cached by the state of the sources they depend on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
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
def test_changed_source_changes_the_digest(package: Path, name: str) -> None:
    before = source_digest(package / "kernels.py", package)
    with (package / name).open("a") as file:
        file.write("OTHER = 2\n")
    assert source_digest(package / "kernels.py", package) != before


COUNT = "import numpy as np; from german_whist.game.utils.bit_kernels import popcount; print(popcount(np.uint64(7)))"


def count(cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Call a kernel in another process."""
    environment = os.environ | {CACHE_VARIABLE: str(cache)} | environment
    return subprocess.run([sys.executable, "-c", COUNT], env=environment, capture_output=True, text=True, check=False)


def test_kernels_compile_without_a_cache_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert count(tmp_path / "file").stdout == "3\n"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with that kernel."""
    cache = tmp_path_factory.mktemp("cache")
    count(cache)
    return cache


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[:-1],
    "zeros at the end": lambda whole: whole[:-9] + bytes(9),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_incomplete_files_are_made_again(damage: str, compiled: Path, tmp_path: Path) -> None:
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    files = [*tmp_path.rglob("*.nb[ic]")]
    assert len({path.suffix for path in files}) == 2
    for path in files:
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert count(tmp_path).stdout == "3\n"
    assert all(path.read_bytes().endswith(b".") for path in files)


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_kernel_that_cannot_be_loaded_names_the_folder(suffix: str, compiled: Path, tmp_path: Path) -> None:
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    for path in tmp_path.rglob(f"*.{suffix}"):
        path.write_bytes(b"no pickle.")
    *_, last = count(tmp_path).stderr.splitlines()
    assert last.startswith("ValueError: ")
    assert str(tmp_path / "kernels") in last


def test_disabled_compilation_is_refused(tmp_path: Path) -> None:
    *_, last = count(tmp_path, NUMBA_DISABLE_JIT="1").stderr.splitlines()
    assert last.startswith("ValueError: NUMBA_DISABLE_JIT")


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
    first, *later = said[0].splitlines()
    assert first.startswith("german-whist: compiling")
    assert said[1] == ""
    # Every ten seconds: how many, after how long, and which.
    found = [re.search(r"(\d+) kernels.* (\d+) s.*german_whist\.\w+\.", line) for line in later]
    assert all(found)
    counts = [tuple(map(int, match.groups())) for match in found if match]
    assert counts == sorted(set(counts))
    assert all(seconds >= 10 * number for number, (_, seconds) in enumerate(counts, 1))


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
