"""What may the opponent hold? Expected numbers of cards by suit, and the chance that it has none."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.bots.base import Agent, Histories, Views
from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.inference.belief import Belief, beliefs
from german_whist.envs.engine.cards import NUM_CARDS, SUIT_SIZE, cards_of
from german_whist.session.coach.judges import searches


def holdings(views: Views, agent: Agent | None, seed: int, histories: Histories) -> Belief:
    """Return beliefs about the opponent's suits, weighted by how it has played if the agent searches.

    A search gives the probability of each card. The chance of a void is that of equally likely hands, times the ratio
    of the products of the cards' chances to be missing under both beliefs; this treats the cards of a suit as
    independent of each other.

    Args:
        views: ``VIEW`` array of shape (n,), each of a seat to act.
        agent: the judge, if there is one.
        seed: seed of its search.
        histories: event histories of these views.
    """
    uniform = beliefs(views)
    if not searches(agent) or opponent_hand_known(views).all():
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
