"""Compiled kernels are cached by the state of the sources they depend on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core import types

from german_whist.envs.engine.state_kernels import legal_actions
from german_whist.envs.utils import jit
from german_whist.envs.utils.jit import kernel
from german_whist.envs.utils.kernel_cache import kernel_cache, source_digest
from tests.disk import full_disk

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
def test_a_change_in_any_source_of_a_kernel_gives_another_folder(package: Path, name: str) -> None:
    before = source_digest(package)
    with (package / name).open("a") as file:
        file.write("OTHER = 2\n")
    assert source_digest(package) != before


def test_kernels_are_cached_there_and_numba_s_own_setting_stays() -> None:
    assert kernel_cache() in Path(legal_actions.stats.cache_path).parents
    assert str(kernel_cache()) != numba.config.CACHE_DIR


def test_one_variable_moves_kernels_and_endgame_tables(tmp_path: Path) -> None:
    code = (
        "from german_whist.envs.utils.kernel_cache import kernel_cache; print(kernel_cache());"
        "from german_whist.solver.tablebase.kinds import KINDS, table_path; print(table_path(KINDS['trump-high'], 10))"
    )
    environment = {**os.environ, "GERMAN_WHIST_CACHE": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    kernels, table = map(Path, run.stdout.split())
    assert (kernels.parent, table.parent) == (tmp_path / "kernels", tmp_path)


USES_A_KERNEL = """\
import numpy as np
from german_whist.envs.utils.bit_kernels import popcount
from german_whist.envs.utils.kernel_cache import kernel_cache
print(popcount(np.uint64(7)), kernel_cache())
"""


def use_a_kernel(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run a kernel where the cache folder cannot be made, as on a read-only disk."""
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir(exist_ok=True)
    environment = {**os.environ, "GERMAN_WHIST_CACHE": str(tmp_path / "file"), "TMPDIR": str(tmp_path / "tmp")}
    command = [sys.executable, "-c", USES_A_KERNEL]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


def said_of_the_cache(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What it printed on standard error, but that it compiles, which it says where that takes a second."""
    return [line for line in done.stderr.splitlines() if "compiling," not in line]


def test_a_read_only_cache_is_replaced_by_a_private_temporary_one(tmp_path: Path) -> None:
    done = use_a_kernel(tmp_path)
    (folder,) = (tmp_path / "tmp").glob("german-whist-*")
    assert done.stdout.split()[0] == "3"
    assert Path(done.stdout.split()[1]).is_relative_to(folder)
    assert list(folder.rglob("*.nbi"))
    if hasattr(os, "getuid"):
        assert folder.stat().st_mode & 0o777 == 0o700
    (line,) = said_of_the_cache(done)
    assert line.startswith(f"german-whist: compiled kernels cannot be cached in {tmp_path / 'file'} (")


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of folders here")
def test_without_any_folder_of_its_own_a_process_compiles_without_a_cache(tmp_path: Path) -> None:
    shared = tmp_path / "tmp" / f"german-whist-{os.getuid()}"
    shared.mkdir(parents=True)
    shared.chmod(0o777)  # someone else could put code into it
    done = use_a_kernel(tmp_path)
    assert done.stdout == "3 None\n"
    assert not list(shared.iterdir())
    (line,) = said_of_the_cache(done)
    assert line.endswith("they are compiled in each process; $GERMAN_WHIST_CACHE names another folder")


FIRST_STEP = """\
import german_whist as gw
env = gw.env()
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""


def test_compilation_is_announced_once_and_not_repeated_from_the_cache(tmp_path: Path) -> None:
    environment = {**os.environ, "GERMAN_WHIST_CACHE": str(tmp_path)}
    said = []
    for _ in range(2):
        command = [sys.executable, "-c", FIRST_STEP]
        said.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stderr)
    assert said[0].startswith("german-whist: compiling")
    assert said[0].count("\n") == 1
    assert said[1] == ""


def plus_one(number: int) -> int:
    return number + 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with a kernel for integers, in which kernels are compiled from now on."""
    monkeypatch.setattr(jit, "kernel_cache", lambda: tmp_path / "cache")
    assert kernel(plus_one)(1) == 2
    assert len([*(tmp_path / "cache").rglob("*.nb[ic]")]) == 2
    return tmp_path / "cache"


def loaded() -> bool:
    """Call the kernel as another process would, and return whether it came from the cache."""
    fresh: Any = kernel(plus_one)
    assert fresh(1) == 2
    return bool(fresh.stats.cache_hits)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40])


def into_a_dangling_link(path: Path) -> None:
    path.unlink() if path.is_file() else shutil.rmtree(path)
    path.symlink_to("absent")


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(b""), cut, into_a_dangling_link])
def test_a_damaged_file_is_compiled_and_written_again(
    folder: Path, capsys: pytest.CaptureFixture[str], pattern: str, damage: Callable[[Path], Any]
) -> None:
    (path,) = folder.rglob(pattern)
    damage(path)
    assert not loaded()
    assert loaded()
    assert capsys.readouterr().err == ""


def test_kernels_that_two_processes_wrote_under_one_name_are_not_taken_for_each_other(folder: Path) -> None:
    (path,) = folder.rglob("*.nbc")
    other: Any = kernel(plus_one)
    other.compile((types.float64,))
    (of_floats,) = {*folder.rglob("*.nbc")} - {path}
    shutil.copy(of_floats, path)
    assert not loaded()
    assert loaded()


def into_a_file(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("")


def said_once(capsys: pytest.CaptureFixture[str], folder: Path) -> bool:
    line = capsys.readouterr().err
    return (
        line.startswith(f"german-whist: compiled kernels cannot be cached in {folder} (")
        and line.endswith("): they are compiled in each process; $GERMAN_WHIST_CACHE names another folder\n")
        and line.count("\n") == 1
    )


@pytest.mark.parametrize("damage", [into_a_file, into_a_dangling_link])
def test_a_folder_that_is_none_is_said_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[Path], Any]
) -> None:
    (of_the_module,) = folder.iterdir()
    damage(of_the_module)
    assert not loaded()
    assert not loaded()
    assert said_once(capsys, folder)


def test_a_full_disk_is_said_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(folder)
    with full_disk():
        assert not loaded()
    assert said_once(capsys, folder)
    assert not loaded()
    assert loaded()
