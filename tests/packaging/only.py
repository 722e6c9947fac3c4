"""``python -m tests.packaging.only EXTRA COMMAND …``: a command as in an environment made for one extra.

The command and its child processes find only what the package and that extra (``base``: none) bring with them, by the
metadata of what is installed here. Everything else looks as if it were not installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Python imports it at its start.
_HIDE = """
import os, re, sys
from importlib.machinery import PathFinder

MODULES, DISTRIBUTIONS = (set(os.environ[name].split()) for name in ("HIDDEN_MODULES", "SHOWN_DISTRIBUTIONS"))

class Only(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in MODULES else super().find_spec(name, path, target)

    @classmethod
    def find_distributions(cls, *words, **named):
        for found in super().find_distributions(*words, **named):
            if re.sub(r"[-_.]+", "-", found.metadata["Name"]).lower() in DISTRIBUTIONS:
                yield found

sys.meta_path[:] = [Only if finder is PathFinder else finder for finder in sys.meta_path]
"""


def distributions(extra: str) -> set[str]:
    """Return the names of what installing the package with an extra brings here; raise KeyError for an unknown one."""
    found: set[tuple[str, str]] = set()
    wanted = [("german-whist", ""), *([] if extra == "base" else [("german-whist", extra)])]
    if extra != "base" and not any(f'"{extra}"' in line for line in requires("german-whist") or []):
        raise KeyError(extra)
    while wanted:
        name, of = one = wanted.pop()
        if one in found:
            continue
        try:
            lines = requires(name) or []
        except PackageNotFoundError:  # it is for another system, or of an extra that is not installed
            continue
        found.add(one)
        for needed in map(Requirement, lines):
            if needed.marker is None or needed.marker.evaluate({"extra": of}):
                wanted += [(canonicalize_name(needed.name), further) for further in ("", *needed.extras)]
    return {name for name, _ in found}


def environment(extra: str, folder: Path) -> dict[str, str]:
    """Return the environment variables with which Python finds only an extra; a folder takes a file."""
    shown = distributions(extra) | {"pip"}
    holders = packages_distributions().items()
    hidden = [module for module, names in holders if shown.isdisjoint(map(canonicalize_name, names))]
    (folder / "sitecustomize.py").write_text(_HIDE, encoding="utf-8")
    names = {"HIDDEN_MODULES": " ".join(hidden), "SHOWN_DISTRIBUTIONS": " ".join(sorted(shown))}
    return {**os.environ, "PYTHONPATH": str(folder), **names}


def main() -> int:
    """Run the command."""
    extra, *words = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(words, env=environment(extra, Path(folder)), check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
