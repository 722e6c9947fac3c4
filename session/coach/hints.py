"""Hints: what to play, why, and what the opponent may hold, as plain data."""

from __future__ import annotations

import math
from typing import Any

from german_whist.agents.bots.base import Agent
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.cards import SUITS
from german_whist.envs.engine.rules import Rules
from german_whist.session.coach.advice import ROLLOUTS, Advice, advise
from german_whist.session.coach.holdings import holdings
from german_whist.session.coach.judges import judge_of, searches
from german_whist.session.coach.reasons import reason
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.words import action_name
from german_whist.session.levels import agent_title

WORLDS = 256  # a hint takes less than a second on one core


def hint(deal: TableDeal, seed: int = 0, worlds: int = WORLDS, judge: Agent | None = None) -> dict[str, Any]:
    """Return a hint for the seat to act, from what it knows alone.

    Args:
        deal: the deal.
        seed: seed of the sampled worlds; it must not depend on hidden cards.
        worlds: number of worlds.
        judge: what judges the actions before the endgame; by default the strongest for the game.
    """
    views, histories = deal.views(deal.turn), deal.batch.history(seats=[deal.turn])
    agent = judge_of(deal.rules, worlds) if judge is None else judge
    advice = advise(views, deal.rules, worlds, seed, histories, agent)[0]
    belief = holdings(views, agent, seed, histories)
    best = advice.actions[0]
    return {
        "by": advice.judge,
        "by_title": agent_title(advice.judge),
        "by_text": _judge_text(advice, searches(agent)),
        "action": action_text(best, deal.rules),
        "name": action_name(best, deal.rules),
        "reason": reason(views[0], deal.rules, advice),
        "exact": advice.exact,
        "win": _rounded(advice.wins[0]),
        "options": options(advice, deal.rules),
        "opponent": {
            suit: {"expected": _rounded(belief.expected[0, place]), "void": _rounded(belief.void[0, place])}
            for place, suit in enumerate(SUITS[: deal.rules.suits])
        },
    }


def _judge_text(advice: Advice, is_search: bool) -> str:
    """Return where the advice comes from, and what it is after."""
    if advice.exact:
        return "Exact: both hands are known."
    if advice.judge == ROLLOUTS:
        return "By playing on in sampled worlds, for the most tricks."
    title = agent_title(advice.judge)
    return f"By {title}: the win comes first, then tricks." if is_search else f"By {title}."


def options(advice: Advice, rules: Rules) -> list[dict[str, Any]]:
    """Return the legal actions with their values as plain data, the best first."""
    return [
        {
            "action": action_text(action, rules),
            "name": action_name(action, rules),
            "value": _rounded(margin),
            "cost": _rounded(advice.cost(action)[0]),
            "win": _rounded(win),
            "best": advice.is_best(action),
            "trick": None if math.isnan(trick) else _rounded(trick),
            "text": f"{margin:+g} tricks" if advice.exact else f"{margin:+z.1f} tricks",
        }
        for action, margin, win, trick in zip(advice.actions, advice.margins, advice.wins, advice.trick, strict=True)
    ]


def _rounded(value: float) -> float:
    return round(float(value), 3)
