"""``docs/reference/observations.md`` is written by the code, and says what the code does."""

from __future__ import annotations

from pathlib import Path

from tools.observation_picture import FILE, picture
from tools.observations_page import COMMAND, page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "observations.md"


def test_observations_page() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), f"write it again: {COMMAND}"


def test_observations_picture() -> None:
    assert FILE.read_text(encoding="utf-8") == picture()
