"""What a release needs beside the code: the citation and the list of files."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import german_whist as gw
from tests.packaging import dist_check

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_sdist_is_complete(tmp_path: Path) -> None:
    try:
        command = ["git", "checkout-index", "--all", f"--prefix={tmp_path}/"]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git repository")
    build = "from setuptools import build_meta; build_meta.build_sdist('dist')"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path, capture_output=True, check=True)
    assert dist_check.missing_files(next(tmp_path.glob("dist/*.tar.gz"))) == []


def test_citation_names_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["cff-version"], cited["type"], cited["version"]) == ("1.2.0", "software", gw.__version__)
    assert cited["license"] == PROJECT["project"]["license"]
    assert {"message", "title", "authors"} <= set(cited)
