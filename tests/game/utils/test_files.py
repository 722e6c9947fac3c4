"""Files are written completely or not at all, even if the machine crashes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from german_whist.evaluation.recording import writing_recordings
from german_whist.game.utils.files import write_atomically
from german_whist.solver.tablebase.build import build_tablebase
from german_whist.solver.tablebase.kinds import KINDS


def _record(path: Path) -> None:
    with writing_recordings(path):
        pass


WRITERS: dict[str, Callable[[Path], Any]] = {
    "file": lambda path: write_atomically(path, b"whole"),
    "table": lambda path: build_tablebase(KINDS["trump-high"], 2, folder=path.parent),
    "recordings": _record,
}


@pytest.mark.parametrize("writer", WRITERS)
def test_flushed_before_it_is_renamed(writer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed, renamed = set(), []
    rename = os.replace

    def replace(source: Path, target: Path) -> None:
        renamed.append(os.stat(source).st_ino in flushed)
        rename(source, target)

    monkeypatch.setattr(os, "fsync", lambda file: flushed.add(os.fstat(file).st_ino))
    monkeypatch.setattr(os, "replace", replace)
    WRITERS[writer](tmp_path / "file")
    assert renamed
    assert all(renamed)
