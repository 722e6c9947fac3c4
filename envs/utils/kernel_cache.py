"""The folder in which compiled kernels are cached, one for each state of the sources.

numba notices a change in the file of a kernel, but not in the files of the kernels that it calls. A folder named by a
digest of all those files cannot go stale.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import time
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs

KEPT_DAYS = 30  # an unused folder is removed after this time

_PACKAGE = Path(__file__).parents[2]
_IMPORTED = re.compile(r"^\s*from german_whist\.([\w.]+) import", re.MULTILINE)


def kernel_sources(package: Path = _PACKAGE) -> list[Path]:
    """Return the files that compiled kernels depend on: those with kernels, and all that they import."""
    folders = os.walk(package, followlinks=True)
    files = [Path(folder, name) for folder, _, names in folders for name in names if name.endswith(".py")]
    texts = {path: path.read_text(encoding="utf-8") for path in files if path.is_file()}
    found: set[Path] = set()
    waiting = [path for path, text in texts.items() if "\n@kernel\n" in text]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for name in _IMPORTED.findall(texts[path]):
            module = package.joinpath(*name.split("."))
            # A name imported from a package may be any of its modules.
            waiting += [other for other in texts if other == module.with_suffix(".py") or other.parent == module]
    return sorted(found)


def source_digest(package: Path = _PACKAGE) -> str:
    """Return a digest of the files that compiled kernels depend on, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in kernel_sources(package):
        digest.update(f"{path.relative_to(package)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def kernel_cache() -> Path:
    """Return the cache folder of the current sources: in ``$NUMBA_CACHE_DIR``, or else in the user's cache folder."""
    config: Any = numba.config
    base = config.CACHE_DIR or platformdirs.user_cache_path("german-whist", appauthor=False)
    folder = Path(base) / "kernels" / source_digest()
    with contextlib.suppress(OSError):  # where nothing can be written, numba falls back to its own folders
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        remove_unused(folder.parent)
    return folder


def remove_unused(folder: Path, days: float = KEPT_DAYS) -> None:
    """Remove the caches in a folder that have not been used for some days."""
    for path in folder.iterdir():
        if path.stat().st_mtime < time.time() - days * 86_400:
            shutil.rmtree(path, ignore_errors=True)
