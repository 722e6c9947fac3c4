"""The optimisers of our own trainers, and their state by name for snapshots.

``adam`` is Adam (Kingma and Ba, arXiv 1412.6980) for all weights. ``muon`` orthogonalises the steps of the hidden
layers' matrices (Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024) and scales them to the
usual size of Adam's (Liu et al., "Muon is scalable for LLM training", arXiv 2502.16982), so that one learning rate
suits both; biases and last layers stay with Adam.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from german_whist.training.config.settings import MUON, OwnOptimizerSettings
from german_whist.training.networks.mlp import MLP
from german_whist.training.run.resume_file import tensor_of_shape

ADAM_EPSILON = 1e-5
MUON_MOMENTUM = 0.95
NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)  # coefficients of Jordan et al.: steep at 0, at the price of 0.7 to 1.2 for 1
NEWTON_SCHULZ_STEPS = 4  # Jordan et al. take 5; runs with 3 and 5 differed within noise


def orthogonalized(matrix: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return about the nearest semi-orthogonal matrix, U Vᵀ for the singular value decomposition U S Vᵀ.

    That is the quintic Newton-Schulz iteration of Jordan et al. (https://kellerjordan.github.io/posts/muon/).

    Args:
        matrix: float32[rows, columns].
        dtype: type of its matrix products, and of the result.
    """
    a, b, c = NEWTON_SCHULZ
    is_tall = matrix.shape[0] > matrix.shape[1]
    found = (matrix.T if is_tall else matrix).to(dtype)
    found = found / found.norm().clamp(min=1e-7)  # a spectral norm of at most 1
    for _ in range(NEWTON_SCHULZ_STEPS):
        gram = found @ found.T
        found = torch.addmm(found, torch.addmm(gram, gram, gram, beta=b, alpha=c), found, beta=a)
    return found.T if is_tall else found


class _Muon(torch.optim.Optimizer):
    """Muon with Nesterov momentum, without weight decay, and with the step size of Adam (``match_rms_adamw``).

    ``torch.optim.Muon`` multiplies in bfloat16 on every processor. Without native bfloat16, a step then takes ten times
    as long as in float32.
    """

    def __init__(self, matrices: Sequence[torch.Tensor], rate: float, dtype: torch.dtype) -> None:
        """Take the matrices, float32[rows, columns], the step size, and the type of the matrix products."""
        super().__init__(matrices, {"lr": rate})
        self._dtype = dtype

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override] # no closure is called
        """Take a step down the gradients."""
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                momentum = self.state[weight].setdefault("momentum_buffer", torch.zeros_like(weight))
                momentum.lerp_(weight.grad, 1 - MUON_MOMENTUM)
                update = orthogonalized(weight.grad.lerp(momentum, MUON_MOMENTUM), self._dtype)
                weight.add_(update, alpha=-group["lr"] * 0.2 * math.sqrt(max(weight.shape)))


class Optimizer:
    """Gradient steps for some networks.

    Attributes:
        parameters: the weights that it updates.
    """

    def __init__(self, settings: OwnOptimizerSettings, networks: Sequence[MLP]) -> None:
        """Take the networks.

        Args:
            settings: the optimiser, its initial step size, and the norm to which gradients are clipped.
            networks: the networks, already on their device.
        """
        kind, rate = settings.optimizer, settings.learning_rate
        self._max_grad_norm = settings.max_grad_norm
        self.parameters = [weight for network in networks for weight in network.parameters()]
        self._network_of = [place for place, network in enumerate(networks) for _ in network.parameters()]
        matrices = [layer.weight for network in networks for layer in network.linear_layers()[:-1]]
        chosen = {id(weight) for weight in matrices} if kind == MUON else set()
        rest = [weight for weight in self.parameters if id(weight) not in chosen]
        self._parts: list[torch.optim.Optimizer] = [torch.optim.Adam(rest, lr=rate, eps=ADAM_EPSILON, fused=True)]
        if kind == MUON:
            self._parts.append(_Muon(matrices, rate, networks[0].compute_dtype))

    def zero_grad(self) -> None:
        """Clear the gradients."""
        for part in self._parts:
            part.zero_grad()

    def step(self, rate: float) -> None:
        """Take a step of size ``rate`` down the clipped gradients."""
        nn.utils.clip_grad_norm_(self.parameters, self._max_grad_norm)
        for part in self._parts:
            for group in part.param_groups:
                group["lr"] = rate
            part.step()

    def state(self, prefix: str = "optimizer") -> dict[str, torch.Tensor]:
        """Return the moments on the CPU, under names that start with ``prefix``."""
        return {
            f"{prefix}.{number}.{name}": torch.as_tensor(moment).cpu().clone()
            for part in self._parts
            for number, weight in self._numbered(part)
            for name, moment in part.state.get(weight, {}).items()
        }

    def load_state(self, tensors: dict[str, torch.Tensor], prefix: str = "optimizer") -> None:
        """Restore the moments that :meth:`state` returned.

        Raises:
            KeyError: when one is missing.
            ValueError: when one has another shape than its weights.
        """
        # A network saved before its first update has no moments at all.
        known = {name.rpartition(".")[0] for name in tensors}
        stepped = {self._network_of[number] for number in range(len(self.parameters)) if f"{prefix}.{number}" in known}
        for part in self._parts:
            moments = part.state_dict()
            for place, (number, weight) in enumerate(self._numbered(part)):
                if self._network_of[number] in stepped:
                    moments["state"][place] = {
                        name: tensor_of_shape(tensors, f"{prefix}.{number}.{name}", shape)
                        for name, shape in _shapes(part, weight).items()
                    }
            part.load_state_dict(moments)

    def _numbered(self, part: torch.optim.Optimizer) -> list[tuple[int, torch.Tensor]]:
        """Return the weights of a part in its order, with their indices among all parameters."""
        numbers = {id(weight): number for number, weight in enumerate(self.parameters)}
        return [(numbers[id(weight)], weight) for group in part.param_groups for weight in group["params"]]


def _shapes(part: torch.optim.Optimizer, weight: torch.Tensor) -> dict[str, torch.Size]:
    """Return the shapes of what an optimiser keeps for a weight."""
    if isinstance(part, torch.optim.Adam):
        return {"step": torch.Size(()), "exp_avg": weight.shape, "exp_avg_sq": weight.shape}
    return {"momentum_buffer": weight.shape}
