"""``tools/install.py``: when the Makefile's environment is made and renewed, and with which Pythons."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.pins import PYTHONS, ROOT
from tools import install


def project(folder: Path) -> Path:
    """Copy what an install depends on, with a folder of the package that has one file."""
    for name in ("pyproject.toml", "setup.py", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    (folder / "game").mkdir()
    (folder / "game" / "cards.py").write_text("SUITS = 4\n")
    return folder


@pytest.mark.parametrize("has_git", [True, False])
def test_install_is_due_after_new_files_and_dependencies_not_after_edits(tmp_path: Path, has_git: bool) -> None:
    root = project(tmp_path)
    if has_git:
        subprocess.run(["git", "init", "--quiet", root], check=True)
    known = install.fingerprint(root)
    (root / "game" / "cards.py").write_text("SUITS = 5\n")
    (root / "game" / "__pycache__").mkdir()
    if has_git:
        (root / ".gitignore").write_text("__pycache__\n")
    (root / "game" / "__pycache__" / "cards.pyc").touch()
    (root / "unshipped.py").touch()
    assert install.fingerprint(root) == known
    (root / "game" / "rules.py").touch()
    with_file = install.fingerprint(root)
    assert with_file != known
    (root / "constraints.txt").write_text("numpy==2.0\n")
    assert install.fingerprint(root) != with_file


def test_python_of_another_version_is_refused(tmp_path: Path) -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8").replace(f":: {sys.version_info[0]}", ":: 2")
    with pytest.raises(SystemExit, match=rf"not .*{sys.version_info[0]}\.{sys.version_info[1]}"):
        install.check_python(text)
    install.check_python((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert install.versions((ROOT / "pyproject.toml").read_text(encoding="utf-8")) == PYTHONS
