"""Sentences and results in English, as people read them on the page and screen readers speak them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from german_whist.envs.engine.rules import Rules
from german_whist.envs.text.scene import clause
from german_whist.envs.utils.specs import count_text
from german_whist.evaluation.recording import DealResult
from german_whist.session.deal.table_deal import TableDeal


def sentence(name: str, words: str) -> str:
    """Return a sentence about a player, of the arguments of :func:`clause`."""
    return f"{clause(name, words)}."


def tricks_text(tricks: float, *, exact: bool = False) -> str:
    """Return a number of tricks as ``7.4 tricks``; a whole number as ``1 trick`` if it is known or rounds to one."""
    return count_text(tricks if exact else round(tricks, 1) + 0.0, "trick")


def counted_tricks(state: Any, rules: Rules) -> tuple[int, int]:
    """Return the counted tricks that the seats have taken in a state."""
    return _counted(state["tricks"].tolist(), rules)


def _counted(tricks: Sequence[Sequence[int]], rules: Rules) -> tuple[int, int]:
    """Return the counted tricks of the seats, given those of both stages."""
    stages = tricks if rules.counts == "all" else tricks[1:]
    return sum(stage[0] for stage in stages), sum(stage[1] for stage in stages)


def result_text(deal: TableDeal, names: tuple[str, str]) -> tuple[int | None, str]:
    """Return the winning seat of a finished deal, ``None`` for a draw, and the result as ``You win 8 to 5``."""
    if deal.forfeit is not None:
        loser, reason = deal.forfeit
        lost = clause(names[loser], "forfeit{s} the deal")
        return 1 - loser, f"{clause(names[1 - loser], 'win{s}')}: {lost} ({reason})"
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
    text = clause(names[winner], f"win{{s}} {taken[winner]} to {taken[1 - winner]}")
    return winner, f"{text}, played low" if low else text
