"""The figures of skill and luck as Markdown, and the page that shows them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from german_whist.envs.utils.files import write_atomically
from tools.markdown import markdown_table

SECTIONS = ("setting", "luck", "stock", "separation", "stages", "ladder", "record")

Figures = dict[str, Any]


def report(figures: Figures) -> dict[str, str]:
    """Return the Markdown of every section, by its name in ``SECTIONS``."""
    parts = (_setting, _luck, _stock, _separation, _stages, _ladder, _record)
    return {name: part(figures) for name, part in zip(SECTIONS, parts, strict=True)}


def write_page(path: str | Path, sections: dict[str, str]) -> None:
    """Replace the text of a page between ``<!-- measured: NAME -->`` and ``<!-- end -->`` by the section NAME.

    Raises:
        ValueError: if the page does not have exactly one such place for a section.
        OSError: if the page cannot be read or written.
    """
    text = Path(path).read_text(encoding="utf-8")
    for name, section in sections.items():
        found = re.compile(rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        parts = found.split(text)
        if (count := len(parts) // 3) != 1:
            raise ValueError(f"{path}: '<!-- measured: {name} -->' … '<!-- end -->' is there {count} times, not once")
        text = "".join([*parts[:2], f"\n{section}\n\n", *parts[2:]])
    write_atomically(path, text.encode())


def _setting(figures: Figures) -> str:
    return (
        f"{figures['deals']:,} mirrored deals of seed {figures['seed']} for each pair, `{figures['game']}`; ± is the "
        f"95 % interval, paired over deals:\n\n```sh\n{figures['command']}\n```"
    )


def _luck(figures: Figures) -> str:
    rows = []
    for one in figures["luck"]:
        shares, both = one["shares"], one["both"]
        rows.append(
            [
                f"`{one['pair'][0]}` against `{one['pair'][1]}`",
                _rate(one),
                f"{100 * shares['cards']:.0f} % ({_range(one['cards_interval'])})",
                *(f"{100 * shares[name]:.0f} %" for name in ("skill", "play")),
                *(f"{100 * both[name]:.0f} %" for name in ("seat", "first", "second")),
            ]
        )
    header = (
        "agents",
        "games won by the first",
        "the cards",
        "skill",
        "play of these cards",
        "one seat wins both games",
        "the first agent wins both",
        "the second wins both",
    )
    return markdown_table(header, rows)


def _stock(figures: Figures) -> str:
    one = figures["stock"]
    return (
        f"The hands and the first open card account for {100 * one['hands']:.0f} % ({_range(one['hands_interval'])}) "
        f"of a game's variance, the order of the stock for {100 * one['stock']:.0f} % (`{one['pair'][0]}` against "
        f"`{one['pair'][1]}`, exact endgames, {one['deals']:,} hands with {one['orders']} orders of the stock each)."
    )


def _separation(figures: Figures) -> str:
    rows = [
        [
            f"{100 * one['rate']:.0f} %",
            f"{one['deals']:,}",
            f"{2 * one['deals']:,}",
            f"{one['games']:,}",
            f"{one['spread']:.3f} (`{one['pair'][0]}` against `{one['pair'][1]}`)",
        ]
        for one in figures["separation"]
    ]
    header = (
        "games won by the stronger",
        "mirrored deals",
        "that is games",
        "games without mirroring",
        "standard deviation of a mirrored deal",
    )
    return markdown_table(header, rows)


def _stages(figures: Figures) -> str:
    rows = [
        [
            f"`{one['agent']}`",
            *(cell for stage in ("endgame", "foreplay") for cell in (_rate(one[stage]), _tricks(one[stage]))),
        ]
        for one in figures["stages"]
    ]
    header = (
        "agent",
        "`AGENT+exact` against it: games won",
        "margin",
        f"`{figures['foreplay']}` against `AGENT+exact`: games won",
        "margin",
    )
    return markdown_table(header, rows)


def _ladder(figures: Figures) -> str:
    table = figures["standings"]
    rows = []
    for place, one in enumerate(table["agents"], 1):
        low, high = one["interval"]
        rows.append(
            [
                place,
                f"`{one['agent']}`",
                f"{one['rating']:+z.0f}",
                "unbounded" if low is None or high is None else f"{low:+z.0f} to {high:+z.0f}",
                f"{100 * one['nash_average']:+z.1f} %",
            ]
        )
    upsets = "; ".join(
        f"`{table['agents'][one['winner']]['agent']}` beats `{table['agents'][one['loser']]['agent']}`"
        + ("" if one["is_certain"] else " (within the interval)")
        for one in table["upsets"]
    )
    ending = f"Against the order: {upsets}." if upsets else "Nobody beats an agent with a higher rating."
    return markdown_table(("", "agent", "Elo", "95 % interval", "Nash average"), rows) + f"\n\n{ending}"


def _record(figures: Figures) -> str:
    strongest = figures["standings"]["agents"][0]["agent"]
    rows = [[f"`{one['beaten']}`", _rate(one), _tricks(one), f"`{one['command']}`"] for one in figures["record"]]
    header = (f"`{strongest}` against", "games won", "margin", "play it again")
    return markdown_table(header, rows)


def _range(interval: tuple[float, float]) -> str:
    return f"{100 * interval[0]:.0f} to {100 * interval[1]:.0f}"


def _rate(one: Figures) -> str:
    return f"{100 * one['win_rate']:.1f} % ± {50 * _width(one['interval']):.1f}"


def _tricks(one: Figures) -> str:
    return f"{one['margin']:+z.2f} ± {_width(one['margin_interval']) / 2:.2f}"


def _width(interval: tuple[float | None, float | None]) -> float:
    low, high = interval
    return float("inf") if low is None or high is None else high - low
