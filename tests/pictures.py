"""What is drawn in a picture of curves."""

from __future__ import annotations

from typing import Any

import numpy as np


def colours_in(picture: np.ndarray) -> set[str]:
    pixels = np.unique((picture[..., :3] * 255).round().astype(int).reshape(-1, 3), axis=0)
    return {"#{:02x}{:02x}{:02x}".format(*pixel) for pixel in pixels}


def points(rates: dict[str, list[float]], width: float = 0.1) -> list[dict[str, Any]]:
    return [
        {"decisions": 1000 * i, "opponent": name, "win_rate": rate, "low": rate - width, "high": rate + width}
        for name, of_name in rates.items()
        for i, rate in enumerate(of_name)
    ]
