"""Standings as files: JSON, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable
from pathlib import Path

from german_whist.arena.statistics import interval_text
from german_whist.arena.tournament.standings import Interval, Standings, Upset
from german_whist.envs.engine.rules import rules_from_dict
from german_whist.envs.text.rules_text import rules_spec
from german_whist.envs.utils.atomic_file import write_atomically


def write_report(standings: Standings, folder: str | Path) -> list[Path]:
    """Write ``standings.json``, ``standings.md``, ``ratings.csv`` and ``pairs.csv`` and return their paths.

    Raises:
        OSError: when a file cannot be written.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    files = {
        "standings.json": json.dumps(standings.to_dict(), indent=2) + "\n",
        "standings.md": standings_markdown(standings),
        "ratings.csv": ratings_csv(standings),
        "pairs.csv": pairs_csv(standings),
    }
    for name, text in files.items():
        write_atomically(target / name, text.encode())
    return [target / name for name in files]


def ratings_csv(standings: Standings) -> str:
    """Return one line per agent."""
    rows = zip(
        standings.agents,
        standings.ratings,
        *zip(*standings.intervals, strict=True),
        standings.nash_weights,
        standings.nash_averages,
        standings.versions,
        strict=True,
    )
    return _csv(("agent", "rating", "low", "high", "nash_weight", "nash_average", "version"), rows)


def pairs_csv(standings: Standings) -> str:
    """Return one line per ordered pair."""
    columns = ("first", "second", "deals", "win_rate", "low", "high", "margin", "margin_low", "margin_high")
    agents = standings.agents
    return _csv(
        columns,
        (
            (agents[i], agents[j], standings.deals, pair.win_rate, *pair.interval, pair.margin, *pair.margin_interval)
            for (i, j), pair in standings.pairs.items()
        ),
    )


def standings_markdown(standings: Standings) -> str:
    """Return the standings as a page."""
    places = range(len(standings.agents))
    lines = [
        "# Standings",
        "",
        f"{game_text(standings)}; {standings.deals} mirrored deals of seed {standings.seed} for each pair. ± is the "
        "95 % interval.",
        "",
        "| | agent | Elo | 95 % interval | Nash weight | Nash average |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for i in places:
        cells = (str(i + 1), _cell(standings.agents[i]), *rating_cells(standings, i))
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "Games won by the agent of the row, in %:", ""]
    lines += ["| | " + " | ".join(str(j + 1) for j in places) + " |", "| --- |" + " --- |" * len(places)]
    for i in places:
        rates = [pair_rate(standings, i, j) if i != j else "—" for j in places]
        lines.append(f"| {i + 1} {_cell(standings.agents[i])} | " + " | ".join(rates) + " |")
    lines += ["", upsets_text(standings), ""]
    return "\n".join(lines)


def game_text(standings: Standings) -> str:
    """Return which game was played."""
    game = rules_spec(rules_from_dict(standings.rules))
    return f"German Whist, {game}" + (", exact endgame" if standings.endgame == "exact" else "")


def upsets_text(standings: Standings) -> str:
    """Return who beats whom against the order."""
    if not standings.upsets:
        return "Nobody beats an agent with a higher rating."
    return "Against the order: " + "; ".join(upset_text(standings, one) for one in standings.upsets) + "."


def upset_text(standings: Standings, upset: Upset) -> str:
    """Return one pair that contradicts the order, in words."""
    rate = 100 * standings.pairs[upset.winner, upset.loser].win_rate
    doubt = "" if upset.is_certain else " (within the interval)"
    return f"{standings.agents[upset.winner]} beats {standings.agents[upset.loser]}, {rate:.1f} %{doubt}"


def rating_cells(standings: Standings, i: int) -> tuple[str, str, str, str]:
    """Return the Elo of agent i, its interval, its Nash weight and its Nash average, as text."""
    return (
        f"{standings.ratings[i]:+z.0f}",
        _rating_interval(standings.intervals[i]),
        f"{standings.nash_weights[i]:.2f}",
        f"{100 * standings.nash_averages[i]:+z.1f} %",
    )


def _rating_interval(interval: Interval) -> str:
    low, high = interval
    return f"{low:+z.0f} to {high:+z.0f}" if math.isfinite(high - low) else "unbounded"


def pair_rate(standings: Standings, i: int, j: int) -> str:
    """Return the games that agent i won against agent j in %, with the interval."""
    pair = standings.pairs[i, j]
    low, high = pair.interval
    return f"{100 * pair.win_rate:.1f} {interval_text(100 * pair.win_rate, (100 * low, 100 * high), 1)}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _csv(columns: tuple[str, ...], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    return text.getvalue()
