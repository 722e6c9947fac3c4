"""What a step of a network in training is, and its state."""

from __future__ import annotations

from typing import Any

import torch

from german_whist.agents.policy.network.mlp import MLP
from german_whist.training.policy_iteration.trained_network import MAX_GRAD_NORM, TrainedNetwork
from german_whist.training.processes import Processes
from tests.training.policy_iteration_runs import small_config

RATE = 0.01


def trained(seed: int = 3, **changes: Any) -> TrainedNetwork:
    torch.manual_seed(seed)
    return TrainedNetwork("it", MLP(torch.ones(12), [20, 8], 5, 1.0), small_config(**changes), Processes())


def step(it: TrainedNetwork, seed: int, scale: float = 1.0) -> None:
    features = torch.randn((32, 12), generator=torch.Generator().manual_seed(seed))
    it.step(scale * ((it.network(features) - 1) ** 2).mean(), 32, RATE)


def test_muon_and_adam_steps() -> None:
    it = trained()
    before = [weight.detach().clone() for weight in it.network.parameters()]
    step(it, seed=1)
    after = [weight.detach() for weight in it.network.parameters()]
    for number, (new, old) in enumerate(zip(after, before, strict=True)):
        change = new - old
        if number not in (0, 2):  # 4 is the weight of the last layer, the odd ones are biases
            assert torch.allclose(change.abs()[change != 0], torch.tensor(RATE), rtol=0.1)  # Adam's first step
            continue
        turned = torch.linalg.svdvals(change) / (0.2 * RATE * max(change.shape) ** 0.5)
        assert turned.min() > 0.5  # Newton and Schulz stop between 0.7 and 1.2, but for directions that hardly count
        assert turned.max() < 1.3


def test_gradients_are_clipped_to_a_norm() -> None:
    it = trained()
    step(it, seed=1, scale=1e3)
    gradients = [weight.grad for weight in it.network.parameters() if weight.grad is not None]
    norm = torch.sqrt(torch.stack([(gradient**2).sum() for gradient in gradients]).sum())
    torch.testing.assert_close(norm, torch.tensor(MAX_GRAD_NORM))
