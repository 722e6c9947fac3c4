"""Table files that are not what their names say: refused, rebuilt, and never believed."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from german_whist.envs.utils.files import CACHE_VARIABLE
from german_whist.solver.endgames import solve_endgame
from german_whist.solver.tablebase import cache as table_cache
from german_whist.solver.tablebase.build import build_table
from german_whist.solver.tablebase.cache import open_table
from german_whist.solver.tablebase.endgame_table import HEADER_BYTES, load_table, verify_table
from german_whist.solver.tablebase.kinds import KINDS, DamagedTableError, table_path

CARDS = 4
SWAPS = list(itertools.permutations(KINDS, 2))


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with a small table of every kind."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(table_cache, "DEFAULT_CARDS", CARDS)
    for kind in KINDS.values():
        build_table(kind, CARDS)
    return tmp_path


@pytest.mark.parametrize(("claimed", "real"), SWAPS)
def test_a_table_of_another_kind_is_refused_and_rebuilt(folder, claimed, real, capsys):
    path = table_path(KINDS[claimed], CARDS)
    whole = path.read_bytes()
    path.write_bytes(table_path(KINDS[real], CARDS).read_bytes())
    with pytest.raises(DamagedTableError, match=rf"^table [^\n]* is damaged: it holds {real} up to {CARDS} cards$"):
        verify_table(path)
    table = open_table(*KINDS[claimed])
    assert (table.trump, table.low) == KINDS[claimed]
    assert path.read_bytes() == whole
    assert "deleted" in capsys.readouterr().err


def test_exact_values_do_not_follow_a_swapped_file(folder):
    def values() -> list[int]:
        return [solve_endgame("AQ..2.", "KJ..3.", trump, low=low) for trump in ("S", None) for low in (False, True)]

    expected = values()
    for claimed, real in zip(KINDS, reversed(KINDS), strict=True):
        table_path(KINDS[claimed], 5).write_bytes(table_path(KINDS[real], CARDS).read_bytes())
    table_cache._open.clear()
    assert values() == expected


@pytest.mark.parametrize("text", ["[" * HEADER_BYTES, "[]", "7", '"x"', "{}", '{"a": 1' + "0" * 4000 + "}"])
def test_a_header_that_is_no_header_is_damage(folder, text):
    path = table_path(KINDS["trump-high"], CARDS)
    path.write_bytes(text.encode().ljust(HEADER_BYTES) + path.read_bytes()[HEADER_BYTES:])
    with pytest.raises(DamagedTableError):
        load_table(path)
    assert open_table(True, False).cards == CARDS


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("suffix", [".table", ".partial"])
def test_a_named_pipe_is_damage_and_does_not_hang(folder, suffix):
    path = table_path(KINDS["trump-high"], CARDS)
    whole = path.read_bytes()
    path.unlink()
    os.mkfifo(path.with_suffix(suffix))
    assert open_table(True, False).cards == CARDS
    assert path.read_bytes() == whole
