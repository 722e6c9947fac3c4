"""Results of matches as tables in the terminal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from german_whist.arena.match import result_cells, result_note
from german_whist.arena.statistics import percent
from german_whist.cli.terminal import table_console
from german_whist.envs.utils.specs import printable

if TYPE_CHECKING:
    from german_whist.arena.match import MatchResult, SeriesResult
    from german_whist.arena.sprt import SPRTResult
    from german_whist.arena.tournament.play import Tournament
    from german_whist.envs.agent import Agent

    Result = MatchResult | SeriesResult

_MAX_REASONS = 8


def agent_labels(specs: Sequence[str], agents: Sequence[Agent]) -> list[str]:
    """Return the names of agents for a table, numbered where two agents share one."""
    names = [str(getattr(agent, "name", spec)) for spec, agent in zip(specs, agents, strict=True)]
    return [name if names.count(name) == 1 else f"{name} #{i + 1}" for i, name in enumerate(names)]


def print_results_json(specs: Sequence[str], results: Mapping[tuple[int, int], Result]) -> None:
    """Print the matches of agents i and j as JSON, with the agents as they were given."""
    matches = [{**result.to_dict(), "first": specs[i], "second": specs[j]} for (i, j), result in results.items()]
    print(json.dumps({"matches": matches}))


def print_results(results: Sequence[Result], title: str) -> None:
    """Print one line per match."""
    table = Table(title=title, title_justify="left", title_style="bold")
    rows = [result_cells(result) for result in results]
    for heading in rows[0]:
        table.add_column(heading, justify="left" if heading in ("agent", "opponent") else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row.values()))  # a file's name may look like markup
    table_console().print(table)
    _print_note(results[0])


def print_cross_table(labels: Sequence[str], results: Mapping[tuple[int, int], Result], title: str) -> None:
    """Print every agent (rows) against every other (columns).

    Args:
        labels: names of the agents, in the order of the rows.
        results: the match of agents i and j for every i < j.
        title: title of the table.
    """
    table = Table(title=title, title_justify="left", title_style="bold")
    won = "matches" if hasattr(next(iter(results.values())), "match") else "games"
    table.add_column(f"{won} won by", overflow="fold")
    for label in labels:
        table.add_column(f"vs {escape(printable(label))}", justify="right", overflow="fold")
    for i, label in enumerate(labels):
        cells = []
        for j in range(len(labels)):
            if i == j:
                cells.append("—")
                continue
            result = results[min(i, j), max(i, j)]
            low, high = result.interval
            rate, interval = (result.win_rate, (low, high)) if i < j else (1 - result.win_rate, (1 - high, 1 - low))
            cells.append(percent(rate, interval))
        table.add_row(escape(printable(label)), *cells)
    table_console().print(table)
    _print_note(next(iter(results.values())))


def _print_note(result: Result) -> None:
    table_console().print(result_note(result), style="dim", highlight=False, soft_wrap=True)


def print_forfeits(results: Sequence[Result | SPRTResult | Tournament]) -> None:
    """Print which games were lost without being played to the end, and why: one line for each agent and reason."""
    games = Counter((one.agent, one.reason) for result in results for one in getattr(result, "forfeits", ()))
    for (agent, reason), count in games.most_common(_MAX_REASONS):
        line = printable(f"{agent} lost {count} game{'s' * (count > 1)} unplayed: {reason}")
        table_console().print(line, style="red", highlight=False, markup=False, soft_wrap=True)
    if len(games) > _MAX_REASONS:
        rest = sum(games.values()) - sum(count for _, count in games.most_common(_MAX_REASONS))
        table_console().print(f"and {rest} more for other reasons (all of them: --json)", style="red", highlight=False)
