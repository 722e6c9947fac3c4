"""Training of networks whose layers the suits share."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from german_whist.agents.policy.network.forward import PackedNetwork, forward
from german_whist.agents.policy.network.mlp import MLP, FrozenMLP

FEATURES = 456


def some_mlp(suit_layers: int = 1, outputs: int = 54) -> MLP:
    torch.manual_seed(1)
    last = [7] * suit_layers if outputs > 2 else []
    return MLP(torch.full((FEATURES,), 0.5), [6] * suit_layers + [9] + last, outputs, 1.0, suit_layers)


def some_features(rows: int = 40) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return (torch.rand((rows, FEATURES), generator=generator) < 0.3).to(torch.int8)


@pytest.mark.parametrize("outputs", [2, 52, 54])
@pytest.mark.parametrize("suit_layers", [1, 2])
def test_suit_mlp_matches_checkpoint(suit_layers: int, outputs: int) -> None:
    network, features = some_mlp(suit_layers, outputs), some_features()
    with torch.no_grad():
        expected = forward(PackedNetwork.create(network.raw_layers(), suit_layers), features.numpy())
        np.testing.assert_allclose(network(features).numpy(), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(FrozenMLP(network)(features).numpy(), expected, rtol=1e-4, atol=1e-5)
    for rows in (0, 1, 129, 1500):
        assert FrozenMLP(network)(some_features(rows)).shape == (rows, outputs)
