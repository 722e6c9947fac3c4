"""The networks of policy iteration, beside numpy and beside torch's own layers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from german_whist.agents.policy.network.forward import Forward
from german_whist.agents.policy.network.mlp import MLP, FrozenMLP, native_dtype
from german_whist.envs.observation.vector import observation_high, observation_layout
from german_whist.training.networks import LOW_SCALE, feature_scale


def some_mlp(hidden: list[int], outputs: int = 5, features: int = 30) -> MLP:
    torch.manual_seed(3)
    made = MLP(torch.linspace(0.05, 2.0, features), hidden, outputs, 1.0)
    with torch.no_grad():
        for layer in made.linear_layers():
            layer.bias.normal_()
    return made


def some_features(rows: int = 40, features: int = 30) -> torch.Tensor:
    return torch.randint(0, 14, (rows, features), dtype=torch.int8, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("hidden", [[8], [16, 12], [8, 8, 8]])
def test_numpy_computes_the_same_from_the_raw_layers(hidden: list[int]) -> None:
    network, features = some_mlp(hidden), some_features()
    with torch.no_grad():
        expected = network(features).numpy()
    np.testing.assert_allclose(Forward(network.raw_layers()).logits(features.numpy()), expected, rtol=1e-4, atol=1e-4)


def test_raw_layers_round_trip() -> None:
    network, other = some_mlp([16, 12]), MLP(torch.linspace(0.05, 2.0, 30), [16, 12], 5, 1.0)
    other.load_raw_layers(network.raw_layers(), "file")
    for old, new in zip(network.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(old, new)


def test_layers_of_other_sizes_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^init: 'file' has hidden layers \[16\] of 30 features, not \[8\]: set hidden$"
    ):
        some_mlp([8]).load_raw_layers(some_mlp([16]).raw_layers(), "file")


@pytest.mark.parametrize(("kind", "tolerance"), [(torch.float32, 1e-5), (torch.bfloat16, 0.02)])
def test_outputs_and_gradients_are_those_of_plain_layers(kind: torch.dtype, tolerance: float) -> None:
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


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_a_frozen_network_returns_what_the_network_does(kind: torch.dtype) -> None:
    network, features = some_mlp([16, 12]), some_features()
    network.compute_dtype = kind
    assert torch.equal(FrozenMLP(network)(features), network(features).detach())


def test_features_are_scaled_to_at_most_one_except_low() -> None:
    high = observation_high("high_low")
    low = observation_layout("high_low")["low"]
    scale = feature_scale(high, low).numpy()
    largest = scale * high
    assert largest[low.start] == pytest.approx(LOW_SCALE)
    np.testing.assert_allclose(np.delete(largest, low.start), 1, rtol=1e-6)


def test_products_are_in_bfloat16_where_the_hardware_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for has, used, kind in (
        (True, "AVX512", torch.bfloat16),
        (False, "AVX512", torch.float32),
        (True, "AVX2", torch.float32),
    ):
        monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda has=has: has, raising=False)
        monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda used=used: used)
        assert native_dtype(torch.device("cpu")) == kind
