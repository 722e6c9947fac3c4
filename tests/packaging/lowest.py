"""``make lowest``: tries the lower bounds of ``pyproject.toml``.

It installs the lowest version that each dependency allows and runs some tests with them. Packages named by ``--skip``
get the version of ``constraints.txt`` instead.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]

NOT_TRIED = ("dev", "dist", "gpu")  # tools, whose bounds are the versions of constraints.txt, and what needs a card
EDITABLE = ("--config-settings", "editable_mode=strict", "--editable")  # as the Makefile installs it
TOOLS = ("pytest", "hypothesis", "httpx2")  # but these are

# Each dependency is used by one of them.
TESTS = (
    "tests/envs/test_gymnasium_env.py",
    "tests/envs/test_gymnasium_vector_env.py",
    "tests/envs/test_library_wrappers.py",
    "tests/envs/test_pettingzoo_env.py",
    "tests/envs/rendering",
    "tests/evaluation/test_match.py",
    "tests/agents/policy/test_checkpoint.py",
    "tests/solver/test_endgames.py",
    "tests/cli/test_commands.py",
    "tests/training/test_train.py",
    "tests/table",
)

# Before Gymnasium 1.4 its wrapper takes the step after the end of an episode for a reset, which it is not here.
WITHOUT = ("tests/envs/test_gymnasium_vector_env.py::test_gymnasiums_episode_statistics_count_the_learners_steps",)


def canonical(name: str) -> str:
    """Return a package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def lower_bounds() -> dict[str, str]:
    """Return the lower bounds to try: of the package, its extras and ``TOOLS``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [line for extra, needed in extras.items() if extra not in NOT_TRIED for line in needed]
    lines += [line for line in extras["dev"] if canonical(re.split(r"[\[>=]", line)[0]) in TOOLS]
    bounds = {}
    for line in (*project["dependencies"], *lines):
        if line.startswith(f"{project['name']}["):  # another extra
            continue
        found = re.fullmatch(r"([\w.-]+)>=([\w.]+)", line)
        if found is None:
            raise SystemExit(f"pyproject.toml: {line!r} has no lower bound of the form NAME>=VERSION")
        bounds[canonical(found[1])] = found[2]
    return bounds


def pinned() -> dict[str, str]:
    """Return the versions of ``constraints.txt``."""
    found = re.findall(r"^([\w.-]+)==([\w.+!]+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return {canonical(name): version for name, version in found}


def requirements(skip: list[str]) -> list[str]:
    """Return what to install: lower bounds, and pinned versions of the packages in ``skip``."""
    bounds, pins = lower_bounds(), pinned()
    unknown = sorted({canonical(name) for name in skip} - set(bounds))
    if unknown:
        raise SystemExit(f"--skip {unknown[0]}: no such dependency; allowed: {', '.join(sorted(bounds))}")
    chosen = {**bounds, **{canonical(name): pins[canonical(name)] for name in skip}}
    return [f"{name}=={version}" for name, version in chosen.items()]


def main() -> int:
    """Install the lowest versions and run the tests."""
    parser = argparse.ArgumentParser(prog="python -m tests.packaging.lowest", description=__doc__)
    parser.add_argument("--venv", default=".venv-lowest", help="folder of the environment (default .venv-lowest)")
    parser.add_argument("--skip", nargs="*", default=[], metavar="NAME", help="packages to take from constraints.txt")
    parser.add_argument("--list", action="store_true", help="print the versions and stop")
    options = parser.parse_args()
    wanted = requirements(options.skip)
    print(*wanted, sep="\n", flush=True)
    if options.list:
        return 0
    folder = Path(options.venv)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    for words in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", *wanted],
        [str(python), "-m", "pip", "install", "--quiet", "--no-deps", *EDITABLE, str(ROOT)],
        [str(python), "-m", "pip", "check"],
        [str(python), "-m", "sphinx", "-b", "html", "-q", "-W", "docs", str(folder / "site")],
        [str(python), "-m", "pytest", "-q", *TESTS, *(f"--deselect={name}" for name in WITHOUT)],
    ):
        code = subprocess.run(words, cwd=ROOT, check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
