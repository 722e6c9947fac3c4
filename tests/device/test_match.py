"""A match in tensors has the margins of one in arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import load_pretrained
from german_whist.evaluation.match import play_match
from german_whist.simulator.batch import DealBatch


@pytest.mark.parametrize(
    ("first", "second", "settings"),
    [
        ("small", "heuristic+exact", {}),
        ("small", "random", {"rules": "small"}),
        ("heuristic", "greedy", {"rules": "race", "endgame": "exact"}),
        ("random", "greedy", {"rules": "draft"}),
        ("greedy", "heuristic", {"rules": "humbug"}),
        ("greedy+exact", "heuristic+exact", {"rules": "humbug"}),  # the solver does not finish its endgame
    ],
)
def test_match_matches_arrays(first: str, second: str, settings: dict[str, Any]) -> None:
    expected = play_match(first, second, deals=60, seed=5, first_deal=3, **settings)
    found = play_match(first, second, deals=60, seed=5, first_deal=3, device="cpu", batch_size=25, **settings)
    np.testing.assert_array_equal(found.margins, expected.margins)
    assert found == expected


def test_network_in_torch_matches_compiled_one() -> None:
    best, sampling = (PolicyAgent(load_pretrained("small"), temperature) for temperature in (0.0, 2.0))
    arrays, tensors = DealBatch(best.rules, 100), DealBatch(best.rules, 100, device="cpu")
    for _ in range(20):
        for agent in (sampling, best):
            actions = agent.act(arrays.decisions(rng=np.random.default_rng(0)))
            found = agent.act_with_torch(tensors.decisions(rng=np.random.default_rng(0)))
            np.testing.assert_array_equal(found.numpy(), actions)
        arrays.step(actions)
        tensors.step(torch.from_numpy(actions))
