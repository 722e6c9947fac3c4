"""What can be written where an agent is wanted, and how strong agents are."""

from __future__ import annotations

import json

from german_whist.agents.registry import NETWORK_SETTINGS, USAGES
from german_whist.evaluation.benchmark import PROTOCOL
from tools.markdown import markdown_table, plain
from tools.reference_pages import REFERENCE


def names() -> str:
    """Return a table of the kinds of agents and of what can be added to any."""
    rows = ((f"`{usage}`", plain(description)) for usage, description in USAGES.values())
    return f"{markdown_table(('name', 'play'), rows)}\n\nSETTINGS of networks: {NETWORK_SETTINGS}."


def leaderboard() -> str:
    """Return a table of the leaderboard's entries, the strongest first.

    Each is a file: the output of ``benchmark --json``, with ``command`` and ``by``.

    Raises:
        ValueError: if an entry is of another protocol.
    """
    entries = [json.loads(file.read_text(encoding="utf-8")) for file in (REFERENCE / "leaderboard").glob("*.json")]
    if others := {entry["protocol"] for entry in entries} - {PROTOCOL}:
        raise ValueError(f"protocol: {sorted(others)}, not {PROTOCOL}")
    rows = []
    for entry in sorted(entries, key=lambda entry: (-entry["rating"], entry["agent"])):
        low, high = entry["interval"]
        rating, interval = f"{entry['rating']:.0f}", f"{low:.0f} to {high:.0f}"
        rows.append((f"`{entry['agent']}`", rating, interval, f"`{entry['command']}`", plain(entry["by"])))
    return markdown_table(("agent", "Elo", "95 % interval", "command", "by"), rows)
