"""The kernels of the page play as those of Python do: recorded deals, replayed byte by byte."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import load_pretrained, rounded_network
from german_whist.game.rules import rule_names
from german_whist.simulator.batch import DealBatch
from german_whist.table.page_data import NETWORKS, page_rules
from tests.table.node import needs_node
from tests.table.replay import BLOCK, blocks, replay


@needs_node
@pytest.mark.parametrize("deals", [BLOCK * len(page_rules()), pytest.param(100_000, marks=pytest.mark.nightly)])
def test_deals_of_every_game_without_a_difference(deals: int) -> None:
    assert set(rule_names()) <= set(page_rules())
    assert replay(blocks(deals)).startswith(f"{deals:,} deals")


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("spec", ["classic", "no_trump"])
def test_rounded_weights_give_nothing_away(spec: str, name: str) -> None:
    """What the network itself says that the choices of the rounded one cost, in tricks a deal."""
    batch = DealBatch(spec, 200, seed=3)
    network = PolicyAgent(load_pretrained(name), rules=batch.rules)
    rounded = PolicyAgent(rounded_network(name), rules=batch.rules)
    lost = 0.0
    while batch.states["face_up"].any() or (batch.states["top"] < batch.rules.record["cards"]).any():
        decisions = batch.decisions()
        actions = rounded.act(decisions)
        found = network.evaluate(decisions, "action_values").action_values
        assert found is not None
        lost -= found.margin_gains[np.arange(batch.size), actions].sum() / batch.size
        batch.step(actions)
    assert 0 < lost < 0.05
