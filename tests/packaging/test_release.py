"""What a release needs beside the code: the citation, the list of files, bounds that can be tried, the workflow."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import german_whist
from tests.packaging import dist_check
from tests.packaging.lowest import NOT_TRIED, TESTS, TOOLS, canonical, lower_bounds, pinned, requirements

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SUPPORTED = [line.rsplit(" ", 1)[1] for line in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", line)]


def test_the_citation_is_that_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(citation)
    assert citation["version"] == german_whist.__version__
    assert citation["license"] == PROJECT["project"]["license"]


def test_the_source_distribution_holds_every_file_of_the_repository(tmp_path: Path) -> None:
    try:
        command = ["git", "checkout-index", "--all", f"--prefix={tmp_path}/"]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git repository")
    build = "from setuptools import build_meta; build_meta.build_sdist('dist')"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path, capture_output=True, check=True)
    assert dist_check.missing_files(next(tmp_path.glob("dist/*.tar.gz"))) == []


def test_every_dependency_has_a_lower_bound_that_can_be_tried() -> None:
    bounds = lower_bounds()
    assert {"numpy", "numba", "torch", "pytest"} <= set(bounds)
    names = {canonical(re.split(r"[>=]", line)[0]) for line in PROJECT["project"]["dependencies"]}
    assert names <= set(bounds)
    assert f"torch=={pinned()['torch']}" in requirements(["torch"])
    assert all((ROOT / path).exists() for path in TESTS)
    with pytest.raises(SystemExit, match="no such dependency"):
        requirements(["torhc"])


def test_the_tools_that_are_not_tried_begin_at_the_pinned_versions() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    lines = [line for extra in NOT_TRIED for line in extras[extra] if "[" not in line]
    for name, bound in (line.split(">=") for line in lines):
        if canonical(name) not in TOOLS:
            assert f"{pinned()[canonical(name)]}.".startswith(f"{bound}."), name


def test_the_workflow_runs_the_gate_on_every_python_that_the_package_names() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    gate = workflow["jobs"]["gate"]
    assert gate["strategy"]["matrix"]["python"] == SUPPORTED
    assert gate["steps"][-1] == {"run": ".ci/run"}
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert {"make dist", "make lowest", "make docs"} <= set(commands)


def test_the_tests_marked_nightly_run_every_night_with_ray(tmp_path: Path) -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert {"run": "make nightly-tests"} in steps
    words = ["make", "--dry-run", "nightly-tests", f"VENV={tmp_path / 'venv'}"]
    planned = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert '".[dev,ray]"' in planned
    assert f"{tmp_path / 'venv'}/bin/python -m pytest -m nightly\n" in planned


@pytest.mark.parametrize("version", ["3.10.14", "3.15.0", "2.7.18", "3.1.1"])
def test_make_refuses_a_python_that_the_package_does_not_name_in_one_line(tmp_path: Path, version: str) -> None:
    made = made_with(tmp_path, version)
    assert (made.returncode, made.stdout) == (2, "")
    (line,) = made.stderr.splitlines()
    assert f"Python {SUPPORTED[0]} to {SUPPORTED[-1]} is needed" in line
    assert f"{tmp_path / 'python'} is {version}:" in line
    assert f"make quickstart PYTHON=python{SUPPORTED[-1]}" in line
    assert not (tmp_path / "venv").exists()


def test_make_says_that_there_is_no_python_in_one_line(tmp_path: Path) -> None:
    made = made_with(tmp_path, None)
    assert (made.returncode, made.stdout) == (2, "")
    (line,) = made.stderr.splitlines()
    assert f"{tmp_path / 'python'} is not found" in line


@pytest.mark.parametrize("version", SUPPORTED)
def test_make_takes_every_python_that_the_package_names(tmp_path: Path, version: str) -> None:
    assert f"{tmp_path / 'python'} -m venv {tmp_path / 'venv'}\n" in made_with(tmp_path, f"{version}.7").stdout


def made_with(folder: Path, version: str | None) -> subprocess.CompletedProcess[str]:
    """What ``make quickstart`` would do with a Python of this version, or without one."""
    python = folder / "python"
    if version is not None:
        python.write_text(f"#!/bin/sh\necho {version}\n")
        python.chmod(0o755)
    words = ["make", "--no-print-directory", "--dry-run", "quickstart", f"VENV={folder / 'venv'}", f"PYTHON={python}"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_entry_for_pettingzoos_list_names_the_version_that_is_tested() -> None:
    text = (ROOT / "docs/how-to/publish-package.md").read_text(encoding="utf-8")
    assert f"badge/PettingZoo-v{pinned()['pettingzoo']}-blue" in text


def test_every_licence_of_the_repository_goes_into_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {path.relative_to(ROOT).as_posix() for path in [ROOT / "LICENSE", *(ROOT / "envs").rglob("LICENSE*")]}
    assert found == set(PROJECT["project"]["license-files"]) > {"LICENSE"}
    monkeypatch.setattr(dist_check, "missing_files", lambda archive: [])
    info = "german_whist-0.1.0.dist-info/licenses"
    held = ["german_whist/py.typed", "german_whist/agents/weights/champion.safetensors"]
    for licences in ([], ["LICENSE"], sorted(found)):
        wheel = tmp_path / "german_whist.whl"
        with zipfile.ZipFile(wheel, "w") as contents:
            for name in [*held, *(f"{info}/{licence}" for licence in licences)]:
                contents.writestr(name, "")
        if set(licences) == found:
            dist_check.check_contents(wheel, wheel)
        else:
            with pytest.raises(SystemExit, match=r"german_whist\.whl lacks the licence "):
                dist_check.check_contents(wheel, wheel)
