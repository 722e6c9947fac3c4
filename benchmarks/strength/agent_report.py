"""The figures of ``strength`` as Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from german_whist.agents.pretrained.model_cards import ENDGAMES, against, margin, win_rate

Facts = dict[str, Any]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, ["---"] * len(header), *rows])


def _rate(facts: Facts, sign: str = "") -> str:
    if facts["win_rate"] is None:
        return "—"
    low, high = facts["interval"] or (None, None)
    spread = "" if low is None else f" ± {50 * (high - low):.1f}"
    return f"{100 * facts['win_rate']:{sign}.1f} %{spread}"


def markdown(facts: Facts) -> str:
    """Return the tables, one after the other."""
    agent = facts["agent"]
    matches = [
        [against(opponent), f"{result['deals']:,}", result["endgame"], win_rate(result), margin(result)]
        for opponent, result in facts["results"].items()
    ]
    seats = [[name, f"{seat['games']:,}", _rate(seat)] for name, seat in facts["seats"].items()]
    hands = [
        [entry["hands"], _rate(entry["agent"]), _rate(entry["heuristic"]), _rate(entry["gain"], "+")]
        for entry in facts["hands"]
    ]
    return "\n\n".join(
        [
            _table([f"`{agent}` against", "mirrored deals", "endgame", "games won", "tricks a deal"], matches),
            _table([f"`{agent}` against `heuristic`, exact endgame", "games", "games won"], seats),
            _table(
                ["hand dealt", f"`{agent}` wins against `heuristic`", "`heuristic` wins against itself", "skill"], hands
            ),
            f"Game `{facts['rules']}`, seed {facts['seed']}; ± is the 95 % interval. {ENDGAMES} Hands are graded by "
            "the summed worth of their cards.",
        ]
    )
