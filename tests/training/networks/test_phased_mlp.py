"""A network for each phase of the foreplay."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from german_whist.training.networks.phased_mlp import FrozenPhasedMLP, PhasedMLP
from german_whist.training.networks.suit_mlp import new_mlp

STOCK = 4
PHASES = [10, 2]


def phased(phases: list[int] | None = None, hidden: list[int] | None = None) -> PhasedMLP:
    torch.manual_seed(1)
    scale = torch.linspace(0.1, 1, 6)
    return PhasedMLP(scale, hidden or [7, 5], 3, 1.0, PHASES if phases is None else phases, STOCK)


def some_features(rows: int = 90) -> torch.Tensor:
    features = torch.randint(0, 3, (rows, 6), generator=torch.Generator().manual_seed(2)).to(torch.int8)
    features[:, STOCK] = torch.arange(rows) % 27
    return features


def phases_of(features: torch.Tensor) -> list[int]:
    return [0 if stock > 10 else 1 if stock > 2 else 2 for stock in features[:, STOCK].tolist()]


@pytest.mark.parametrize("rows", [1, 3, 90])
def test_each_row_uses_the_network_of_its_phase(rows: int) -> None:
    network, features = phased(), some_features(rows)
    with torch.no_grad():
        by_all = [one(features) for one in network.mlps]
        expected = torch.stack([by_all[phase][row] for row, phase in enumerate(phases_of(features))])
        torch.testing.assert_close(network(features), expected)
    torch.testing.assert_close(FrozenPhasedMLP(network)(features), expected)
    assert FrozenPhasedMLP(network)(features[:0]).shape == (0, 3)


def test_gradients_reach_the_networks_of_the_rows_alone() -> None:
    network, features = phased(), some_features()
    late = features[features[:, STOCK] <= 10]
    network(late).square().mean().backward()
    first, *others = network.mlps
    assert all(weight.grad is None for weight in first.parameters())
    alone = phased()
    sums = [alone.mlps[phase](late[[row]]).square().sum() for row, phase in enumerate(phases_of(late))]
    (torch.stack(sums).sum() / (3 * len(late))).backward()
    for one, same in zip(others, alone.mlps[1:], strict=True):
        for weight, again in zip(one.parameters(), same.parameters(), strict=True):
            assert weight.grad is not None
            torch.testing.assert_close(weight.grad, again.grad)


def test_phases_share_the_first_network_until_they_separate_from_copies_of_it() -> None:
    network, features = phased(), some_features()
    network.separate = False
    first = network.mlps[0](features)
    torch.testing.assert_close(network(features), first)
    together = network.raw_layers()
    assert all((weight == weight[0]).all() and (bias == bias[0]).all() for weight, bias in together)
    network.separate_phases()
    assert sorted(set(network.phase_of(features).tolist())) == [0, 1, 2]
    torch.testing.assert_close(network(features), first)
    assert all(
        (a == b).all()
        for ours, theirs in zip(together, network.raw_layers(), strict=True)
        for a, b in zip(ours, theirs, strict=True)
    )


def test_layers_come_back_from_those_of_a_checkpoint() -> None:
    network, features = phased(), some_features()
    again = phased()
    for weight in again.parameters():
        torch.nn.init.normal_(weight)
    assert network.raw_layers()[0][0].shape == (3, 7, 6)
    again.load_raw_layers(network.raw_layers(), "it")
    torch.testing.assert_close(again(features), network(features))


def test_layers_of_one_network_are_taken_for_every_phase() -> None:
    one = new_mlp(torch.linspace(0.1, 1, 6), [7, 5], 3, 1.0)
    network, features = phased(), some_features()
    network.load_raw_layers(one.raw_layers(), "it")
    torch.testing.assert_close(network(features), one(features))
    assert phased([]).raw_layers()[0][0].shape == (7, 6)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (phased([10]), r"^init: 'it' has 2 phases, not 3: set phases$"),
        (phased(hidden=[7, 4]), r"^init: 'it' has hidden layers \[7, 4\] of 6 features, not \[7, 5\]: set hidden$"),
    ],
)
def test_layers_of_others_are_refused(other: PhasedMLP, message: str) -> None:
    network = phased()
    before = [array.copy() for layer in network.raw_layers() for array in layer]
    with pytest.raises(ValueError, match=message):
        network.load_raw_layers(other.raw_layers(), "it")
    after = [array for layer in network.raw_layers() for array in layer]
    assert all(np.array_equal(old, new) for old, new in zip(before, after, strict=True))
