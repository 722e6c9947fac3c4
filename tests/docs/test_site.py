"""The site has no dead links."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.examples import ROOT

EXTENSIONS = ROOT / "docs" / "_ext"


def test_dead_links_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXTENSIONS)
    from anchors import dead_links

    (tmp_path / "a.html").write_text('<p id="here"><a href="#here"><a href="#gone"><a href="b.html">', encoding="utf-8")
    (tmp_path / "b.html").write_text(
        '<a href="a.html#here"><a href="c.html"><a href="https://x/y.html#z">', encoding="utf-8"
    )
    assert dead_links(tmp_path) == ["a.html: #gone", "b.html: c.html"]
