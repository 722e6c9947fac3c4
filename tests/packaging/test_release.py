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

import german_whist as gw
from tests.packaging import dist_check
from tests.packaging.lowest import TESTS, canonical, lower_bounds, pinned, requirements

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.nightly
def test_the_source_distribution_holds_every_file_of_the_repository(tmp_path: Path) -> None:
    try:
        command = ["git", "checkout-index", "--all", f"--prefix={tmp_path}/"]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git repository")
    build = "from setuptools import build_meta; build_meta.build_sdist('dist')"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path, capture_output=True, check=True)
    assert dist_check.missing_files(next(tmp_path.glob("dist/*.tar.gz"))) == []


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["cff-version"], cited["type"], cited["version"]) == ("1.2.0", "software", gw.__version__)
    assert cited["license"] == PROJECT["project"]["license"]
    assert {"message", "title", "authors"} <= set(cited)
    page = (ROOT / "docs" / "how-to" / "evaluate.md").read_text(encoding="utf-8")
    for words in (cited["title"], f"version = {{{cited['version']}}}", cited["authors"][0]["name"]):
        assert words in page


def test_every_dependency_has_a_lower_bound_that_can_be_tried() -> None:
    bounds = lower_bounds()
    assert {"numpy", "numba", "torch", "pytest"} <= set(bounds)
    names = {canonical(re.split(r"[>=]", line)[0]) for line in PROJECT["project"]["dependencies"]}
    assert names <= set(bounds)
    assert f"torch=={pinned()['torch']}" in requirements(["torch"])
    assert all((ROOT / path).exists() for path in TESTS)
    with pytest.raises(SystemExit, match="no such dependency"):
        requirements(["torhc"])


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
