"""The reference pages say what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.reference_pages import ROOT
from tools.reference_pages.pages import COMMAND, HEADER, pages, renewed


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_generated_parts_are_not_stale(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(HEADER)
    assert text == renewed(page), f"renew it: {COMMAND}"
