"""Hints: what to play, why, and what the opponent may hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.inference.belief import Belief, beliefs
from german_whist.agents.judge import ROLLOUTS, WORLDS, Advice, advise, judge_action, judge_of, searches
from german_whist.envs.agent import Agent, Histories, Views
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.cards import NUM_CARDS, SUIT_SIZE, SUITS, cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.text.words import action_name, tricks_text
from german_whist.session import schema
from german_whist.session.catalogue import agent_title
from german_whist.session.coach.reasons import reason
from german_whist.session.deal.position import high_to_low
from german_whist.session.deal.table_deal import TableDeal


def hint(deal: TableDeal, seed: int = 0, worlds: int = WORLDS, judge: Agent | None = None) -> schema.Hint:
    """Return a hint for the seat to act, from what it knows alone.

    Args:
        deal: the deal.
        seed: seed of the sampled worlds; it must not depend on hidden cards.
        worlds: number of worlds.
        judge: what judges the actions before the endgame; by default the strongest for the game.
    """
    return hint_of(deal.views(deal.turn), deal.rules, seed, worlds, judge, deal.batch.history(seats=[deal.turn]))


def hint_of(
    views: Views,
    rules: Rules,
    seed: int = 0,
    worlds: int = WORLDS,
    judge: Agent | None = None,
    histories: Histories | None = None,
) -> schema.Hint:
    """Return a hint for a view of the seat to act, a ``VIEW`` array of shape (1,), with or without its history.

    The other arguments are those of :func:`hint`.
    """
    agent = judge_of(rules, worlds) if judge is None else judge
    advice = advise(views, rules, worlds, seed, histories, agent)[0]
    best = advice.actions[0]
    hand = int(views["unseen"][0] | views["opponent_known"][0]) if advice.exact else None
    return {
        "by": advice.judge,
        "by_title": agent_title(advice.judge),
        "by_text": _judge_text(advice, searches(agent)),
        "action": action_text(best, rules),
        "name": action_name(best, rules),
        "reason": reason(views[0], rules, advice),
        "exact": advice.exact,
        "win": _rounded(advice.wins[0]),
        "options": options(advice, rules),
        "opponent": None if advice.exact else _suits(holdings(rules, views, agent, seed, histories), rules),
        "opponent_hand": None if hand is None else high_to_low(hand),
    }


def _suits(belief: Belief, rules: Rules) -> dict[str, schema.Holding]:
    return {
        suit: {"expected": _rounded(belief.expected[0, place]), "void": _rounded(belief.void[0, place])}
        for place, suit in enumerate(SUITS[: rules.suits])
    }


def _judge_text(advice: Advice, is_search: bool) -> str:
    """Return where the advice comes from, and what it is after."""
    if advice.exact:
        return "Exact: both hands are known."
    if advice.judge == ROLLOUTS:
        return "By playing on in sampled worlds, for the most tricks."
    title = agent_title(advice.judge)
    return f"By {title}: the win comes first, then tricks." if is_search else f"By {title}."


def options(advice: Advice, rules: Rules) -> list[schema.Option]:
    """Return the legal actions with their values, the best first."""
    columns = zip(advice.actions, advice.tricks, advice.lost, advice.wins, advice.trick, strict=True)
    return [
        {
            "action": action_text(action, rules),
            "name": action_name(action, rules),
            "tricks": _rounded(tricks),
            "tricks_given_away": _rounded(max(0.0, lost)),
            "win": _rounded(win),
            "label": judge_action(advice, action).label,
            "trick": None if math.isnan(trick) else _rounded(trick),
            "text": tricks_text(tricks, exact=advice.exact),
        }
        for action, tricks, lost, win, trick in columns
    ]


def _rounded(value: float) -> float:
    return round(float(value), 3)


def holdings(rules: Rules, views: Views, agent: Agent | None, seed: int, histories: Histories | None) -> Belief:
    """Return beliefs about the opponent's suits, weighted by how it has played if the agent searches.

    A search gives the probability of each card. The chance of a void is that of equally likely hands, times the ratio
    of the products of the cards' chances to be missing under both beliefs; this treats the cards of a suit as
    independent of each other.

    Args:
        rules: the rules.
        views: ``VIEW`` array of shape (n,), each of a seat to act.
        agent: the judge, if there is one.
        seed: seed of its search.
        histories: event histories of these views; without them all hands are equally likely.
    """
    uniform = beliefs(views, rules)
    if histories is None or not searches(agent) or opponent_hand_known(views).all():
        return uniform
    searcher: Any = agent
    weighted, equal = searcher.card_probabilities(views, np.random.default_rng(seed), histories)
    by_suit = (len(views), -1, SUIT_SIZE)
    known = np.zeros((len(views), NUM_CARDS))
    for row, view in enumerate(views):
        known[row, list(cards_of(int(view["opponent_known"])))] = 1
    expected = (weighted + known).reshape(by_suit).sum(axis=2)
    missing = np.where(equal < 1, (1 - weighted) / np.maximum(1 - equal, 1e-9), 1.0)
    void = np.clip(uniform.void * missing.reshape(by_suit).prod(axis=2), 0, 1)
    return Belief(expected, void)
