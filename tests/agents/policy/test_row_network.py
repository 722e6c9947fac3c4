"""Networks in kernels: the logits of the batched forward pass, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.row_network import RowNetwork, best_action, probability, write_logits
from german_whist.agents.pretrained import load_pretrained
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from tests.agents.networks import universal_network
from tests.conftest import play_randomly


def evaluate(network: RowNetwork, view: Any) -> None:
    network.views[0] = view
    write_logits(network, 1)


def action(network: RowNetwork, view: Any) -> int:
    evaluate(network, view)
    return int(best_action(network, 0))


def test_a_network_in_kernels_is_the_network() -> None:
    checkpoint = load_pretrained("small")
    network, agent = RowNetwork.of(checkpoint, checkpoint.rules), PolicyAgent(checkpoint)
    batch = DealBatch(checkpoint.rules, 40, seed=8)
    rng = np.random.default_rng(8)
    for _ in range(5):
        views = batch.views()
        assert [action(network, view) for view in views] == agent.act(views, None).tolist()
        advantages = agent.advantages(views)
        assert advantages is not None
        for view, row in zip(views[:8], advantages, strict=False):
            evaluate(network, view)
            legal = [card for card in range(52) if int(view["legal"]) >> card & 1]
            encoded = network.relabeling[0, 52:104]
            best = max(network.logits[0, encoded[card]] for card in legal)
            assert checkpoint.logits_per_trick is not None
            found = [
                np.float64(network.logits[0, encoded[card]] - best) / checkpoint.logits_per_trick for card in legal
            ]
            assert found == row[legal].tolist()
        play_randomly(batch, rng, 5)


@pytest.mark.parametrize("game", ["classic", "draft", "race"])
def test_a_network_for_every_game_plays_in_kernels_as_in_batches(game: str) -> None:
    checkpoint = universal_network()
    network, agent = RowNetwork.of(checkpoint, rules(game)), PolicyAgent(checkpoint, rules=rules(game))
    batch = DealBatch(game, 40, seed=8)
    for steps in (0, 5):
        play_randomly(batch, np.random.default_rng(8), steps)
        views = batch.views()
        assert [action(network, view) for view in views] == agent.act(views, None).tolist()


def test_probabilities_are_the_softmax_of_advantages() -> None:
    checkpoint = load_pretrained("small")
    network, agent = RowNetwork.of(checkpoint, checkpoint.rules), PolicyAgent(checkpoint)
    views = DealBatch("classic", 10, seed=2).views()
    advantages = agent.advantages(views)
    assert advantages is not None
    for view, row in zip(views, advantages, strict=True):
        legal = np.flatnonzero(np.isfinite(row))
        evaluate(network, view)
        found = [probability(network, 0, card, 0.3) for card in legal]
        expected = np.exp(row[legal] / 0.3)
        assert found == pytest.approx((expected / expected.sum()).tolist(), rel=1e-6)
        assert sum(found) == pytest.approx(1)
