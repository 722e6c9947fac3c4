"""The result of a finished deal, in numbers and in words."""

from __future__ import annotations

from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.words import YOU


def counted_tricks(deal: TableDeal) -> tuple[int, int]:
    """Return the counted tricks that the seats have taken so far."""
    tricks = deal.state["tricks"]
    stages = tricks if deal.rules.counts == "all" else tricks[1:]
    return int(stages[:, 0].sum()), int(stages[:, 1].sum())


def result_text(deal: TableDeal, names: tuple[str, str]) -> tuple[int | None, str]:
    """Return the winning seat of a finished deal, ``None`` for a draw, and the result as ``You win 8 to 5``."""
    if deal.forfeit is not None:
        loser, reason = deal.forfeit
        verb = "win" if names[1 - loser] == YOU else "wins"
        return 1 - loser, f"{names[1 - loser]} {verb}: {names[loser]} forfeits the deal ({reason})"
    margin, taken = deal.result().margin, counted_tricks(deal)
    if not margin:
        return None, f"The deal is drawn, {taken[0]} {'trick' if taken[0] == 1 else 'tricks'} each"
    winner = 0 if margin > 0 else 1
    verb = "win" if names[winner] == YOU else "wins"
    text = f"{names[winner]} {verb} {taken[winner]} to {taken[1 - winner]}"
    return winner, f"{text}, played low" if deal.state["low"] else text
