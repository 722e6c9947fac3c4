"""Stale kernels are dropped before the tests run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import drop_stale_kernels, package_folders


def folder_of(tmp_path: Path, ages: dict[str, int]) -> Path:
    for name, age in ages.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (age, age))
    return tmp_path


@pytest.mark.parametrize("newer", ["a.py", "b.py"])
def test_all_caches_go_when_any_source_is_newer_than_one_of_them(tmp_path: Path, newer: str) -> None:
    ages = {"a.py": 10, "b.py": 10, "__pycache__/a.nbi": 20, "__pycache__/b.1.nbc": 40, newer: 30}
    folder = folder_of(tmp_path, ages)
    assert drop_stale_kernels([folder])
    assert sorted(path.name for path in folder.rglob("*.*")) == ["a.py", "b.py"]


def test_caches_newer_than_all_sources_stay(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"a.py": 10, "b.py": 20, "__pycache__/a.nbi": 30, "__pycache__/a.1.nbc": 20})
    assert not drop_stale_kernels([folder])
    assert len(list(folder.rglob("*.nb?"))) == 2


def test_sources_without_caches_are_fine(tmp_path: Path) -> None:
    assert not drop_stale_kernels([folder_of(tmp_path, {"a.py": 10}), tmp_path / "absent"])


def test_the_packages_folders_are_found() -> None:
    folders = package_folders()
    assert {"envs", "agents", "arena"} <= {folder.name for folder in folders}
    assert all(list(folder.glob("*.py")) for folder in folders)
