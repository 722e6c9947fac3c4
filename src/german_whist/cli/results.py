"""Results in the terminal: reports as framed tables that fit its width, or as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.markup import escape

from german_whist.cli.terminal import table_console
from german_whist.envs.utils.specs import printable
from german_whist.evaluation.match import result_note, results_table
from german_whist.evaluation.report import NAMES, Table
from german_whist.evaluation.statistics import percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from german_whist.envs.agent import Agent
    from german_whist.evaluation.match import MatchResult, SeriesResult

    Result = MatchResult | SeriesResult


def agent_labels(specs: Sequence[str], agents: Sequence[Agent]) -> list[str]:
    """Return the names of agents for a table, numbered if agents share a name."""
    names = [str(getattr(agent, "name", spec)) for spec, agent in zip(specs, agents, strict=True)]
    return [name if names.count(name) == 1 else f"{name} #{i + 1}" for i, name in enumerate(names)]


def print_results_json(specs: Sequence[str], results: Mapping[tuple[int, int], Result]) -> None:
    """Print the match of each pair of agents (i, j) as JSON, with the specifications as they were given."""
    matches = [{**result.to_dict(), "first": specs[i], "second": specs[j]} for (i, j), result in results.items()]
    print(json.dumps({"matches": matches}))


def print_report(parts: Sequence[Table | str]) -> None:
    """Print the tables and lines of a report."""
    from rich.table import Table as Framed

    console = table_console()
    for part in parts:
        if isinstance(part, str):
            console.print(printable(part), highlight=False, markup=False, soft_wrap=True)
            continue
        framed = Framed(title=escape(printable(part.title)), title_justify="left", title_style="bold")
        for heading in part.columns:
            framed.add_column(escape(heading), justify="left" if heading in NAMES else "right", overflow="fold")
        for row in part.rows:
            framed.add_row(*(escape(printable(cell)) for cell in row))  # a file's name may look like markup
        console.print(framed)
        for note in part.notes:
            console.print(note, style="dim", highlight=False, soft_wrap=True)


def print_results(results: Sequence[Result], title: str) -> None:
    """Print one line per match."""
    print_report([results_table(results, title)])


def print_cross_table(labels: Sequence[str], results: Mapping[tuple[int, int], Result], title: str) -> None:
    """Print every agent (rows) against every other (columns).

    Args:
        labels: names of the agents, in the order of the rows.
        results: the match of agents i and j for every i < j.
        title: title of the table.
    """
    won = "matches" if hasattr(next(iter(results.values())), "match") else "games"
    rows = []
    for i, label in enumerate(labels):
        cells = [label]
        for j in range(len(labels)):
            if i == j:
                cells.append("—")
                continue
            result = results[min(i, j), max(i, j)]
            low, high = result.interval
            rate, interval = (result.win_rate, (low, high)) if i < j else (1 - result.win_rate, (1 - high, 1 - low))
            cells.append(percent(rate, interval))
        rows.append(cells)
    columns = (f"{won} won by", *(f"vs {printable(label)}" for label in labels))
    print_report([Table(title, columns, rows, [result_note(next(iter(results.values())))])])
