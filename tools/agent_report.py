"""The results of ``agent_strength`` as Markdown tables."""

from __future__ import annotations

from typing import Any

from german_whist.agents.pretrained import win_rate
from tools.markdown import markdown_table
from tools.model_cards import ENDGAMES, against, margin

Results = dict[str, Any]


def markdown(report: Results) -> str:
    """Return the tables as one document."""
    agent = report["agent"]
    matches = [
        [against(opponent), f"{result['deals']:,}", result["endgame"], win_rate(result), margin(result)]
        for opponent, result in report["results"].items()
    ]
    seats = [[name, f"{seat['games']:,}", win_rate(seat)] for name, seat in report["seats"].items()]
    hands = [
        [entry["hands"], win_rate(entry["agent"]), win_rate(entry["heuristic"]), win_rate(entry["gain"], "+")]
        for entry in report["hands"]
    ]
    return "\n\n".join(
        [
            markdown_table([f"`{agent}` against", "mirrored deals", "endgame", "games won", "margin"], matches),
            markdown_table([f"`{agent}` against `heuristic`, exact endgame", "games", "games won"], seats),
            markdown_table(
                ["hand dealt", f"`{agent}` wins against `heuristic`", "`heuristic` wins against itself", "skill"], hands
            ),
            f"Game `{report['rules']}`, seed {report['seed']}; ± is the 95 % interval. {ENDGAMES} Hands are ranked by "
            "the sum of their card values.",
        ]
    )
