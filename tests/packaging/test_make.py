"""What the Makefile leaves behind when a tool fails, with stand-ins for Python and npm."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed"),
]
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}.0"
# Asked for its version, makes an environment, or installs; the file `broken` beside it makes the last two fail.
PYTHON = f"""#!/bin/sh
case "$*" in
-c*) echo {VERSION} ;;
"-m venv"*)
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    [ ! -e "$TOOLS/broken" ] || exit 1
    cp "$0" "$3/bin/pip"
    printf '#!/bin/sh\\necho "trained $*"\\n' > "$3/bin/german-whist"
    chmod +x "$3/bin/german-whist" ;;
"-m pip install"*)
    [ -e "$(dirname "$0")/pip" ] || {{ echo "No module named pip"; exit 1; }}
    [ ! -e "$TOOLS/broken" ] || exit 1
    echo "another index: $PIP_EXTRA_INDEX_URL" ;;
esac
"""
NPM = """#!/bin/sh
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules"
[ ! -e "$TOOLS/broken" ] || exit 1
mkdir -p "$2/node_modules/.bin"
printf '#!/bin/sh\\necho "checked $*"\\n' > "$2/node_modules/.bin/tsc"
chmod +x "$2/node_modules/.bin/tsc"
"""


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder of stand-ins."""
    for name, text in {"python": PYTHON, "npm": NPM}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def make(tools: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    outer = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}  # of `make test`
    environment = {**outer, "PATH": f"{tools}:{os.environ['PATH']}", "TOOLS": str(tools)} | variables
    command = ["make", "--no-print-directory", *words, f"VENV={tools / 'venv'}", f"PYTHON={tools / 'python'}"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_an_environment_that_could_not_be_made_is_made_again(tools: Path) -> None:
    (tools / "broken").touch()
    assert make(tools, "quickstart").returncode != 0
    (tools / "broken").unlink()
    done = make(tools, "quickstart")
    assert done.stdout.splitlines()[-1] == "trained train quickstart", done


def test_an_installation_that_failed_is_repeated(tools: Path) -> None:
    assert make(tools, f"{tools}/venv/bin/pip").returncode == 0
    (tools / "broken").touch()
    assert make(tools, "quickstart").returncode != 0
    assert not list((tools / "venv").glob(".installed-*"))
    (tools / "broken").unlink()
    assert make(tools, "quickstart").returncode == 0


@pytest.mark.parametrize("browser", ["", "required"])
def test_without_a_registry_the_javascript_is_skipped_in_one_line_unless_the_gate_needs_it(
    tools: Path, browser: str
) -> None:
    (tools / "broken").touch()
    done = make(tools, "javascript", GERMAN_WHIST_BROWSER=browser)
    assert (done.returncode != 0) == (browser == "required")
    assert done.stdout.count("\n") == 1, done
    assert "typescript@" in done.stdout
    assert not (tools / "venv").exists() or not list((tools / "venv").iterdir())
    (tools / "broken").unlink()
    assert "checked --project table/page\n" in make(tools, "javascript").stdout
