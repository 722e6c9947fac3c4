"""Whole commands where neither the home nor the caches can be written, as in a container with a read-only root."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from german_whist.envs.utils.files import CACHE_VARIABLE
from german_whist.envs.utils.kernel_cache import kernel_cache

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of folders here")

VARIABLES = (CACHE_VARIABLE, "XDG_CACHE_HOME", "XDG_DATA_HOME")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home below a regular file, which not even root can make, and compiled kernels in the temporary folder."""
    (tmp_path / "file").write_text("")
    private = tmp_path / "tmp" / f"german-whist-{os.getuid()}"
    (private / "kernels").mkdir(parents=True)
    private.chmod(0o700)
    compiled = kernel_cache()
    assert compiled is not None
    (private / "kernels" / compiled.name).symlink_to(compiled)
    kept = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    return {**kept, "HOME": str(tmp_path / "file" / "home"), "TMPDIR": str(tmp_path / "tmp")}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "german_whist", *words]


def without_privilege() -> None:
    """Let permissions hold for root too, in a process that is about to begin."""
    if os.getuid() == 0:
        drop_from_bounding_set, override_permissions = 24, 1
        ctypes.CDLL(None).prctl(drop_from_bounding_set, override_permissions, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="root's privileges are dropped as on Linux")
def test_a_cache_that_was_filled_is_used_where_it_cannot_be_written(tmp_path: Path) -> None:
    folder, temporary = tmp_path / "cache", tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, CACHE_VARIABLE: str(folder), "TMPDIR": str(temporary), "NUMBA_DEBUG_CACHE": "1"}
    words = command("solve", "AK32...", "QJT9...")
    filled = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert "data saved to" in filled.stdout
    written = {path for path in folder.rglob("*") if path.is_dir()} | {folder}
    for path in written:
        path.chmod(0o555)
    try:
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, check=True, preexec_fn=without_privilege
        )
    finally:
        for path in written:
            path.chmod(0o755)
    assert "data loaded from" in done.stdout
    assert "data saved to" not in done.stdout
    assert done.stderr == ""
    assert not [*temporary.iterdir()]


def test_a_match_with_workers_says_once_what_cannot_be_stored(environment: dict[str, str]) -> None:
    words = command(
        "evaluate", "random", "greedy+exact", "--deals", "70", "--rules", "tiny", "--json", "--workers", "2"
    )
    done = subprocess.run(words, check=False, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["matches"][0]["deals"] == 70
    lines = [line for line in done.stderr.splitlines() if line.startswith("german-whist:")]
    lines = [line for line in lines if "compiling" not in line]
    assert len(lines) == 2
    assert "compiled kernels cannot be cached" in lines[0]
    assert "is built in memory" in lines[1]
