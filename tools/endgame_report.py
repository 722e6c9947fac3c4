"""Endgame statistics as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tools.markdown import markdown_table

Statistics = dict[str, Any]
Cell = Callable[[Statistics], str]


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _percent(estimate: dict[str, float], sign: str = "") -> str:
    return f"{100 * estimate['mean']:{sign}.1f} % ± {100 * estimate['half']:.1f}"


def _tricks(estimate: dict[str, float], sign: str = "") -> str:
    return f"{estimate['mean']:{sign}.2f} ± {estimate['half']:.2f}"


def markdown(stats: Statistics) -> str:
    """Return the tables as one document."""
    parts = [
        _values(stats["values"]),
        _distribution(stats["values"]),
        _errors(stats["errors"]),
        _added(stats),
    ]
    footer = f"{stats['deals']:,} endgames or mirrored deals each, seed {stats['seed']}; ± is half the 95 % interval."
    return "\n\n".join([*parts, footer])


def _values(values: Statistics) -> str:
    def gains(low: int, high: int) -> Cell:
        return lambda stats: _share(sum(share for gain, share in stats["lead_gains"].items() if low <= gain <= high))

    rows: list[tuple[str, Cell]] = [
        ("the leader's tricks, mean", lambda stats: _tricks(stats["mean_tricks"])),
        ("their standard deviation", lambda stats: f"{stats['deviation']:.2f}"),
        ("the leader takes seven or more", lambda stats: _percent(stats["leader_wins"])),
        ("tricks gained by leading, not following", lambda stats: _tricks(stats["lead_gain"], "+")),
        ("… a trick is lost", gains(-13, -1)),
        ("… nothing", gains(0, 0)),
        ("… one trick", gains(1, 1)),
        ("… two", gains(2, 2)),
        ("… three or more", gains(3, 13)),
        ("the lead decides who wins", lambda stats: _percent(stats["lead_decides"])),
    ]
    header = ["13 cards each, perfect play", *values]
    return markdown_table(header, [[name, *map(cell, values.values())] for name, cell in rows])


def _distribution(values: Statistics) -> str:
    count = len(next(iter(values.values()))["tricks"])
    rows = [[name, *(f"{100 * share:.1f}" for share in stats["tricks"])] for name, stats in values.items()]
    return markdown_table(["the leader's tricks, % of endgames", *map(str, range(count))], rows)


def _errors(errors: Statistics) -> str:
    rows = [
        [
            f"`{spec}`",
            _share(stats["choices_wrong"]),
            _percent(stats["hands_with_errors"]),
            _tricks(stats["tricks_lost"]),
            _percent(stats["winner_changed"]),
        ]
        for spec, stats in errors.items()
    ]
    header = ["bot", "choices that lose a trick", "hands with an error", "tricks lost a hand", "the wrong side wins"]
    return markdown_table(header, rows)


def _added(stats: Statistics) -> str:
    rows = [
        [
            f"`{spec}`",
            _percent(stats["exact"][spec]["win_rate"]),
            _tricks(stats["exact"][spec]["margin"], "+"),
            _percent(stats["tie_break"][spec]["win_rate"], "+"),
            _tricks(stats["tie_break"][spec]["margin"], "+"),
        ]
        for spec in stats["exact"]
    ]
    header = [
        "bot",
        "`BOT+exact` against `BOT`: games won",
        "margin",
        "`heuristic+exact` against `BOT`: the tie-break adds games",
        "and margin",
    ]
    return markdown_table(header, rows)
