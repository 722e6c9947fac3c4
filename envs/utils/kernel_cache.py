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
_IMPORTED = re.compile(rb"^\s*from german_whist\.([\w.]+) import", re.MULTILINE)


def kernel_sources(package: Path = _PACKAGE) -> dict[str, bytes]:
    """Return the files that compiled kernels depend on, by name: those with kernels, and all that they import."""
    files = {}
    modules: dict[str, list[str]] = {}  # the files that an import of a name may mean: a module, or any of a package's
    for folder, _, names in os.walk(package, followlinks=True):
        parent = os.path.relpath(folder, package)
        for name in names:
            path = os.path.normpath(os.path.join(parent, name))
            if name.endswith(".py") and os.path.isfile(os.path.join(folder, name)):
                with open(os.path.join(folder, name), "rb") as file:
                    files[path] = file.read()
                modules.setdefault(path[:-3].replace(os.sep, "."), []).append(path)
                modules.setdefault(parent.replace(os.sep, "."), []).append(path)
    found: dict[str, bytes] = {}
    waiting = [path for path, text in files.items() if b"\n@kernel\n" in text]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = files[path]
            for name in _IMPORTED.findall(files[path]):
                waiting += modules.get(name.decode(), [])
    return dict(sorted(found.items()))


def source_digest(package: Path = _PACKAGE) -> str:
    """Return a digest of the files that compiled kernels depend on, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for name, text in kernel_sources(package).items():
        digest.update(f"{name}\0{len(text)}\0".encode())
        digest.update(text)
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
