"""Files appear when they are complete."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from german_whist.envs.utils.files import file_lock, write_atomically
from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import Recording, read_recordings, writing_recordings
from tests.disk import full_disk, without_locks


def test_of_two_writers_at_once_the_file_of_the_last_to_end_stays(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games: list[list[Recording]] = [[], []]
    with writing_recordings(path) as one, writing_recordings(path) as other:
        for number, write in enumerate((one, other)):
            play_match("random", "greedy", deals=1 + number, seed=number, rules="tiny", record=write)
            play_match("random", "greedy", deals=1 + number, seed=number, rules="tiny", record=games[number].append)
    assert list(read_recordings(path)) == games[0]
    assert [one.name for one in tmp_path.iterdir()] == ["games.jsonl"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    thread = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    thread.start()
    with writing_recordings(pipe) as write:
        play_match("random", "greedy", deals=1, rules="tiny", record=write)
    thread.join(60)
    assert read[0].count(b"\n") == 2
    assert pipe.is_fifo()
    assert [one.name for one in tmp_path.iterdir()] == ["pipe"]


def test_a_full_disk_leaves_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"one")
    with full_disk(), pytest.raises(OSError, match="File too large"):
        write_atomically(path, b"two")
    assert path.read_bytes() == b"one"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_file_system_without_locks_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_locks(monkeypatch)
    with file_lock(tmp_path / "lock") as is_held:
        assert not is_held
    assert str(tmp_path) in capsys.readouterr().err
