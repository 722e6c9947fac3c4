"""README.md: its examples run unchanged, its first screen shows the commands, and its badges are true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.docs.examples import ROOT, blocks, run_page

README = ROOT / "README.md"


def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [block.kind for block in blocks(README)]
    assert {"python", "console"} <= set(kinds)
    run_page(README, tmp_path, monkeypatch)


def test_first_screen_shows_the_commands() -> None:
    first = blocks(README)[0].text
    commands = [line.split("#")[0].strip() for line in first.splitlines()]
    assert commands == ["make quickstart", "make play", "make test"]


def test_badges_say_what_the_package_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = [found[1] for one in project["classifiers"] if (found := re.fullmatch(r".* :: (3\.\d+)", one))]
    said = f"Python {versions[0]} to {versions[-1]}", f"licence: {project['license']}"
    for badge, words in zip(("python", "licence"), said, strict=True):
        picture = ElementTree.parse(ROOT / "docs" / "images" / f"badge-{badge}.svg").getroot()
        assert picture.attrib["aria-label"] == words
        assert "".join(picture.itertext()).split() == words.replace(":", "").split()
