from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from german_whist.cli import main


def test_a_picture_and_a_gif_of_a_deal_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    still, film = tmp_path / "table.png", tmp_path / "deal.gif"
    words = [
        "draw",
        "greedy",
        "random",
        "--rules",
        "tiny",
        "--deal",
        "3:1",
        "--size",
        "480x320",
        "--gif-size",
        "240x160",
    ]
    assert main([*words, "--still", str(still), "--gif", str(film)]) == 0
    with Image.open(still) as picture:
        assert picture.size == (480, 320)
    with Image.open(film) as frames:
        assert frames.size == (240, 160)
        assert frames.n_frames == 1 + 8  # type: ignore[attr-defined]  # the deal, and then a frame a card
    printed = capsys.readouterr().out
    assert "table.png" in printed
    assert "deal.gif" in printed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deal.gif", "table.png"]


def test_the_same_command_draws_the_same_picture_and_another_deal_another(tmp_path: Path) -> None:
    def draw(name: str, *words: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        path = tmp_path / name
        assert main(["draw", "--rules", "tiny", "--size", "240x160", "--still", str(path), *words]) == 0
        with Image.open(path) as picture:
            return np.array(picture)

    first = draw("a.png")
    assert np.array_equal(first, draw("b.png"))
    assert not np.array_equal(first, draw("c.png", "--deal", "1:0"))
    assert not np.array_equal(first, draw("d.png", "--after", "0"))
    assert not np.array_equal(first, draw("e.png", "--seat", "1"))
