"""A match in tensors has the margins of one in arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from german_whist.agents.policy.agent import _GpuNetwork
from german_whist.agents.pretrained import load_pretrained
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import play_match
from german_whist.game.utils.backend import TorchBackend
from german_whist.simulator.batch import DealBatch


@pytest.mark.parametrize(
    ("first", "second", "settings"),
    [
        ("small", "heuristic+exact", {}),
        ("small", "random", {"rules": "small"}),
        ("heuristic", "greedy", {"rules": "race", "endgame": "exact"}),
        ("random", "greedy", {"rules": "draft"}),
        ("greedy", "heuristic", {"rules": "humbug"}),
        ("greedy+exact", "heuristic+exact", {"rules": "humbug"}),  # whose endgame the solver does not finish
    ],
)
def test_match_matches_arrays(first: str, second: str, settings: dict[str, Any]) -> None:
    expected = play_match(first, second, deals=60, seed=5, first_deal=3, **settings)
    found = play_match(first, second, deals=60, seed=5, first_deal=3, device="cpu", batch_size=25, **settings)
    np.testing.assert_array_equal(found.margins, expected.margins)
    assert found == expected


def test_gpu_network_matches_cpu() -> None:
    agent = make_agent("small").network
    on_gpu = _GpuNetwork(load_pretrained("small"), agent.rules, TorchBackend("cpu"))
    arrays, tensors = DealBatch(agent.rules, 100), DealBatch(agent.rules, 100, device="cpu")
    for _ in range(20):
        actions = agent.act(arrays.views(), None)
        np.testing.assert_array_equal(on_gpu.act(tensors.views(), 0.0, None).numpy(), actions)
        numbers = np.random.default_rng(0), np.random.default_rng(0)
        warm = type(agent)(agent.checkpoint, 2.0)
        np.testing.assert_array_equal(
            on_gpu.act(tensors.views(), 2.0, numbers[0]).numpy(), warm.act(arrays.views(), numbers[1])
        )
        arrays.step(actions)
        tensors.step(torch.from_numpy(actions))
