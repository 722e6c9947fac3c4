"""``make from-nothing``: each target that README or CONTRIBUTING names, in a fresh clone and an environment of its own.

What takes hours is tried with its smallest numbers. The network is needed, and gigabytes for a while.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]

# The variables that each target is tried with; None: not tried, for the reason beside it.
MAKE: dict[str, str | None] = {
    "quickstart": "",
    "play": "",
    "check": "",
    "test": "",
    "docs": "",
    "dist": "",
    "fuzz": "EXAMPLES=10",
    "kill-test": "KILLS=1",
    "nightly": "DEALS=1000",
    "lowest": None,  # the workflow ci runs it, in an environment that it makes
    "pins": None,  # it asks a registry for each package once more and changes what the others install
    "coverage": None,  # the tests of `make test`, in the same environment, twice as long
    "from-nothing": None,  # this
}


def play(words: list[str], clone: Path) -> int:
    """Return 0 when the table says where it is, and stop it as its user would."""
    with subprocess.Popen(words, cwd=clone, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stdout is not None
        served = any(line.startswith("German Whist is served at ") for line in server.stdout)
        os.killpg(server.pid, signal.SIGINT)
    return 0 if served else 1


def attempt(target: str, python: str) -> int:
    """Run a target in a clone of what is committed, and return its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        words = ["make", target, f"PYTHON={python}", *(MAKE[target] or "").split()]
        return play(words, clone) if target == "play" else subprocess.run(words, cwd=clone, check=False).returncode


def main() -> int:
    """Try the targets, print a line for each, and return 1 when one failed."""
    tried = [target for target, variables in MAKE.items() if variables is not None]
    parser = argparse.ArgumentParser(prog="python -m tests.packaging.targets", description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="the Python of the environments")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"default: {' '.join(tried)}")
    given = parser.parse_args()
    if unknown := sorted(set(given.targets) - set(tried)):
        parser.error(f"{unknown[0]} is not tried; allowed: {', '.join(tried)}")
    codes = {}
    for target in given.targets or tried:
        print(f"$ make {target}", flush=True)
        codes[target] = attempt(target, given.python)
    for target, code in codes.items():
        print(f"make {target}: {'runs' if code == 0 else f'failed, exit code {code}'}")
    return 1 if any(codes.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
