"""The figures of ``endgame_facts`` as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Facts = dict[str, Any]
Cell = Callable[[Facts], str]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _percent(estimate: dict[str, float], sign: str = "") -> str:
    return f"{100 * estimate['mean']:{sign}.1f} % ± {100 * estimate['half']:.1f}"


def _tricks(estimate: dict[str, float], sign: str = "") -> str:
    return f"{estimate['mean']:{sign}.2f} ± {estimate['half']:.2f}"


def markdown(facts: Facts) -> str:
    """Return the tables, one after the other."""
    parts = [_values(facts["values"]), _distribution(facts["values"]), _errors(facts["errors"]), _added(facts)]
    said = f"{facts['deals']:,} endings or mirrored deals each, seed {facts['seed']}; ± is the 95 % interval."
    return "\n\n".join([*parts, said])


def _values(values: Facts) -> str:
    def gains(low: int, high: int) -> Cell:
        return lambda facts: _share(sum(share for gain, share in facts["lead_gains"].items() if low <= gain <= high))

    rows: list[tuple[str, Cell]] = [
        ("the leader's tricks, mean", lambda facts: _tricks(facts["mean_tricks"])),
        ("their standard deviation", lambda facts: f"{facts['deviation']:.2f}"),
        ("the leader takes seven or more", lambda facts: _percent(facts["leader_wins"])),
        ("tricks gained by leading, not following", lambda facts: _tricks(facts["lead_gain"], "+")),
        ("… a trick lost", gains(-13, -1)),
        ("… nothing", gains(0, 0)),
        ("… one trick", gains(1, 1)),
        ("… two", gains(2, 2)),
        ("… three or more", gains(3, 13)),
        ("who leads decides who wins", lambda facts: _percent(facts["lead_decides"])),
    ]
    header = ["13 cards each, perfect play", *values]
    return _table(header, [[name, *map(cell, values.values())] for name, cell in rows])


def _distribution(values: Facts) -> str:
    count = len(next(iter(values.values()))["tricks"])
    rows = [[name, *(f"{100 * share:.1f}" for share in facts["tricks"])] for name, facts in values.items()]
    return _table(["the leader's tricks, % of endings", *map(str, range(count))], rows)


def _errors(errors: Facts) -> str:
    rows = [
        [
            f"`{spec}`",
            _share(facts["choices_wrong"]),
            _percent(facts["hands_with_errors"]),
            _tricks(facts["tricks_lost"]),
            _percent(facts["winner_changed"]),
        ]
        for spec, facts in errors.items()
    ]
    header = ["bot", "choices that lose a trick", "hands with such", "tricks lost a hand", "the wrong side wins"]
    return _table(header, rows)


def _added(facts: Facts) -> str:
    rows = [
        [
            f"`{spec}`",
            _percent(facts["exact"][spec]["win_rate"]),
            _tricks(facts["exact"][spec]["margin"], "+"),
            _percent(facts["tie_break"][spec]["win_rate"], "+"),
            _tricks(facts["tie_break"][spec]["margin"], "+"),
        ]
        for spec in facts["exact"]
    ]
    header = [
        "bot",
        "`BOT+exact` against `BOT`: games won",
        "tricks a deal",
        "`heuristic+exact` against `BOT`: the tie-break adds games",
        "and tricks a deal",
    ]
    return _table(header, rows)
