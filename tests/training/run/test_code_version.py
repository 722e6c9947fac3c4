"""A run records the code that trained it: the package's own, never that of a repository around it."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from german_whist.training.run import provenance as module
from german_whist.training.run.provenance import code_version

HERE = "training/run/provenance.py"


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A checkout with this one module of the project."""
    (tmp_path / HERE).parent.mkdir(parents=True)
    shutil.copy(module.__file__, tmp_path / HERE)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "begin")
    return tmp_path


def test_package_build_python_and_libraries_are_named() -> None:
    version = code_version()
    assert set(version) == {"german_whist", "build", "commit", "modified", "python", "libraries"}
    assert version["python"] == platform.python_version()
    assert {"torch", "stable_baselines3", "sb3_contrib", "numpy"} <= set(version["libraries"])
    assert all(version["libraries"].values())
    assert len(version["build"]) == 16
    assert (version["commit"] is None) == (version["modified"] is None)


def test_a_package_run_from_its_sources_and_no_git_are_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise module.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(module.metadata, "version", absent)
    monkeypatch.setenv("PATH", "")
    version = code_version()
    assert version["german_whist"] is version["commit"] is version["modified"] is version["libraries"]["torch"] is None


def test_its_own_checkout_is_named_and_whether_it_is_modified(repository: Path) -> None:
    commit, modified = module._checkout(repository / HERE)
    assert commit is not None
    assert len(commit) == 12
    assert modified is False
    (repository / "notes.txt").write_text("no code")
    assert module._checkout(repository / HERE)[1] is False
    (repository / "training" / "new.py").write_text("")
    assert module._checkout(repository / HERE) == (commit, True)
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "more")
    (repository / HERE).write_text("changed")
    assert module._checkout(repository / HERE)[1] is True


@pytest.mark.parametrize("committed", [False, True])
def test_a_repository_around_site_packages_is_not_named(tmp_path: Path, committed: bool) -> None:
    installed = tmp_path / ".venv" / "lib" / "site-packages" / "german_whist" / HERE
    installed.parent.mkdir(parents=True)
    shutil.copy(module.__file__, installed)
    (tmp_path / "mine.py").write_text("")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", *(["-f", "."] if committed else ["mine.py"]))
    git(tmp_path, "commit", "--quiet", "-m", "someone else's project")
    assert module._checkout(installed) == (None, None)


def test_a_changed_module_or_recipe_is_another_build(tmp_path: Path) -> None:
    packages = ("envs/__init__.py", "configs/__init__.py")
    for name in (*packages, "__init__.py", "envs/a.py", "configs/b.yaml", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    builds = [module._build.__wrapped__(tmp_path)]
    for name in ("__init__.py", "envs/a.py", "configs/b.yaml", "notes.md"):
        (tmp_path / name).write_text("x = 2\n")
        builds.append(module._build.__wrapped__(tmp_path))
    assert len(set(builds)) == 4
    assert builds[-1] == builds[-2]
