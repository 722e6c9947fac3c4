"""Standings of a tournament in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from german_whist.cli.terminal.consoles import table_console

if TYPE_CHECKING:
    from german_whist.arena.tournament.standings import Standings


def print_standings(standings: Standings) -> None:
    """Print the ratings, the matrix of win rates, and who beats whom against the order."""
    from german_whist.arena.tournament.standings import game_text, pair_rate, rating_cells, upsets_text

    console = table_console(piped_width=200)
    table = Table(title=game_text(standings), title_justify="left", title_style="bold")
    for name in ("", "agent", "Elo", "95 % interval", "Nash weight", "Nash average"):
        table.add_column(name, justify="left" if name == "agent" else "right")
    places = range(len(standings.agents))
    for j in places:
        table.add_column(f"vs {j + 1}", justify="right")
    for i in places:
        rates = [pair_rate(standings, i, j) if i != j else "—" for j in places]
        table.add_row(str(i + 1), escape(standings.agents[i]), *rating_cells(standings, i), *rates)
    console.print(table)
    console.print(escape(upsets_text(standings)), highlight=False, soft_wrap=True)
    console.print(
        f"{standings.deals} mirrored deals of seed {standings.seed} for each pair; Elo by Bradley-Terry, mean 0, "
        "bootstrapped over deals; columns on the right: games won in %, ± is the 95 % interval",
        style="dim",
        highlight=False,
        soft_wrap=True,
    )
