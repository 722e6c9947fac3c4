"""Every page of the documentation: its examples run, its links lead somewhere, and what it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.examples import ROOT, blocks, links, prose, run_page

DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
OTHERS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
WITH_EXAMPLES = [page for page in PAGES if any(block.kind in ("python", "console", "sh") for block in blocks(page))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.nightly
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(page, tmp_path, monkeypatch)


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=name_of)
def test_links_work_in_a_clone(page: Path) -> None:
    for link in links(page):
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), link
        assert not anchor or anchor in anchors(path), link


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_clone_shows_no_directives(page: Path) -> None:
    shown = re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert re.findall(r"^```\{.*|(?<!\w)\{[\w:-]+\}`.*?`", shown, re.MULTILINE) == []


def anchors(page: Path) -> set[str]:
    """The anchors of a page: its own, and those that GitHub gives its headings."""
    text = prose(page)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = (re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles)
    return {*slugs, *re.findall('<a id="(.*?)">', text)}
