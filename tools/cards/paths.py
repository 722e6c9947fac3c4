"""Outlines of straight lines and cubic Bézier curves, among them those of the four suits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]
# A knot is the end of a segment: (x, y) of a line, or (x1, y1, x2, y2, x, y) of a curve with two control points.
Knot: TypeAlias = tuple[float, ...]
Path: TypeAlias = Sequence[Knot]

_STEPS = 20


def curve(start: Point, *segments: Sequence[Point]) -> Path:
    """Return a path: each segment is an end point, or two control points and an end point (a cubic Bézier)."""
    return [start, *(tuple(number for point in segment for number in point) for segment in segments)]


def both_sides(half: Path) -> Path:
    """Return a path on the right of x = 0, closed by its mirror image on the left."""
    path = [*half, _end(half[-1], -1)]
    for knot, before in zip(reversed(half[1:]), reversed(half[:-1]), strict=True):
        x, y = _end(before, -1)
        path.append((x, y) if len(knot) == 2 else (-knot[2], knot[3], -knot[0], knot[1], x, y))
    return path


def moved(path: Path, x: float, y: float, size: float = 1.0, turned: bool = False) -> Path:
    """Return a path scaled by ``size``, turned upside down if ``turned``, and moved by (x, y)."""
    scale = -size if turned else size
    return [tuple((y if axis % 2 else x) + scale * number for axis, number in enumerate(knot)) for knot in path]


def points_of(path: Path) -> list[Point]:
    """Return the corners of a polygon that follows a path."""
    points: list[Point] = []
    for knot in path:
        if len(knot) == 6:
            start = points[-1]
            points.extend(_on_curve(start, knot, step / _STEPS) for step in range(1, _STEPS + 1))
        else:
            points.append(_end(knot))
    return points


def _on_curve(start: Point, knot: Knot, t: float) -> Point:
    """Return a point of a cubic Bézier curve; ``t`` runs from 0 to 1."""
    (x0, y0), (x1, y1, x2, y2, x3, y3) = start, knot
    a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    return a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3


def _end(knot: Knot, side: int = 1) -> Point:
    return side * knot[-2], knot[-1]


def _disc(x: float, y: float, radius: float) -> Path:
    k = 0.5523 * radius
    return curve(
        (x + radius, y),
        [(x + radius, y + k), (x + k, y + radius), (x, y + radius)],
        [(x - k, y + radius), (x - radius, y + k), (x - radius, y)],
        [(x - radius, y - k), (x - k, y - radius), (x, y - radius)],
        [(x + k, y - radius), (x + radius, y - k), (x + radius, y)],
    )


_STEM = both_sides(curve((0.0, 0.0), [(0.03, 0.0)], [(0.03, 0.3), (0.08, 0.45), (0.2, 0.5)]))

# Outlines in a box of size 1 about (0, 0), in the order C D H S; a shape is the union of its outlines.
SUIT_SHAPES: tuple[tuple[Path, ...], ...] = (
    (
        _disc(0.0, -0.255, 0.235),
        _disc(0.255, 0.1, 0.235),
        _disc(-0.255, 0.1, 0.235),
        both_sides([(0.0, -0.2), (0.1, -0.1), (0.13, 0.0), (0.2, 0.03), (0.1, 0.17), (0.0, 0.12)]),
        _STEM,
    ),
    (
        both_sides(
            curve((0.0, -0.5), [(0.09, -0.32), (0.24, -0.12), (0.37, 0.0)], [(0.24, 0.12), (0.09, 0.32), (0.0, 0.5)])
        ),
    ),
    (
        both_sides(
            curve((0.0, -0.24), [(0.07, -0.47), (0.48, -0.52), (0.48, -0.15)], [(0.48, 0.12), (0.15, 0.25), (0.0, 0.5)])
        ),
    ),
    (
        both_sides(
            curve(
                (0.0, -0.5),
                [(0.13, -0.24), (0.46, -0.1), (0.46, 0.15)],
                [(0.46, 0.4), (0.14, 0.42), (0.02, 0.18)],
            )
        ),
        _STEM,
    ),
)
