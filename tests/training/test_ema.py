"""Networks that play with the moving average of their weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from german_whist.agents.policy.network.mlp import MLP, FrozenMLP
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.trained_network import TrainedNetwork
from german_whist.training.processes import Processes
from tests.training.policy_iteration_runs import small_config as config


def some_network() -> MLP:
    torch.manual_seed(4)
    return MLP(torch.linspace(0.5, 2, 3), [4], 2, 1.0)


def learn(averaged: TrainedNetwork, steps: int) -> list[np.ndarray]:
    """Take steps that lead to and fro, and return the last biases after each."""
    passed = []
    for _ in range(steps):
        goal = torch.randn((3, 2), generator=torch.Generator().manual_seed(averaged.steps))
        averaged.step(((averaged.network(torch.eye(3)) - goal) ** 2).mean(), 3, 0.1)
        passed.append(averaged.network.raw_layers()[-1][1])
    return passed


def averaged(settings: PolicyIterationConfig | None = None) -> TrainedNetwork:
    return TrainedNetwork("it", some_network(), settings or config(), Processes())


def test_ema_forgets_over_its_horizon():
    it = averaged(config(ema_horizon=640, batch_size=32, epochs=2))  # 16 positions a step
    learn(it, 600)
    former, weight = it.layers()[-1][1], learn(it, 1)[0]
    decay = np.exp(-16 / 640)
    np.testing.assert_allclose(it.layers()[-1][1], decay * former + (1 - decay) * weight, rtol=1e-4)
    assert np.abs(weight - former).max() > 0.01


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rows", [0, 1, 127, 128, 129, 1024, 1025, 2500])
def test_frozen_network_answers_in_float32(rows, kind):
    network = MLP(torch.linspace(0.5, 2, 30), [40, 20], 7, 1.0)
    network.compute_dtype = kind
    features = torch.randint(-2, 3, (rows, 30), dtype=torch.int8, generator=torch.Generator().manual_seed(rows))
    with torch.no_grad():
        expected = network(features)
    outputs = FrozenMLP(network)(features)
    assert outputs.dtype == torch.float32
    torch.testing.assert_close(outputs, expected, rtol=1e-4 if kind == torch.float32 else 0.05, atol=0.03)
