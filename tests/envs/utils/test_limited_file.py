"""Files are read up to a limit; pipes and devices are not read at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from german_whist.envs.utils.files import read_limited


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
