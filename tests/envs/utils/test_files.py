"""Files appear when they are complete, and are read up to a limit; what is no file is written to and not read."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from german_whist.envs.utils.files import read_limited, write_atomically
from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import Recording, read_recordings, writing_recordings
from tests.disk import full_disk


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


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 11)
    assert read_limited(path, 11) == b"x" * 11
    with pytest.raises(ValueError, match="file: has 11 bytes, and at most 10 are read"):
        read_limited(path, 10)


def test_a_file_that_says_less_than_it_holds_is_not_read_on() -> None:
    if not Path("/proc/self/status").is_file():
        pytest.skip("no files of unknown size")
    assert Path("/proc/self/status").stat().st_size == 0
    with pytest.raises(ValueError, match="at most 10 are read"):
        read_limited("/proc/self/status", 10)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ValueError, match="is not a file"):
            read_limited(path, 10)
    with pytest.raises(ValueError, match="cannot be read: Is a directory"):
        read_limited(tmp_path, 10)
    with pytest.raises(FileNotFoundError):
        read_limited(tmp_path / "absent", 10)
