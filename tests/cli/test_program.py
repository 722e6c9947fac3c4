"""The real program: what it loads, a pipe that is closed, a terminal without Unicode."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("torch", "stable_baselines3", "sb3_contrib", "numba", "llvmlite", "pygame", "matplotlib", "tensorboard")


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", code]
    return subprocess.run(words, env=os.environ | environment, capture_output=True, text=True, timeout=240, check=False)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from german_whist.cli import main\n"
        "codes = [main(words) for words in (['--help'], ['--version'], ['agents'], ['train', '--help'])]\n"
        f"print(codes, [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = python(code)
    assert done.stderr == "[0, 0, 0, 0] []\n"


def test_missing_library_is_one_line() -> None:
    commands = {
        "matplotlib": "curve x",
        "PIL": "draw random greedy --gif g.gif",
        "segno": "serve",
        "pydantic": "train --decisions 5",
    }
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({list(commands)!r}))\n"
        "from german_whist.cli import main\n"
        f"sys.exit({{main(line.split()) for line in {list(commands.values())!r}}} != {{2}})"
    )
    done = python(code)
    assert done.returncode == 0
    extras = {"matplotlib": "train", "Pillow": "render", "segno": "web", "pydantic": "train"}
    lines = [f'{name} is not installed: pip install "german-whist[{extra}]"' for name, extra in extras.items()]
    said = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert said == [f"german-whist: {line}" for line in lines]


def test_disabled_compilation_is_one_line() -> None:
    code = "from german_whist.cli import run_program; run_program()"
    words = [sys.executable, "-c", code, "evaluate", "greedy", "random", "--deals", "1", "--rules", "tiny"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("german-whist: NUMBA_DISABLE_JIT")


def test_closed_pipe_ends_quietly() -> None:
    for command in ("agents", "evaluate greedy random --deals 5 --rules tiny"):
        words = [sys.executable, "-m", "german_whist", *command.split()]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.close()
            assert process.stderr is not None
            assert (process.stderr.read(), process.wait(120)) == ("", 0)


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", [">&-", "<&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_streams_end_without_traceback(closed: str) -> None:
    for command, code in (("agents", 0), ("play 10 --rules tiny", 2), ("play heuristic --rules tiny", 0)):
        line = f"{shlex.quote(sys.executable)} -m german_whist {command} {closed}"
        done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=240, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (code, False)


def test_terminal_without_unicode_gets_ascii(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "german_whist", "evaluate", "greedy", "random", "--deals", "5", "--rules", "tiny"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, timeout=240, check=True)
    assert "German Whist, tiny" in done.stdout.decode("ascii")
