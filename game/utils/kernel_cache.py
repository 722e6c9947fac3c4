"""The folders of compiled kernels: one for each kernel file and state of the sources that it depends on.

numba notices a change in a kernel's own file, but not in the files of the kernels that it calls.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

from german_whist.game.utils.cache_folder import cache_folder

_PACKAGE = Path(__file__).parents[2]
_IMPORT = re.compile(r"^\s*from german_whist\.([\w.]+) import", re.MULTILINE)
_KEPT_DAYS = 30  # an unused folder is removed after this time


@cache
def kernels_folder() -> Path | None:
    """Return the folder of all compiled kernels; ``None`` if it cannot be written."""
    folder = cache_folder() / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    for other in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another process has removed it
            if other.stat().st_mtime < time.time() - _KEPT_DAYS * 86_400:
                shutil.rmtree(other, ignore_errors=True)
    return folder


@cache
def kernel_cache(source: Path) -> Path | None:
    """Return the cache folder of the kernels in a file; ``None`` if it cannot be written.

    Its files are numba's pickles. Those that a crash of the machine has left incomplete are removed.
    """
    kernels = kernels_folder()
    if kernels is None:
        return None
    folder = kernels / source_digest(source)
    folder.mkdir(exist_ok=True)
    try:
        os.utime(folder)  # ``touch`` would make a file of a missing folder
    except FileNotFoundError:  # another process has just removed it as unused
        folder.mkdir(exist_ok=True)
    for path in folder.glob("*/*.nb[ic]"):
        with contextlib.suppress(OSError):  # another process has removed it
            if not _is_complete(path):
                path.unlink()
    return folder


def _is_complete(path: Path) -> bool:
    """Return whether a file ends as pickles do."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read() == pickle.STOP


def source_digest(source: Path, package: Path = _PACKAGE) -> str:
    """Return a digest of a file and all files of the package that it imports, 16 hexadecimal digits."""
    waiting, found = [source], set[Path]()
    while waiting:
        path = waiting.pop()
        if path not in found and path.is_file():
            found.add(path)
            for name in _imports(path, path.stat().st_mtime_ns):
                module = package.joinpath(*name.split("."))
                waiting += [module.with_suffix(".py"), *module.glob("*.py")]
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(path.name.encode() + _text(path, path.stat().st_mtime_ns))
    return digest.hexdigest()[:16]


@cache
def _text(path: Path, changed: int) -> bytes:
    return path.read_bytes()


@cache
def _imports(path: Path, changed: int) -> list[str]:
    return _IMPORT.findall(_text(path, changed).decode())
