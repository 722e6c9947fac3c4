"""Table files: built once and shared, the largest one is used, and no half-written file is left."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from german_whist.game.utils.cache_folder import CACHE_VARIABLE
from german_whist.solver.tablebase import cache as table_cache
from german_whist.solver.tablebase import tablebase_file
from german_whist.solver.tablebase.build import build_tablebase
from german_whist.solver.tablebase.cache import open_tablebase
from german_whist.solver.tablebase.kinds import KINDS, tablebase_path
from german_whist.solver.tablebase.tablebase_file import find_tablebase

HIGH = KINDS["trump-high"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder without tables, which have four cards a hand unless more are asked for."""
    if (kernels := Path(os.environ[CACHE_VARIABLE], "kernels")).exists():
        (tmp_path / "kernels").symlink_to(kernels)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(table_cache, "DEFAULT_CARDS", 4)
    return tmp_path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("trump*") if path.suffix != ".lock"}


def test_one_table_per_kind(folder, monkeypatch):
    monkeypatch.setattr(table_cache, "SEARCH_CARDS", 6)
    assert open_tablebase(*HIGH).cards == 4
    tablebase = open_tablebase(*HIGH, for_search=True)
    assert tablebase.cards == 6
    assert open_tablebase(*HIGH) is open_tablebase(*HIGH, for_search=True) is tablebase


def test_largest_table_is_opened(folder, monkeypatch):
    build_tablebase(HIGH, 3)
    build_tablebase(HIGH, 5)
    monkeypatch.setattr(table_cache, "build_tablebase", None)
    assert open_tablebase(*HIGH).cards == 5


def test_table_of_other_version(folder):
    values = build_tablebase(HIGH, 4).values.copy()
    path = tablebase_path(HIGH, 4)
    path.write_bytes(bytes(4096) + path.read_bytes())
    np.testing.assert_array_equal(open_tablebase(*HIGH).values, values)
    assert path.stat().st_size == len(values)


def zero_a_page(path: Path, seed: int) -> None:
    """Write zeros over a random page of a file that is not zero already; its time of change stays."""
    changed = path.stat().st_mtime_ns
    content = np.fromfile(path, np.uint8)
    pages = [page for page in range(0, len(content), 4096) if content[page : page + 4096].any()]
    page = int(np.random.default_rng(seed).choice(pages))
    content[page : page + 4096] = 0
    path.write_bytes(content.tobytes())
    os.utime(path, ns=(changed, changed))


@pytest.mark.parametrize("seed", range(3))
def test_damaged_table_is_built_again(folder, monkeypatch, seed):
    monkeypatch.setattr(table_cache, "DEFAULT_CARDS", 6)
    values = build_tablebase(HIGH, 6).values.copy()
    zero_a_page(tablebase_path(HIGH, 6), seed)
    np.testing.assert_array_equal(open_tablebase(*HIGH).values, values)


def test_table_of_another_kind_is_not_taken(folder):
    values = build_tablebase(HIGH, 4).values.copy()
    build_tablebase(KINDS["trump-low"], 4)
    for path in folder.glob("trump-low-4.*"):
        path.rename(path.with_stem(HIGH.name + "-4"))
    np.testing.assert_array_equal(open_tablebase(*HIGH).values, values)


def test_large_table_is_read_if_it_has_changed(folder, monkeypatch):
    monkeypatch.setattr(tablebase_file, "MOST_READ", 0)
    values = build_tablebase(HIGH, 6).values.copy()
    path = tablebase_path(HIGH, 6)
    zero_a_page(path, 0)
    assert find_tablebase(HIGH, 6) is not None
    os.utime(path, (1, 1))
    assert find_tablebase(HIGH, 6) is None
    np.testing.assert_array_equal(build_tablebase(HIGH, 6).values, values)
    os.utime(path, (1, 1))
    assert find_tablebase(HIGH, 6) is not None


def test_table_in_memory_matches_its_file(folder, tmp_path, monkeypatch, capsys):
    stored = build_tablebase(HIGH, 4).values
    no_folder = tmp_path / "file"
    no_folder.write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(no_folder))
    monkeypatch.setattr(table_cache, "MEMORY_CARDS", 4)
    tablebase = open_tablebase(True, False)
    assert not tablebase.values.flags.writeable
    np.testing.assert_array_equal(tablebase.values, stored)
    assert open_tablebase(True, False) is tablebase
    assert str(no_folder) in capsys.readouterr().err


def test_progress_is_logged_without_terminal(folder, monkeypatch, capsys):
    monkeypatch.setattr(table_cache, "REPORT_EVERY", 0.0)
    open_tablebase(*HIGH)
    first, *later = capsys.readouterr().err.splitlines()
    assert re.search(r"trump-high.* \d+ MB", first)
    shares = [int(line.removeprefix(first).strip(" :%")) for line in later]
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shares[-1] < 100


def test_concurrent_builds_build_once(folder):
    code = (
        "from german_whist.solver.tablebase.build import build_tablebase\n"
        "from german_whist.solver.tablebase.kinds import KINDS\n"
        "calls = []\n"
        "table = build_tablebase(KINDS['trump-high'], 6, lambda done, total: calls.append(done))\n"
        "print(bool(calls), len(table.values))"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [process.communicate(timeout=120)[0].split() for process in processes]
    assert sorted(built for built, _ in answers) == ["False", "True"]
    assert len({size for _, size in answers}) == 1
    assert names(folder) == {"trump-high-6.table", "trump-high-6.crc"}
