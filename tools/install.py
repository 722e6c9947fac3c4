"""Installs the package, editable, into the environment of the Makefile, which calls this before every target.

``python tools/install.py FOLDER EXTRAS`` makes the environment where it is missing. The install links single files, so
edits take effect at once; it is renewed when files are added or removed or the dependencies change.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def versions(project: str) -> list[str]:
    """Return the Python versions that ``pyproject.toml`` names, the oldest first."""
    return re.findall(r'"Programming Language :: Python :: (\d\.\d+)"', project)  # an old Python has no tomllib


def check_python(project: str) -> None:
    """Exit if ``pyproject.toml`` does not name this Python: pip would refuse it after minutes and in many lines."""
    supported, own = versions(project), ".".join(map(str, sys.version_info[:2]))
    if own not in supported:
        sys.exit(
            f"Python {supported[0]} to {supported[-1]} is needed, not {own}: name another, as in "
            f"PYTHON=python{supported[-1]}"
        )


def fingerprint(root: Path) -> str:
    """Return a digest of the package's file names and of the files that name its dependencies."""
    import tomllib

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    folders = sorted(project["tool"]["setuptools"]["package-dir"].values())
    listing = ["git", "ls-files", "-co", "--exclude-standard", "--", *folders]
    listed = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.splitlines()
    else:  # a source archive has no git
        files = (path for folder in folders for path in (root / folder).rglob("*") if path.is_file())
        names = [str(path.relative_to(root)) for path in files if not {"__pycache__", "node_modules"} & {*path.parts}]
    digest = hashlib.sha256("\n".join(sorted(names)).encode())
    for name in ("pyproject.toml", "setup.py", "constraints.txt"):
        digest.update((root / name).read_bytes())
    return digest.hexdigest()


def main() -> None:
    """Make the environment and install the package with its extras, if that is due."""
    folder, extras = Path(sys.argv[1]), sys.argv[2]
    check_python((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    # `venv` installs pip last: without it the environment is incomplete. Old pips find no CUDA for the pinned torch.
    if not (folder / "bin" / "pip").exists():
        subprocess.run([sys.executable, "-m", "venv", "--upgrade-deps", folder], check=True)
    mark, due = folder / f".installed-{extras}", fingerprint(ROOT)
    if mark.exists() and mark.read_text() == due:
        return
    print(f"installing german-whist[{extras}] into {folder} ...", flush=True)
    python = (folder / "bin" / "python").absolute()
    if {"dev", "train"} & {*extras.split(",")}:
        subprocess.run([python, ROOT / "tools" / "torch_build.py", ROOT / "constraints.txt"], check=True)
    # --no-compile: compiling all modules takes half a minute. Newer pips show setuptools' warning of editable installs.
    quiet = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    what = ["-c", "constraints.txt", "--config-settings", "editable_mode=strict", "--editable", f".[{extras}]"]
    pip = [str(python), "-m", "pip", "install", *quiet, *what]
    done = subprocess.run(pip, cwd=ROOT, env={**os.environ, "PYTHONWARNINGS": "ignore"}, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    mark.write_text(due)


if __name__ == "__main__":
    main()
