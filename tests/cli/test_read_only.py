"""Whole commands where neither the home nor the caches can be written, as in a container with a read-only root."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from german_whist.envs.utils.files import CACHE_VARIABLE
from german_whist.envs.utils.kernel_cache import kernel_cache
from german_whist.web.data_folder import FOLDER_VARIABLE, writable_data_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of folders here")

VARIABLES = (FOLDER_VARIABLE, CACHE_VARIABLE, "XDG_CACHE_HOME", "XDG_DATA_HOME")


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


def test_the_page_is_served_and_keeps_games_in_a_private_folder(environment: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    words = command("serve", "--no-browser", "--port", "0", "--rules", "tiny", "--agent", "greedy")
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            line = server.stdout.readline()
            assert line.startswith("German Whist is served at "), line + server.communicate()[1]
            with urlopen(f"{line.split()[-1]}api/sessions", timeout=60) as answer:
                assert json.load(answer) == {"sessions": []}
        finally:
            server.send_signal(signal.SIGTERM)
            errors = server.communicate(timeout=60)[1]
    assert server.returncode == 0
    (said,) = [line for line in errors.splitlines() if "games are kept in" in line]
    folder = Path(said.partition("games are kept in ")[2].partition(";")[0])
    assert folder.parent == tmp_path / "tmp"
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "token").is_file()


def test_without_a_temporary_folder_the_page_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file" / "data"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    with pytest.raises(ValueError, match=r"cannot be made.*--data names another$"):
        writable_data_folder()
