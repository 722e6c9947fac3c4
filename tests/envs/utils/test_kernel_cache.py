"""Compiled kernels are cached by the state of the sources they depend on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from german_whist.envs.engine.state_kernels import legal_actions
from german_whist.envs.utils.kernel_cache import kernel_cache, kernel_sources, remove_unused, source_digest

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


def test_other_files_do_not_matter_nor_does_the_time_of_a_change(package: Path) -> None:
    before = source_digest(package)
    (package / "prose.py").write_text('"""Other words."""\n')
    os.utime(package / "kernels.py", (1, 1))
    assert source_digest(package) == before


def test_the_engine_is_among_the_sources() -> None:
    names = {Path(name).name for name in kernel_sources()}
    assert {"state_kernels.py", "bit_kernels.py", "rules.py", "cards.py"} <= names


def test_kernels_are_cached_there_and_numba_s_own_setting_stays() -> None:
    assert kernel_cache() in Path(legal_actions.stats.cache_path).parents
    assert str(kernel_cache()) != numba.config.CACHE_DIR


def test_numba_s_own_variable_names_another_place(tmp_path: Path) -> None:
    code = "from german_whist.envs.utils.kernel_cache import kernel_cache; print(kernel_cache())"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert Path(run.stdout.strip()).parent == tmp_path / "kernels"


def test_folders_that_nobody_uses_are_removed(tmp_path: Path) -> None:
    for name, age in (("old", 40), ("new", 1)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.nbi").touch()
        os.utime(tmp_path / name, (time.time() - age * 86_400,) * 2)
    remove_unused(tmp_path, days=30)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
