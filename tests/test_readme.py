"""README.md: its examples run unchanged, and its first screen shows the two commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.examples import ROOT, blocks, run_page

README = ROOT / "README.md"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [block.kind for block in blocks(README)]
    assert {"python", "console"} <= set(kinds)
    run_page(README, tmp_path, monkeypatch)


def test_first_screen_shows_the_two_commands() -> None:
    first = blocks(README)[0].text
    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make quickstart", "make test"]
