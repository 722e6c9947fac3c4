"""Results of matches as tables in the terminal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from german_whist.cli.terminal import table_console

if TYPE_CHECKING:
    from german_whist.arena.match import MatchResult, SeriesResult
    from german_whist.arena.sprt import SPRTResult
    from german_whist.arena.tournament.play import Tournament
    from german_whist.arena.variance_reduction import CorrectedResult

    Result = MatchResult | SeriesResult

_MAX_REASONS = 8


def percent(rate: float, interval: tuple[float, float]) -> str:
    """Return a rate with half the width of its interval, such as ``67.4 % ± 0.6``, or with a lopsided interval."""
    from german_whist.arena.statistics import interval_text

    return f"{100 * rate:.1f} % {interval_text(100 * rate, (100 * interval[0], 100 * interval[1]), 1)}"


def tricks(margin: float, interval: tuple[float, float]) -> str:
    """Return a margin in tricks with half the width of its interval, or with a lopsided interval."""
    from german_whist.arena.statistics import interval_text

    return f"{margin:+z.2f} {interval_text(margin, interval, 2, '+')}"


def print_results_json(specs: Sequence[str], results: Mapping[tuple[int, int], Result]) -> None:
    """Print the matches of agents i and j as JSON, with the agents as they were given."""
    matches = [{**result.to_dict(), "first": specs[i], "second": specs[j]} for (i, j), result in results.items()]
    print(json.dumps({"matches": matches}))


def print_results(results: Sequence[Result], title: str) -> None:
    """Print one line per match."""
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("agent")
    table.add_column("opponent")
    is_match = hasattr(results[0], "match")
    table.add_column("matches won" if is_match else "games won", justify="right")
    table.add_column("score margin" if is_match else "margin", justify="right")
    table.add_column("won / drawn / lost", justify="right")
    for result in results:
        table.add_row(
            escape(result.first),  # a file's name may look like markup
            escape(result.second),
            percent(result.win_rate, result.interval),
            tricks(result.margin, result.margin_interval),
            f"{result.wins} / {result.draws} / {result.losses}",
        )
    table_console().print(table)
    _print_explanation(results)


def print_variance_reduction(result: CorrectedResult) -> None:
    """Print a result corrected for the luck of the stock, and what the correction saves."""
    won, margin = percent(result.win_rate, result.interval), tricks(result.margin, result.margin_interval)
    print(f"variance reduction (value {result.value!r}): games won {won}, margin {margin}")
    print(
        f"as exact as {result.factor:.2f} times as many deals for the games won, "
        f"{result.margin_factor:.2f} for the margin"
    )


def print_cross_table(labels: Sequence[str], results: Mapping[tuple[int, int], Result], title: str) -> None:
    """Print every agent (rows) against every other (columns).

    Args:
        labels: names of the agents, in the order of the rows.
        results: the match of agents i and j for every i < j.
        title: title of the table.
    """
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("matches won by" if hasattr(next(iter(results.values())), "match") else "games won by")
    for label in labels:
        table.add_column(f"vs {escape(label)}", justify="right")
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
        table.add_row(escape(label), *cells)
    table_console().print(table)
    _print_explanation(list(results.values()))


def _print_explanation(results: Sequence[Result]) -> None:
    first: Any = results[0]
    is_match = hasattr(first, "match")
    played = f"{first.matches} mirrored matches" if is_match else f"{first.deals} mirrored deals"
    if not is_match and first.first_deal:
        played += f" from number {first.first_deal} on"
    table_console().print(
        f"{played} (each played twice, seats swapped), seed {first.seed}; "
        f"draws count half; ± is the 95 % interval, paired over {'matches' if is_match else 'deals'}",
        style="dim",
        highlight=False,
        soft_wrap=True,
    )


def print_forfeits(results: Sequence[Result | SPRTResult | Tournament]) -> None:
    """Print which games were lost without being played to the end, and why: one line for each agent and reason."""
    games = Counter((one.agent, one.reason) for result in results for one in getattr(result, "forfeits", ()))
    for (agent, reason), count in games.most_common(_MAX_REASONS):
        line = f"{agent} lost {count} game{'s' * (count > 1)} unplayed: {reason}"
        table_console().print(line, style="red", highlight=False, markup=False, soft_wrap=True)
    if len(games) > _MAX_REASONS:
        rest = sum(games.values()) - sum(count for _, count in games.most_common(_MAX_REASONS))
        table_console().print(f"and {rest} more for other reasons (all of them: --json)", style="red", highlight=False)
