"""The networks of policy iteration, beside numpy and beside torch's own layers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from german_whist.agents.policy.network.mlp import MLP
from german_whist.simulator.observation.vector import observation_high, observation_layout
from german_whist.training.policy_iteration.networks import LOW_SCALE, feature_scale


def some_mlp(hidden: list[int], outputs: int = 5, features: int = 30) -> MLP:
    torch.manual_seed(3)
    made = MLP(torch.linspace(0.05, 2.0, features), hidden, outputs, 1.0)
    with torch.no_grad():
        for layer in made.linear_layers():
            layer.bias.normal_()
    return made


def some_features(rows: int = 40, features: int = 30) -> torch.Tensor:
    return torch.randint(0, 14, (rows, features), dtype=torch.int8, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(("kind", "tolerance"), [(torch.float32, 1e-5), (torch.bfloat16, 0.02)])
def test_plain_layers_agree(kind: torch.dtype, tolerance: float) -> None:
    network, features = some_mlp([16, 12]), some_features()
    plain = nn.Sequential()
    for layer in network.linear_layers():
        plain.extend([nn.Linear(layer.in_features, layer.out_features), nn.ReLU()])
    plain = plain[:-1]
    for layer, same in zip(network.linear_layers(), plain[::2], strict=True):
        same.load_state_dict(layer.state_dict())
    target = torch.randn((40, 5), generator=torch.Generator().manual_seed(2))
    network.compute_dtype = kind
    expected = plain(features * network.scale)
    got = network(features)
    assert got.dtype == torch.float32
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance * float(expected.detach().abs().max()))
    (expected * target).mean().backward()
    (got * target).mean().backward()
    for layer, same in zip(network.linear_layers(), plain[::2], strict=True):
        for gradient, wanted in ((layer.weight.grad, same.weight.grad), (layer.bias.grad, same.bias.grad)):
            assert gradient is not None
            assert wanted is not None
            torch.testing.assert_close(gradient, wanted, rtol=tolerance, atol=tolerance * float(wanted.abs().max()))


def test_features_are_scaled_to_1() -> None:
    high = observation_high("high_low")
    low = observation_layout("high_low")["low"]
    scale = feature_scale(high, low).numpy()
    largest = scale * high
    assert largest[low.start] == pytest.approx(LOW_SCALE)
    np.testing.assert_allclose(np.delete(largest, low.start), 1, rtol=1e-6)
