"""``make dist``: builds the wheel and the source distribution into ``dist/`` and checks them.

The source distribution must hold every file of the repository, the wheel no tests; both must pass ``twine check`` and
run in a bare environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
CONSTRAINTS = ROOT / "constraints.txt"


def run(*words: str | Path, cwd: Path = ROOT) -> None:
    """Run a command; stop the check when it fails."""
    print("$", *words, flush=True)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([str(word) for word in words], cwd=cwd, env=environment, check=True)


def missing_files(archive: Path) -> list[str]:
    """Return the files of the repository that a source distribution lacks."""
    with tarfile.open(archive) as contents:
        packed = {name.partition("/")[2] for name in contents.getnames()}
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in tracked.split("\0") if name and name not in packed)


def check_contents(wheel: Path, archive: Path) -> None:
    """Stop the check when an archive holds too little or too much."""
    if (ROOT / ".git").exists() and (missing := missing_files(archive)):
        raise SystemExit(f"{archive.name} lacks {len(missing)} files of the repository: {', '.join(missing[:8])}")
    with zipfile.ZipFile(wheel) as contents:
        folders = {name.partition("/")[0] for name in contents.namelist()}
        names = contents.namelist()
    if {folder for folder in folders if not folder.endswith(".dist-info")} != {"german_whist"}:
        raise SystemExit(f"{wheel.name} holds {sorted(folders)}: only german_whist is allowed")
    for needed in ("german_whist/py.typed", "german_whist/agents/weights/champion.safetensors"):
        if needed not in names:
            raise SystemExit(f"{wheel.name} lacks {needed}")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for licence in project["license-files"]:
        if not any(name.endswith(f".dist-info/licenses/{licence}") for name in names):
            raise SystemExit(f"{wheel.name} lacks the licence {licence}")


def check_install(package: Path) -> None:
    """Install a distribution into a bare environment and use it there."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        venv.create(home / "venv", with_pip=True)
        binaries = home / "venv" / ("Scripts" if os.name == "nt" else "bin")
        run(binaries / "python", "-m", "pip", "install", "-q", "-c", CONSTRAINTS, package, cwd=home)
        run(binaries / "german-whist", "--version", cwd=home)
        shutil.copy(Path(__file__).parent / "smoke.py", home)
        run(binaries / "python", "smoke.py", cwd=home)


def main() -> None:
    """Build and check."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST)  # the wheel is built from the source distribution
    (wheel,), (archive,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, archive)
    check_contents(wheel, archive)
    for package in (wheel, archive):
        check_install(package)
    print(f"checked: {wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB), {archive.name}")


if __name__ == "__main__":
    main()
