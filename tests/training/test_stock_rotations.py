"""Rotations of the unseen cards: as likely as the true order, and indistinguishable for the seat to act."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.agents.registry import make_agent
from german_whist.game.cards import cards_of
from german_whist.simulator.batch import DealBatch
from german_whist.training.policy_iteration.lookahead_kernels import count_rotations, write_rotation

GAMES = ["classic", "all", "no_trump", "small", "high_low", "open_stock", "draft", "race", "humbug", "tiny"]
GAMES += ["no_trump:open_stock=0", "small:open_stock=3"]


def moments(rules, size=12, agent="random"):
    """Yield the deals before every decision."""
    batch, bot, rng = DealBatch(rules, size, seed=5), make_agent(agent), np.random.default_rng(1)
    while not batch.done.all():
        yield batch
        decisions = batch.decisions(rng=rng)
        batch.step(bot.act(decisions), decisions.rows)


def rotations_of(batch, row, most):
    """Return a deal in all its rotations, as a batch."""
    game, state = batch.rules.record, batch.states[row]
    rotations = count_rotations(game[0], state, most)
    made = DealBatch(batch.rules, rotations)
    for rotation in range(rotations):
        made.states[rotation] = state
        write_rotation(game[0], state, rotation, rotations, made.states[rotation])
    return made


def places_of(batch):
    """For each deal the cards that the seat to act cannot place: the other's hand, and then the stock in order."""
    cards = batch.rules.record[0]["cards"]
    for state in batch.states:
        hand = int(state["hands"][1 - state["turn"]])
        yield hand, state["deck"][state["top"] : cards].tolist()


@pytest.mark.parametrize("rules", GAMES)
def test_rotations_give_same_view(rules):
    for batch in moments(rules):
        for row in np.flatnonzero(~batch.done):
            made = rotations_of(batch, row, 5)
            assert made.states[0] == batch.states[row]
            assert (made.views() == batch.views([row])[0]).all()
            whole = {(*cards_of(hand), *stock) for hand, stock in places_of(made)}
            assert len({frozenset(cards) for cards in whole}) == 1
            assert len({len(cards) for cards in whole}) == 1


@pytest.mark.parametrize("rules", ["classic", "small", "draft", "no_trump"])
def test_rotations_are_complete(rules):
    for batch in moments(rules, size=4):
        for row in np.flatnonzero(~batch.done):
            decks = np.array([stock for _, stock in places_of(rotations_of(batch, row, 52))])
            hands = [hand for hand, _ in places_of(rotations_of(batch, row, 52))]
            for place in decks.T:
                assert len(set(place)) == len(place)
            kept = set(cards_of(int(np.bitwise_and.reduce(np.array(hands, np.uint64)))))
            given = [set(cards_of(hand)) - kept for hand in hands]
            if decks.size and len(hands) > decks.shape[1]:  # a card of the other's hand lies among them
                assert sorted(card for cards in given for card in cards) == sorted({*decks.ravel()})
            else:
                assert not any(given)
