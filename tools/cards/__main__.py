"""Draws the cards: ``python -m tools.cards`` writes ``table/page/cards.svg`` and ``envs/rendering/cards.png``."""

from __future__ import annotations

from pathlib import Path

from tools.cards.atlas import atlas
from tools.cards.svg_cards import svg_cards

_ROOT = Path(__file__).parents[2]

if __name__ == "__main__":
    (_ROOT / "table" / "page" / "cards.svg").write_text(svg_cards(), encoding="utf-8")
    atlas().save(_ROOT / "envs" / "rendering" / "cards.png", optimize=True)
