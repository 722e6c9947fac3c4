"""Every page of the documentation: its examples run, its links lead somewhere, and what it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import german_whist as gw
from german_whist.cli import COMMANDS
from german_whist.training.config import recipe_names
from tests.docs.examples import ROOT, blocks, links, prose, run_page

DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
OTHERS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
WITH_EXAMPLES = [page for page in PAGES if any(block.kind in ("python", "console", "sh") for block in blocks(page))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.nightly
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_every_example_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(page, tmp_path, monkeypatch)


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=name_of)
def test_every_link_and_picture_leads_somewhere(page: Path) -> None:
    for link in links(page):
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), link
        assert not anchor or anchor in anchors(path), link


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, those that a directive writes included."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    written = {block.kind for block in blocks(page)}
    if "{command-line}" in written:
        titles += [f"german-whist {command}" for command in COMMANDS]
    if "{game-presets}" in written:
        titles += gw.rule_names()
    if "{training-recipes}" in written:
        titles += recipe_names()
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=name_of)
def test_every_file_that_is_named_exists(page: Path) -> None:
    folders = "|".join(path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0].isalpha())
    named = re.findall(rf"`((?:{folders})/(?:[\w/.-]*/|[\w/.-]+\.\w+)?)`", prose(page))
    assert [name for name in named if not (ROOT / name).exists() and "mine" not in name] == []


def test_every_page_is_in_the_navigation() -> None:
    listed = set()
    for page in PAGES:
        for block in blocks(page):
            if block.kind == "{toctree}":
                entries = [line for line in block.text.split() if not line.startswith(":")]
                listed |= {(page.parent / f"{entry}.md").resolve() for entry in entries}
    assert [name_of(page) for page in PAGES if page.resolve() not in listed | {DOCS / "index.md"}] == []
