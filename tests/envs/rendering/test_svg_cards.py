"""The cards of the web page."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from german_whist.envs.engine.cards import RANKS, SUITS

FILE = Path(__file__).parents[3] / "table" / "page" / "cards.svg"
FACES = ("classic", "modern")
BACKS = ("lattice", "waves", "diamonds")


@pytest.fixture(scope="module")
def text() -> str:
    return FILE.read_text(encoding="utf-8")


def test_svg_symbols(text: str) -> None:
    symbols = set(re.findall(r'<symbol id="([^"]+)"', text))
    faces = {f"{face}-{suit}{rank}" for face in FACES for suit in SUITS for rank in RANKS}
    assert symbols == faces | {f"back-{name}" for name in BACKS}


def test_svg_is_self_contained(text: str) -> None:
    root = ElementTree.fromstring(text)
    names = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(names) == len(set(names))
    references = re.findall(r'href="([^"]+)"|url\(([^)]+)\)', text)
    assert {one or other for one, other in references} <= {f"#{name}" for name in names}
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"script", "style", "image", "foreignObject"}  # the page's policy would refuse them
