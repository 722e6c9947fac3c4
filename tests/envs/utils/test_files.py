"""Files appear when they are complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.envs.utils.files import write_atomically
from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import Recording, read_recordings, writing_recordings
from tests.disk import full_disk


def test_two_writers(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games: list[list[Recording]] = [[], []]
    with writing_recordings(path) as one, writing_recordings(path) as other:
        for number, write in enumerate((one, other)):
            play_match("random", "greedy", deals=1 + number, seed=number, rules="tiny", record=write)
            play_match("random", "greedy", deals=1 + number, seed=number, rules="tiny", record=games[number].append)
    assert list(read_recordings(path)) == games[0]
    assert [one.name for one in tmp_path.iterdir()] == ["games.jsonl"]


def test_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"one")
    with full_disk(), pytest.raises(OSError, match="File too large"):
        write_atomically(path, b"two")
    assert path.read_bytes() == b"one"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
