"""The versions of code and libraries that a checkpoint names."""

from __future__ import annotations

import contextlib
import platform
import subprocess
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

_LIBRARIES = ("numpy", "numba", "torch", "stable_baselines3", "sb3_contrib", "gymnasium", "pettingzoo")


@lru_cache
def code_version() -> dict[str, Any]:
    """Return the versions of the package, Python and libraries, and the git commit of a checkout, for model cards."""
    root, commit = Path(__file__).resolve().parents[2], None
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"]
        with contextlib.suppress(FileNotFoundError):  # a copied checkout on a machine without git
            commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or None
    return {
        "german_whist": _version("german-whist"),
        "commit": commit,
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in _LIBRARIES},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
