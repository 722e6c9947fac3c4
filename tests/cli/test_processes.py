"""Commands in separate processes: start-up, and behaviour when optional libraries are missing."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.training.sb3_runs import SETTINGS

HEAVY = ("torch", "stable_baselines3", "sb3_contrib", "numba", "llvmlite", "pygame", "matplotlib", "tensorboard")


def process(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "100"}
    environment.pop("PYTHONUNBUFFERED", None)  # output is buffered, as it usually is
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def without(folder: Path, modules: tuple[str, ...], *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process in which some modules cannot be imported."""
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({modules!r}))\n"
        "from german_whist.cli import main\n"
        f"code = main({list(words)!r})\n"
        f"loaded = [name for name in {HEAVY!r} if sys.modules.get(name)]\n"
        "print(*loaded, file=sys.stderr, sep=',') if code == 0 else None\n"
        "sys.exit(code)"
    )
    return process(folder, "-c", code)


@pytest.mark.parametrize(
    "words", [("--help",), ("--version",), ("agents",), ("train", "--help"), ("evaluate", "--help")]
)
def test_light_commands_load_nothing_heavy(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = without(tmp_path, (), *words)
    assert done.returncode == 0
    assert done.stderr == "\n"
    assert done.stdout


@pytest.mark.parametrize("words", [["agents"], ["agents", "--json"], ["train", "--help"], ["--version"]])
def test_a_closed_pipe_is_not_an_error(tmp_path: Path, words: list[str]) -> None:
    code = (
        "import os, sys\n"
        "reader, writer = os.pipe()\n"
        "os.close(reader)\n"
        "os.dup2(writer, 1)\n"
        "from german_whist.cli import main\n"
        f"sys.exit(main({words!r}))"
    )
    done = process(tmp_path, "-c", code)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.name != "posix", reason="the streams are closed by a POSIX shell")
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("german-whist agents >&-", 2, "german-whist: standard output is closed\n"),
        ("german-whist agents >&- <&- 2>&-", 2, ""),
        (
            "german-whist serve --no-browser --port 0 --agent greedy >/dev/full",
            2,
            "german-whist: [Errno 28]",
        ),
        ("german-whist --version >/dev/full", 2, "german-whist: [Errno 28] No space left on device\n"),
        ("german-whist play random --rules tiny <&-", 0, ""),
        ("german-whist evaluate greedy 2>&-", 2, ""),
        ("german-whist evaluate greedy 2>/dev/full", 2, ""),
        ("mkdir gone; cd gone; rmdir ../gone; german-whist agents", 2, "german-whist: the working directory has been"),
    ],
)
def test_a_stream_that_is_closed_or_full_and_a_deleted_folder_are_one_line(
    tmp_path: Path, line: str, code: int, said: str
) -> None:
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    program = f"{shlex.quote(sys.executable)} -m german_whist"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        ["sh", "-c", line.replace("german-whist", program)],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == code
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == bool(said)


@pytest.mark.parametrize(
    ("module", "library", "line"),
    [
        ("torch", "torch", "train tiny.yaml"),
        ("stable_baselines3", "stable-baselines3", "train tiny.yaml"),
        ("sb3_contrib", "sb3-contrib", "train tiny.yaml"),
        ("matplotlib", "matplotlib", "train tiny.yaml"),
        ("PIL", "Pillow", "draw --still table.png"),
        ("anyio", "anyio", "serve --no-browser"),
        ("segno", "segno", "serve --no-browser"),
    ],
)
def test_a_missing_library_is_one_line_with_the_install_command(
    tmp_path: Path, module: str, library: str, line: str
) -> None:
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(SETTINGS))
    done = without(tmp_path, (module,), *line.split())
    extra = {"PIL": "render", "anyio": "web", "segno": "web"}.get(module, "train")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f'german-whist: {library} is not installed: pip install "german-whist[{extra}]"\n'
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.yaml"]


@pytest.mark.parametrize(
    ("words", "shows"),
    [
        (["evaluate", "greedy", "random", "--deals", "5", "--rules", "tiny"], " % +-"),
        (["evaluate", "greedy", "random", "grédy"], "german-whist: unknown agent 'gredy'"),
        (["agents"], "% +-"),
        (["rules"], "tiny"),
        (["train", "--help"], "recipe"),
    ],
)
def test_a_terminal_without_unicode_gets_readable_text(tmp_path: Path, words: list[str], shows: str) -> None:
    ascii_terminal = {**os.environ, "PYTHONIOENCODING": "ascii", "LANG": "C", "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-m", "german_whist", *words],
        cwd=tmp_path,
        env=ascii_terminal,
        capture_output=True,
        timeout=240,
        check=False,
    )
    text = (done.stdout + done.stderr).decode("ascii")
    assert shows in text
    assert "encode" not in text
    assert "?" not in text.replace("did you mean 'greedy'?", "")
    tables = [line for line in text.splitlines() if line[:1] in "+|"]
    assert len({len(line) for line in tables}) <= 1


def test_letters_that_an_ascii_terminal_cannot_read_are_no_card(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "german_whist", "play", "random", "--rules", "tiny", "--seed", "1"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        input="♥K\nh\nq\n".encode(),
        capture_output=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0
    assert b"is not a card" in done.stdout
    assert done.stdout.decode("ascii").rstrip().endswith("You leave the table.")
