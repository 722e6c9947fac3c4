"""What the site's own directives read from the code, and its dead links."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from german_whist.game.state import STATE
from german_whist.simulator.observation.views import VIEW
from tests.docs.examples import ROOT

EXTENSIONS = ROOT / "docs" / "_ext"


@pytest.mark.parametrize(("record", "dtype"), [("view", VIEW), ("state", STATE)])
def test_fields_have_meanings(record: str, dtype: np.dtype[np.void], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXTENSIONS)
    from reference_directives import record_fields

    fields = record_fields(record)
    assert tuple(name for name, _, _ in fields) == dtype.names
    assert all(kind and meaning for _, kind, meaning in fields)


def test_dead_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXTENSIONS)
    from anchors import dead_links

    (tmp_path / "a.html").write_text('<p id="here"><a href="#here"><a href="#gone"><a href="b.html">', encoding="utf-8")
    (tmp_path / "b.html").write_text(
        '<a href="a.html#here"><a href="c.html"><a href="https://x/y.html#z">', encoding="utf-8"
    )
    assert dead_links(tmp_path) == ["a.html: #gone", "b.html: c.html"]
