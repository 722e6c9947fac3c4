"""The optimisers: what a step of Muon is, and their state."""

from __future__ import annotations

import copy

import pytest
import torch

from german_whist.training.config.settings import ADAM, MUON, OwnOptimizerSettings
from german_whist.training.networks.mlp import MLP
from german_whist.training.networks.optimizer import Optimizer
from german_whist.training.networks.suit_mlp import new_mlp

RATE = 0.01
NO_CLIPPING = 1e9


def networks() -> list[MLP]:
    torch.manual_seed(3)
    return [new_mlp(torch.ones(12), [20, 8], 5, 1.0), new_mlp(torch.ones(12), [6], 1, 1.0)]


def optimizer_of(kind: str, on: list[MLP], rate: float = RATE, max_grad_norm: float = NO_CLIPPING) -> Optimizer:
    return Optimizer(OwnOptimizerSettings(optimizer=kind, learning_rate=rate, max_grad_norm=max_grad_norm), on)


def step(optimizer: Optimizer, on: list[MLP], seed: int) -> None:
    features = torch.randn((32, 12), generator=torch.Generator().manual_seed(seed))
    optimizer.zero_grad()
    loss = sum(((network(features) - 1) ** 2).mean() for network in on)
    loss.backward()
    optimizer.step(RATE)


def changes(kind: str) -> list[torch.Tensor]:
    on = networks()
    before = [weight.detach().clone() for network in on for weight in network.parameters()]
    step(optimizer_of(kind, on, 1.0), on, seed=1)
    after = [weight.detach() for network in on for weight in network.parameters()]
    return [new - old for old, new in zip(before, after, strict=True)]


def test_muon_orthogonalises_hidden_matrices_and_adam_updates_the_rest() -> None:
    hidden = {0, 2, 6}  # weights; 4 and 8 are those of last layers, the odd ones biases
    for number, (by_muon, by_adam) in enumerate(zip(changes("muon"), changes("adam"), strict=True)):
        if number not in hidden:
            torch.testing.assert_close(by_muon, by_adam)
            continue
        size = 0.2 * RATE * max(by_muon.shape) ** 0.5
        turned = torch.linalg.svdvals(by_muon) / size
        assert turned.min() > 0.5  # Newton and Schulz stop between 0.7 and 1.2, but for directions that hardly count
        assert turned.max() < 1.3
        assert torch.linalg.svdvals(by_adam).amin() < 0.5 * torch.linalg.svdvals(by_adam).amax()


@pytest.mark.parametrize("kind", [ADAM, MUON])
def test_gradients_are_clipped(kind: str) -> None:
    on = networks()
    optimizer = optimizer_of(kind, on, max_grad_norm=0.125)
    step(optimizer, on, seed=1)
    norm = torch.sqrt(sum((weight.grad**2).sum() for weight in optimizer.parameters))
    torch.testing.assert_close(norm, torch.tensor(0.125))


@pytest.mark.parametrize("kind", [ADAM, MUON])
def test_the_state_holds_all_that_the_next_step_depends_on(kind: str) -> None:
    on = networks()
    optimizer = optimizer_of(kind, on)
    for seed in range(3):
        step(optimizer, on, seed)
    others = copy.deepcopy(on)
    fresh = copy.deepcopy(on)
    again = optimizer_of(kind, others)
    again.load_state(optimizer.state("mine"), "mine")
    for which, networks_ in ((optimizer, on), (again, others), (optimizer_of(kind, fresh), fresh)):
        step(which, networks_, seed=9)
    assert all(torch.equal(a, b) for a, b in zip(optimizer.parameters, again.parameters, strict=True))
    pairs = zip(on, fresh, strict=True)
    assert not any(torch.equal(a.layers[0].weight, b.layers[0].weight) for a, b in pairs)


@pytest.mark.parametrize("kind", [ADAM, MUON])
def test_before_the_first_step_there_is_no_state(kind: str) -> None:
    on = networks()
    optimizer = optimizer_of(kind, on)
    assert optimizer.state() == {}
    optimizer.load_state({})
    step(optimizer, on, seed=1)


@pytest.mark.parametrize(("tensor", "error"), [(None, KeyError), (torch.zeros(3), ValueError)])
@pytest.mark.parametrize(
    ("kind", "name"),
    [("adam", "optimizer.1.exp_avg"), ("muon", "optimizer.2.momentum_buffer"), ("muon", "optimizer.3.exp_avg_sq")],
)
def test_a_damaged_state_is_refused(kind: str, name: str, tensor: torch.Tensor | None, error: type[Exception]) -> None:
    on = networks()
    optimizer = optimizer_of(kind, on)
    step(optimizer, on, seed=1)
    state = optimizer.state()
    del state[name]
    with pytest.raises(error, match=name.replace(".", r"\.")):
        optimizer.load_state(state if tensor is None else {**state, name: tensor})
