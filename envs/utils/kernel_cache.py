"""The folder in which compiled kernels are cached, one for each version of the sources.

numba notices a change in a kernel's own file, but not in the files of the kernels that it calls. A folder named after a
digest of all these files cannot go stale.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache

from german_whist.envs.utils.files import CACHE_VARIABLE, cache_folder
from german_whist.envs.utils.warn_once import NOT_CACHED, warn_once

KEPT_DAYS = 30  # an unused folder is removed after this time

_PACKAGE = Path(__file__).parents[2]
_DEFINES = re.compile(rb"^@(row_|allocating_)?kernel\b", re.MULTILINE)
_IMPORTED = re.compile(rb"^\s*from german_whist\.([\w.]+) import", re.MULTILINE)


def kernel_sources(package: Path = _PACKAGE) -> dict[str, bytes]:
    """Return the files that compiled kernels depend on, by name: those with kernels, and all that they import."""
    files = {}
    # The files that an imported name may stand for: a module, or all modules of a package.
    modules: dict[str, list[str]] = {}
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
    waiting = [path for path, text in files.items() if _DEFINES.search(text)]
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
def kernel_cache() -> Path | None:
    """Return the cache folder of the current sources; ``None`` if none can be written.

    If the usual folder cannot be written, as in a container with a read-only root, it is still used if it holds
    kernels. Otherwise a private folder of this user below the temporary folder takes its place, and a line on standard
    error says so.
    """
    base = cache_folder()
    digest = source_digest()
    try:
        return _usable(base / "kernels" / digest)
    except OSError as error:
        reason = error.strerror or str(error)
    with contextlib.suppress(OSError):
        if os.listdir(base / "kernels" / digest):
            return base / "kernels" / digest
    try:
        folder = _usable(_private_folder() / "kernels" / digest)
    except OSError:
        warn_not_cached(base, reason)
        return None
    print(f"german-whist: {_not_cached(base, reason)}: they are cached in {folder.parent}", file=sys.stderr)
    return folder


def _not_cached(folder: Path, reason: str) -> str:
    return f"compiled kernels cannot be cached in {folder} ({reason})"


def warn_not_cached(folder: Path, reason: str) -> None:
    """Say once that compiled kernels cannot be cached in a folder."""
    words = f"{_not_cached(folder, reason)}: they are compiled in each process; ${CACHE_VARIABLE} names another folder"
    warn_once(NOT_CACHED, words)


_UserProvided: Any = CompileResultCacheImpl._locator_classes[0]  # its name differs between versions


class _Locator(_UserProvided):  # type: ignore[misc] # numba has no types
    """Finds the cache in ``numba.config.CACHE_DIR``. Unlike numba's own locators, it accepts a read-only folder."""

    def ensure_cache_path(self) -> None:
        """Make the folder if there is none.

        Raises:
            OSError: if it cannot be made.
        """
        os.makedirs(self.get_cache_path(), exist_ok=True)


class _InFolder(CompileResultCacheImpl):
    """Looks in the cache folder only: numba would also try folders that can go stale."""

    _locator_classes = [_Locator]  # noqa: RUF012 - as numba declares it


class CachedKernel(FunctionCache):
    """The cached files of one kernel.

    numba's own class fails on damaged files, as after a power failure, and if files cannot be written.
    """

    _impl_class = _InFolder

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a compiled kernel, or ``None`` if its files cannot be used; damaged files are removed."""
        try:
            found = super().load_overload(sig, target_context)
        except OSError:
            return None
        except Exception:  # a damaged pickle can raise anything
            with contextlib.suppress(OSError):
                self.flush()
            return None
        # Processes that compile for different types at the same time can choose the same file name.
        return found if found is not None and found.signature.args == tuple(sig) else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled kernel, or say once that it cannot be written."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warn_not_cached(Path(self.cache_path).parent, error.strerror or str(error))


def _usable(folder: Path) -> Path:
    """Make a folder, check that files can be written there, and remove its unused neighbours."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        os.utime(folder)
    with contextlib.suppress(OSError):
        remove_unused(folder.parent)
    return folder


def _private_folder() -> Path:
    """Return a temporary folder that only this user can use, because numba runs what it finds in its cache.

    Raises:
        OSError: if there is none, or it is someone else's.
    """
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"german-whist-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    if hasattr(os, "getuid") and (about.st_uid != user or about.st_mode & 0o077 or folder.is_symlink()):
        raise PermissionError(f"{folder} is not this user's alone")
    return folder


def remove_unused(folder: Path, days: float = KEPT_DAYS) -> None:
    """Remove the caches in a folder that have not been used for some days."""
    for path in folder.iterdir():
        if path.lstat().st_mtime < time.time() - days * 86_400:
            shutil.rmtree(path, ignore_errors=True)
