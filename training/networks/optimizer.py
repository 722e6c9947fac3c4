"""The optimisers of our own trainers, and their state, by name, for snapshots.

``adam`` is Adam (Kingma and Ba, arXiv 1412.6980) over all weights. ``muon`` makes the steps of hidden layers' matrices
orthogonal (Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024), scaled as Adam's usually
are (Liu et al., "Muon is scalable for LLM training", arXiv 2502.16982), so that one learning rate does for both; biases
and last layers are Adam's.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from german_whist.training.config.schema import MUON
from german_whist.training.networks.mlp import MLP

ADAM_EPSILON = 1e-5


class Optimizer:
    """Steps down the gradient for some networks.

    Attributes:
        parameters: the weights that it changes.
    """

    def __init__(self, kind: str, networks: Sequence[MLP], rate: float) -> None:
        """Take the networks.

        Args:
            kind: one of ``settings.OPTIMIZERS``.
            networks: with their weights where they will stay.
            rate: the step size at the start.
        """
        self.parameters = [weight for network in networks for weight in network.parameters()]
        self._network_of = [place for place, network in enumerate(networks) for _ in network.parameters()]
        matrices = [layer.weight for network in networks for layer in network.linear_layers()[:-1]]
        chosen = {id(weight) for weight in matrices} if kind == MUON else set()
        rest = [weight for weight in self.parameters if id(weight) not in chosen]
        self._parts: list[torch.optim.Optimizer] = [torch.optim.Adam(rest, lr=rate, eps=ADAM_EPSILON, fused=True)]
        if kind == MUON:
            self._parts.append(torch.optim.Muon(matrices, lr=rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"))

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for part in self._parts:
            part.zero_grad()

    def step(self, rate: float, max_grad_norm: float) -> None:
        """Take one step of a size down the gradients, which are first clipped to a norm."""
        nn.utils.clip_grad_norm_(self.parameters, max_grad_norm)
        for part in self._parts:
            for group in part.param_groups:
                group["lr"] = rate
            part.step()

    def state(self, called: str = "optimizer") -> dict[str, torch.Tensor]:
        """Return the moments, on the processor, by names that start with what it is called."""
        return {
            f"{called}.{number}.{name}": torch.as_tensor(moment).cpu().clone()
            for part in self._parts
            for number, weight in self._numbered(part)
            for name, moment in part.state.get(weight, {}).items()
        }

    def load_state(self, tensors: dict[str, torch.Tensor], called: str = "optimizer") -> None:
        """Go on from the moments that :meth:`state` returned.

        Raises:
            KeyError: when one is missing.
            ValueError: when one has another shape than its weights.
        """
        # A network that was saved before its first update has no moments, and then none at all.
        known = {name.rpartition(".")[0] for name in tensors}
        stepped = {self._network_of[number] for number in range(len(self.parameters)) if f"{called}.{number}" in known}
        for part in self._parts:
            moments = part.state_dict()
            for place, (number, weight) in enumerate(self._numbered(part)):
                if self._network_of[number] in stepped:
                    moments["state"][place] = {
                        name: tensor_of_shape(tensors, f"{called}.{number}.{name}", shape)
                        for name, shape in _shapes(part, weight).items()
                    }
            part.load_state_dict(moments)

    def _numbered(self, part: torch.optim.Optimizer) -> list[tuple[int, torch.Tensor]]:
        """Return the weights of a part in its order, each with its number among all."""
        numbers = {id(weight): number for number, weight in enumerate(self.parameters)}
        return [(numbers[id(weight)], weight) for group in part.param_groups for weight in group["params"]]


def _shapes(part: torch.optim.Optimizer, weight: torch.Tensor) -> dict[str, torch.Size]:
    """Return what a part remembers of a weight."""
    if isinstance(part, torch.optim.Adam):
        return {"step": torch.Size(()), "exp_avg": weight.shape, "exp_avg_sq": weight.shape}
    return {"momentum_buffer": weight.shape}


def tensor_of_shape(tensors: dict[str, torch.Tensor], name: str, shape: torch.Size) -> torch.Tensor:
    """Return a tensor by name.

    Raises:
        KeyError: when it is missing.
        ValueError: when it has another shape.
    """
    tensor = tensors[name]
    if tensor.shape != shape:
        raise ValueError(f"{name} has shape {list(tensor.shape)}, the network of config.yaml needs {list(shape)}")
    return tensor
