"""The folder of compiled kernels, one for each version of the sources.

numba notices a change in a kernel's own file, but not in the files of the kernels that it calls.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

from german_whist.envs.utils.files import cache_folder

_PACKAGE = Path(__file__).parents[2]
_KERNEL = re.compile(r"^@(row_|allocating_)?kernel\b", re.MULTILINE)
_IMPORT = re.compile(r"^\s*from german_whist\.([\w.]+) import", re.MULTILINE)
_KEPT_DAYS = 30  # an unused folder is removed after this time


def source_digest(package: Path = _PACKAGE) -> str:
    """Return a digest of all files with kernels and all files that they import, 16 hexadecimal digits."""
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py") if path.exists()}
    waiting = [path for path, text in texts.items() if _KERNEL.search(text)]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in texts and path not in found:
            found.add(path)
            for name in _IMPORT.findall(texts[path]):
                module = package.joinpath(*name.split("."))
                waiting += [module.with_suffix(".py"), *module.glob("*.py")]
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(f"{path.relative_to(package)}\0{texts[path]}\0".encode())
    return digest.hexdigest()[:16]


@cache
def kernel_cache() -> Path | None:
    """Return the cache folder of the current sources; ``None`` if it cannot be written."""
    folder = cache_folder() / "kernels" / source_digest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            folder.touch()
    except OSError:
        return None
    for other in folder.parent.iterdir():
        if other.stat().st_mtime < time.time() - _KEPT_DAYS * 86_400:
            shutil.rmtree(other, ignore_errors=True)
    return folder
