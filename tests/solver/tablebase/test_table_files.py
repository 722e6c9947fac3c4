"""Table files: builds are resumed and shared, damaged files refused, and no half-written file is left."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from german_whist.envs.utils.files import CACHE_VARIABLE
from german_whist.solver.tablebase import build as table_build
from german_whist.solver.tablebase import cache as table_cache
from german_whist.solver.tablebase.build import build_table
from german_whist.solver.tablebase.cache import limit_tables, open_table
from german_whist.solver.tablebase.endgame_table import HEADER_BYTES, load_table, read_header, verify_table
from german_whist.solver.tablebase.kinds import KINDS, TableError, table_path
from tests.disk import NO_LOCKS, without_locks

HIGH = KINDS["trump-high"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    return tmp_path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"trump-high-5.lock"}


class Killed(BaseException):
    pass


@pytest.mark.parametrize("error", NO_LOCKS)
def test_a_table_is_built_where_files_have_no_locks(folder, monkeypatch, capsys, error):
    without_locks(monkeypatch, error)
    path = build_table(HIGH, 5)
    assert names(folder) == {"trump-high-5.table"}
    assert verify_table(path).cards == 5
    assert capsys.readouterr().err.startswith(f"german-whist: {folder}: this file system has no locks")


def test_a_kind_has_one_open_table_the_largest_that_may_be_opened(folder, monkeypatch):
    monkeypatch.setattr(table_cache, "DEFAULT_CARDS", 4)
    monkeypatch.setattr(table_cache, "SEARCH_CARDS", 6)
    assert open_table(*HIGH).cards == 4
    table = open_table(*HIGH, for_search=True)
    assert table.cards == 6
    assert open_table(*HIGH) is open_table(*HIGH, for_search=True) is table


def test_no_table_of_more_cards_than_the_limit_is_opened_or_built(folder, monkeypatch):
    monkeypatch.setattr(table_cache, "_most_cards", 13)  # put back afterwards
    monkeypatch.setattr(table_cache, "SEARCH_CARDS", 6)
    build_table(HIGH, 4)
    build_table(HIGH, 6)
    limit_tables(5)
    assert open_table(*HIGH).cards == 4
    assert open_table(*HIGH, for_search=True).cards == 5


@pytest.mark.parametrize("blocks", [1, 20, 100])
def test_an_interrupted_build_is_resumed(folder, monkeypatch, blocks):
    whole = build_table(HIGH, 6).read_bytes()
    table_path(HIGH, 6).unlink()
    monkeypatch.setattr(table_build, "_CHECKPOINT_SECONDS", -1.0)
    built = []
    build_block = table_build.build_block

    def build(*arguments):
        built.append(arguments)
        return build_block(*arguments)

    monkeypatch.setattr(table_build, "build_block", build)

    def stop(done: int, total: int) -> None:
        if read_header(folder / "trump-high-6.partial").blocks >= blocks:
            raise Killed

    with pytest.raises(Killed):
        build_table(HIGH, 6, stop)
    assert not table_path(HIGH, 6).exists()
    ready = read_header(folder / "trump-high-6.partial").blocks
    built.clear()
    assert build_table(HIGH, 6).read_bytes() == whole
    assert len(built) == read_header(table_path(HIGH, 6)).blocks - ready


def test_a_damaged_table_is_deleted_and_rebuilt(folder, monkeypatch, capsys):
    monkeypatch.setattr(table_cache, "DEFAULT_CARDS", 4)
    path = build_table(HIGH, 4)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert open_table(True, False).cards == 4
    assert "is damaged: its checksum is wrong; deleted" in capsys.readouterr().err
    assert path.read_bytes() == whole


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\0" * 5000, b'{"kind": 1}'.ljust(HEADER_BYTES)])
def test_other_files_are_refused_in_one_line(folder, damage):
    path = table_path(HIGH, 4)
    path.write_bytes(damage)
    for read in (verify_table, load_table):
        with pytest.raises(TableError, match=r"^[^\n]*(damaged|version)[^\n]*$"):
            read(path)


def test_the_largest_table_is_opened(folder, monkeypatch):
    build_table(HIGH, 3)
    build_table(HIGH, 5)
    monkeypatch.setattr(table_cache, "build_table", None)
    assert open_table(True, False).cards == 5


def test_a_full_disk_is_reported_in_one_line_and_leaves_nothing(folder, monkeypatch):
    def full(values, out):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(table_build, "pack", full)
    with pytest.raises(TableError, match=r"^the endgame table cannot be written to .*: No space left on device$"):
        build_table(HIGH, 5)
    assert names(folder) == set()


@pytest.mark.parametrize("reason", ["File exists", "File name too long"])
def test_without_a_folder_a_smaller_table_is_built_in_memory(folder, tmp_path, monkeypatch, capsys, reason):
    stored = load_table(build_table(HIGH, 4)).values
    no_folder = tmp_path / ("file" if reason == "File exists" else 300 * "x")  # not even root can read the second
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(no_folder))
    monkeypatch.setattr(table_cache, "MEMORY_CARDS", 4)
    table = open_table(True, False)
    assert table.cards == 4
    assert not table.values.flags.writeable
    np.testing.assert_array_equal(table.values, stored)
    assert open_table(True, False) is table
    assert capsys.readouterr().err == (
        f"german-whist: the endgame table cannot be written to {no_folder}: {reason}: "
        "one of 4 cards is built in memory\n"
    )


def test_concurrent_processes_build_one_table(folder):
    code = (
        "from german_whist.solver.tablebase.build import build_table\n"
        "from german_whist.solver.tablebase.kinds import KINDS\n"
        "calls = []\n"
        "path = build_table(KINDS['trump-high'], 7, lambda done, total: calls.append(done))\n"
        "print(bool(calls), path.stat().st_size)"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = [process.communicate(timeout=120)[0].split() for process in processes]
    assert sorted(built for built, _ in answers) == ["False", "False", "True"]
    assert len({size for _, size in answers}) == 1
    verify_table(table_path(HIGH, 7))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_killed_process_leaves_no_table_and_the_next_finishes_it(folder):
    code = (
        "import time\n"
        "from german_whist.solver.tablebase.build import build_table\n"
        "from german_whist.solver.tablebase.kinds import KINDS\n"
        "build_table(KINDS['trump-high'], 7, lambda done, total: (print('going', flush=True), time.sleep(0.05)))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert not table_path(HIGH, 7).exists()
    verify_table(build_table(HIGH, 7))
