"""The result of a finished deal, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence

from german_whist.arena.recording import DealResult
from german_whist.envs.engine.rules import Rules
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.words import YOU, count_text


def counted_tricks(deal: TableDeal) -> tuple[int, int]:
    """Return the counted tricks that the seats have taken so far."""
    return _counted(deal.state["tricks"].tolist(), deal.rules)


def _counted(tricks: Sequence[Sequence[int]], rules: Rules) -> tuple[int, int]:
    """Return the counted tricks of the seats, given those of both stages."""
    stages = tricks if rules.counts == "all" else tricks[1:]
    return sum(stage[0] for stage in stages), sum(stage[1] for stage in stages)


def result_text(deal: TableDeal, names: tuple[str, str]) -> tuple[int | None, str]:
    """Return the winning seat of a finished deal, ``None`` for a draw, and the result as ``You win 8 to 5``."""
    if deal.forfeit is not None:
        loser, reason = deal.forfeit
        verb = "win" if names[1 - loser] == YOU else "wins"
        return 1 - loser, f"{names[1 - loser]} {verb}: {names[loser]} forfeits the deal ({reason})"
    return _played_text(deal.result(), deal.rules, bool(deal.state["low"]), names)


def result_sentence(result: DealResult, rules: Rules, low: bool, names: tuple[str, str]) -> str:
    """Return the result of a deal that was played to its end, with the points: ``You win 8 to 5: 3 points.``."""
    winner, text = _played_text(result, rules, low, names)
    return f"{text}." if winner is None else f"{text}: {count_text(abs(result.points), 'point')}."


def _played_text(result: DealResult, rules: Rules, low: bool, names: tuple[str, str]) -> tuple[int | None, str]:
    taken = _counted(result.tricks, rules)
    if not result.margin:
        return None, f"The deal is drawn, {count_text(taken[0], 'trick')} each"
    winner = 0 if result.margin > 0 else 1
    verb = "win" if names[winner] == YOU else "wins"
    text = f"{names[winner]} {verb} {taken[winner]} to {taken[1 - winner]}"
    return winner, f"{text}, played low" if low else text
