"""Which code trains: versions, a digest of the package, and its commit if it runs from its own checkout."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

_LIBRARIES = ("numpy", "numba", "torch", "stable_baselines3", "sb3_contrib", "gymnasium", "pettingzoo")
_PACKAGE = Path(__file__).parents[2]
_IN_CHECKOUT = "training/run/code_version.py"  # the path of this file in the project's own repository
_FOLDERS = ("api", "envs", "solver", "agents", "arena", "session", "web", "training", "benchmarks", "configs")


def code_version() -> dict[str, Any]:
    """Return the versions of package, Python and libraries.

    ``build`` is a digest of the package's modules and configurations. ``commit`` is the git commit if the package runs
    from its own checkout, not that of a repository around ``site-packages``, and ``modified`` says whether the checkout
    differs from it; both are ``None`` for an installed package.
    """
    commit, modified = _checkout(Path(__file__).resolve())
    return {
        "german_whist": _version("german-whist"),
        "build": _build(),
        "commit": commit,
        "modified": modified,
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in _LIBRARIES},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # run from its sources
        return None


@lru_cache
def _build(package: Path = _PACKAGE) -> str:
    """Return a digest of the package's modules and configurations, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in ("**/*.py", "**/*.yaml") for path in _files(package, pattern)):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _files(package: Path, pattern: str) -> list[Path]:
    # The sub-packages may be links to folders, which ** does not follow.
    folders = [path for path in package.iterdir() if path.is_dir() and path.name in (*_FOLDERS, "cli", "openspiel")]
    name = pattern.removeprefix("**/")
    return [*package.glob(name), *(path for folder in folders for path in folder.glob(pattern))]


def _checkout(file: Path) -> tuple[str | None, bool | None]:
    """Return the commit of this project's repository and whether it is modified, if a file is in a checkout of it."""
    try:
        if _git(file.parent, "ls-files", "--full-name", "--", file.name) != _IN_CHECKOUT:
            return None, None
        root = _git(file.parent, "rev-parse", "--show-toplevel")
        commit = _git(file.parent, "rev-parse", "--short=12", "HEAD")
        return commit, bool(_git(Path(root), "status", "--porcelain", "--", *_FOLDERS))
    except (OSError, subprocess.SubprocessError):
        return None, None


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
