"""The cards of the web page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from german_whist.game.cards import RANKS, SUITS

FILE = Path(__file__).parents[3] / "table" / "page" / "cards.svg"
FACES = ("classic", "modern")
BACKS = ("lattice", "waves", "diamonds")


@pytest.fixture(scope="module")
def text() -> str:
    return FILE.read_text(encoding="utf-8")


def test_svg_has_every_card(text: str) -> None:
    symbols = set(re.findall(r'<symbol id="([^"]+)"', text))
    faces = {f"{face}-{suit}{rank}" for face in FACES for suit in SUITS for rank in RANKS}
    assert symbols == faces | {f"back-{name}" for name in BACKS}
