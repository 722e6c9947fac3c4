"""Results of a table's deals in English."""

from __future__ import annotations

from german_whist.envs.engine.rules import Rules
from german_whist.envs.text import events
from german_whist.envs.utils.specs import count_text
from german_whist.evaluation.recording import DealResult
from german_whist.session.deal.table_deal import TableDeal


def result_text(deal: TableDeal, names: tuple[str, str]) -> tuple[int | None, str]:
    """Return the winning seat of a finished deal, ``None`` for a draw, and the result as ``You win 8 to 5``."""
    if deal.forfeit is not None:
        loser, reason = deal.forfeit
        return 1 - loser, events.forfeit_text(loser, reason, names)
    result = deal.result()
    return events.result_text(result.tricks, result.margin, deal.rules, names, low=bool(deal.state["low"]))


def result_sentence(result: DealResult, rules: Rules, low: bool, names: tuple[str, str]) -> str:
    """Return the result of a deal that was played to its end, with the points: ``You win 8 to 5: 3 points.``."""
    winner, text = events.result_text(result.tricks, result.margin, rules, names, low=low)
    return f"{text}." if winner is None else f"{text}: {count_text(abs(result.points), 'point')}."
