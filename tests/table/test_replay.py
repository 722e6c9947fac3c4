"""The engine of the page plays as Python does: recorded deals, replayed field by field."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import load_pretrained
from german_whist.envs.engine.rules import rule_names
from german_whist.envs.engine.state import STATE
from german_whist.envs.simulator.batch import DealBatch
from german_whist.table.page_data import NETWORKS, page_rules, rounded_network
from tests.table.replay import BLOCK, DifferenceError, blocks, replay

REQUIRED = os.environ.get("GERMAN_WHIST_BROWSER") == "required"

needs_node = pytest.mark.skipif(not (REQUIRED or shutil.which("node")), reason="node is not installed")


@needs_node
def test_five_thousand_deals_of_all_games_without_a_difference() -> None:
    assert set(rule_names()) <= set(page_rules())
    assert BLOCK * len(page_rules()) < 5000, "each game has its turn"
    assert replay(blocks(5000)).startswith("5,000 deals")


@needs_node
@pytest.mark.parametrize(
    ("column", "row", "place", "message"),
    [
        (
            "state",
            1,
            STATE.fields["turn"][1],
            r"^classic, deal 1 of seed 3, action 1: state\.turn\[0\] is",
        ),
        ("view1", 70, 0, r"^classic, deal 6 of seed 3, action 2: view of seat 1\.hand\[0\] is"),
        ("textbook", 0, 0, r"^classic, deal 0 of seed 3, action 1: textbook is"),
        ("advantage", 2, 1, r"^classic, deal 2 of seed 3, action 1: advantage is"),
        ("expected", 1, 3, r"^classic, deal 1 of seed 3, action 1: expected is"),
        ("margins", 0, 51, r"^classic, deal 0 of seed 3, action 27: margins\[51\] is"),
        ("points", 5, 7, r"^classic, deal 5 of seed 3, action 53: points is"),
    ],
)
def test_a_difference_names_field_game_and_deal(column: str, row: int, place: int, message: str) -> None:
    with pytest.raises(DifferenceError, match=message):
        replay([_changed(next(blocks(BLOCK, seed=3)), column, row, place)])


def _changed(block: bytes, column: str, row: int, place: int) -> bytes:
    """Return a block with one bit of a row of a column changed."""
    line = block.index(b"\n") + 1
    columns = json.loads(block[:line])["columns"]
    names = [one["name"] for one in columns]
    start = line + sum(one["size"] for one in columns[: names.index(column)])
    one = columns[names.index(column)]
    changed = bytearray(block)
    changed[start + one["size"] // one["rows"] * row + place] ^= 1
    return bytes(changed)


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("spec", ["classic", "no_trump"])
def test_rounded_weights_give_nothing_away(spec: str, name: str) -> None:
    """What the network itself says that the choices of the rounded one cost, in tricks a deal."""
    batch = DealBatch(spec, 200, seed=3)
    network = PolicyAgent(load_pretrained(name), rules=batch.rules)
    rounded = PolicyAgent(rounded_network(name), rules=batch.rules)
    lost = 0.0
    while batch.states["face_up"].any() or (batch.states["top"] < batch.rules.game["cards"]).any():
        views = batch.views()
        actions = rounded.act(views, None)
        advantages = network.advantages(views)
        assert advantages is not None
        lost -= advantages[np.arange(batch.size), actions].sum() / batch.size
        batch.step(actions)
    assert 0 < lost < 0.05
