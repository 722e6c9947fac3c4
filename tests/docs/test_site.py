"""How the site shows commands, and what its search finds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from sphinx.application import Sphinx

from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.views import VIEW
from tests.docs.examples import ROOT

EXTENSIONS = ROOT / "docs" / "_ext"


@pytest.mark.parametrize(("record", "dtype"), [("view", VIEW), ("state", STATE)])
def test_fields_have_meanings(record: str, dtype: np.dtype[np.void], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXTENSIONS)
    from reference_directives import record_fields

    fields = record_fields(record)
    assert tuple(name for name, _, _ in fields) == dtype.names
    assert all(kind and meaning for _, kind, meaning in fields)


def test_search_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_dead_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXTENSIONS)
    from anchors import dead_links

    (tmp_path / "a.html").write_text('<p id="here"><a href="#here"><a href="#gone"><a href="b.html">', encoding="utf-8")
    (tmp_path / "b.html").write_text(
        '<a href="a.html#here"><a href="c.html"><a href="https://x/y.html#z">', encoding="utf-8"
    )
    assert dead_links(tmp_path) == ["a.html: #gone", "b.html: c.html"]


def test_a_figure_stays_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXTENSIONS)
    from figures import unbroken

    assert unbroken("67.8 % ± 0.5 of 500 deals").split(" ") == [
        "67.8\N{NO-BREAK SPACE}%\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.5",
        "of",
        "500",
        "deals",
    ]
