"""README's picture of an observation shows what the code draws."""

from __future__ import annotations

from tools.observation_picture import FILE, picture


def test_observation_picture_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == picture()
