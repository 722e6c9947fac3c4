"""Table files: builds are resumed and shared, damaged files never believed, and no half-written file is left."""

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
from german_whist.solver.endgames import solve_endgame
from german_whist.solver.tablebase import build as table_build
from german_whist.solver.tablebase import cache as table_cache
from german_whist.solver.tablebase.build import build_table
from german_whist.solver.tablebase.cache import limit_tables, open_table
from german_whist.solver.tablebase.endgame_table import HEADER_BYTES, load_table, read_header, verify_table
from german_whist.solver.tablebase.kinds import KINDS, DamagedTableError, TableError, table_path
from tests.disk import NO_LOCKS, without_locks

HIGH = KINDS["trump-high"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty folder of tables, which have four cards a hand unless more are asked for."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(table_cache, "DEFAULT_CARDS", 4)
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


def test_the_largest_table_is_opened(folder, monkeypatch):
    build_table(HIGH, 3)
    build_table(HIGH, 5)
    monkeypatch.setattr(table_cache, "build_table", None)
    assert open_table(*HIGH).cards == 5


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


# Files that are not what their names say.


def a_wrong_byte(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))


def a_pipe(path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes here")
    path.unlink()
    os.mkfifo(path)


def no_header(path: Path, text: str) -> None:
    path.write_bytes(text.encode().ljust(HEADER_BYTES) + path.read_bytes()[HEADER_BYTES:])


HEADERS = ["[" * HEADER_BYTES, "[]", "7", '"x"', "{}", '{"a": 1' + "0" * 4000 + "}", '{"kind": 1}']
DAMAGE = {
    "a wrong byte": a_wrong_byte,
    "a pipe": a_pipe,
    **{text: (lambda path, text=text: path.write_bytes(text.encode())) for text in ("", "nonsense", "\0" * 5000)},
    **{text[:9]: (lambda path, text=text: no_header(path, text)) for text in HEADERS},
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_table_is_refused_in_one_line_deleted_and_rebuilt(folder, capsys, damage):
    path = build_table(HIGH, 4)
    whole = path.read_bytes()
    damage(path)
    for read in [verify_table] if damage is a_wrong_byte else [verify_table, load_table]:  # it reads no checksum
        with pytest.raises(DamagedTableError, match=r"^[^\n]*(damaged|version)[^\n]*$"):
            read(path)
    assert open_table(*HIGH).cards == 4
    assert "; deleted" in capsys.readouterr().err
    assert path.read_bytes() == whole


@pytest.mark.parametrize("claimed", KINDS)
def test_a_table_of_another_kind_is_refused_and_rebuilt(folder, claimed, capsys):
    path = build_table(KINDS[claimed], 4)
    whole = path.read_bytes()
    for real in KINDS.keys() - {claimed}:
        path.write_bytes(build_table(KINDS[real], 4).read_bytes())
        with pytest.raises(DamagedTableError, match=rf"^table [^\n]* is damaged: it holds {real} up to 4 cards$"):
            verify_table(path)
        table_cache._open.clear()
        table = open_table(*KINDS[claimed])
        assert (table.trump, table.low) == KINDS[claimed]
        assert path.read_bytes() == whole
        assert "deleted" in capsys.readouterr().err


def test_exact_values_do_not_follow_a_swapped_file(folder):
    def values() -> list[int]:
        return [solve_endgame("AQ..2.", "KJ..3.", trump, low=low) for trump in ("S", None) for low in (False, True)]

    expected = values()
    for claimed, real in zip(KINDS, reversed(KINDS), strict=True):
        table_path(KINDS[claimed], 5).write_bytes(build_table(KINDS[real], 4).read_bytes())
    table_cache._open.clear()
    assert values() == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_for_an_interrupted_build_does_not_hang(folder):
    os.mkfifo(table_path(HIGH, 4).with_suffix(".partial"))
    assert open_table(*HIGH).cards == 4


# Disks.


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
