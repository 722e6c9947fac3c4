"""How the site shows commands, and what its search finds."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from sphinx.application import Sphinx

from tests.docs.examples import ROOT, blocks

EXTENSIONS = ROOT / "docs" / "_ext"
COMMANDS = [
    block.text
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if "_build" not in page.parts
    for block in blocks(page)
    if block.kind in ("console", "sh")
]


def test_every_word_of_a_command_is_one_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """The style sheet keeps a line from breaking inside a token."""
    monkeypatch.syspath_prepend(EXTENSIONS)
    from command_lexer import CommandLexer

    assert len(COMMANDS) > 50
    for text in COMMANDS:
        tokens = [token for _, token in CommandLexer().get_tokens(text)]
        assert "".join(tokens) == text
        assert not any(a[-1:].strip() and b[:1].strip() for a, b in pairwise(tokens)), tokens


def test_the_search_has_the_text_of_every_page_and_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "index.md").write_text("# Title\n\nA *word* here.\n\n## Part\n\nAnother word.\n", encoding="utf-8")
    settings = {"extensions": ["myst_parser", "search_excerpts"], "html_theme": "furo"}
    out = tmp_path / "out"
    monkeypatch.syspath_prepend(EXTENSIONS)
    Sphinx(tmp_path, None, out, out, "html", settings, status=None, warningiserror=True).build()
    script = (out / "_static" / "pages.js").read_text(encoding="utf-8")
    pages = json.loads(re.findall("^const pages = (.*);$", script, re.MULTILINE)[0])
    assert list(pages) == ["index.html"]
    assert " ".join(pages["index.html"].split()) == (
        '<div role="main"> <section id="title"> Title A word here. <section id="part"> Part Another word. </section> '
        "</section> </div>"
    )
    assert "pages.js" in (out / "search.html").read_text(encoding="utf-8")
    assert "pages.js" not in (out / "index.html").read_text(encoding="utf-8")
