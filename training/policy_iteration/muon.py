"""Muon, an optimizer for the matrices of hidden layers.

It orthogonalises the momentum (Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024), in the
scale of Liu et al. (arXiv 2502.16982) that matches the usual size of Adam's steps. With the gradient g,
μ = ``MUON_MOMENTUM`` and learning rate η, a step is

    m ← μ m + (1 − μ) g;  W ← W − 0.2 η √max(rows, columns) · orthogonalized((1 − μ) g + μ m)

Not ``torch.optim.Muon``, because it multiplies in bfloat16 on every processor; and no ``torch.optim.Optimizer``,
because the first one loads a compiler, as ``step_adam`` says.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

from german_whist.game.utils.private_parts import foreach

MUON_MOMENTUM = 0.95
# Coefficients of Jordan et al.: steep at 0, so small singular values grow fast; the price is 0.7 to 1.2 instead of 1.
NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
NEWTON_SCHULZ_STEPS = 4  # Jordan et al. take 5; runs with 3 and 5 differed within noise


def orthogonalized(matrices: Sequence[torch.Tensor], dtype: torch.dtype) -> list[torch.Tensor]:
    """Return for matrices with the SVDs U S Vᵀ approximately U Vᵀ, the nearest semi-orthogonal matrices.

    The quintic Newton–Schulz iteration X ← a X + (b X Xᵀ + c (X Xᵀ)²) X of Jordan et al.
    (https://kellerjordan.github.io/posts/muon/).

    Args:
        matrices: float32[rows, columns] each.
        dtype: dtype of the matrix products and of the results.
    """
    a, b, c = NEWTON_SCHULZ
    # Transposed if tall, so that X Xᵀ is the smaller of the two products.
    is_tall = [matrix.shape[0] > matrix.shape[1] for matrix in matrices]
    wide = [(matrix.T if tall else matrix).to(dtype) for matrix, tall in zip(matrices, is_tall, strict=True)]
    # The Frobenius norm bounds the spectral norm: at most 1, as needed.
    norms = foreach("clamp_min")(foreach("norm")(wide), 1e-7)
    found = list(foreach("div")(wide, norms))
    for _ in range(NEWTON_SCHULZ_STEPS):
        grams = [F.linear(each, each) for each in found]
        grams = [torch.addmm(gram, gram, gram, beta=b, alpha=c) for gram in grams]
        found = [torch.addmm(each, gram, each, beta=a) for each, gram in zip(found, grams, strict=True)]
    return [each.T if tall else each for each, tall in zip(found, is_tall, strict=True)]


class Muon:
    """The momenta of some matrices, and the steps that they take.

    Attributes:
        momenta: float32[rows, columns] each.
    """

    def __init__(self, matrices: list[torch.Tensor], dtype: torch.dtype) -> None:
        """Start without momentum.

        Args:
            matrices: float32[rows, columns] each, changed by :meth:`step`.
            dtype: dtype of the matrix products.
        """
        self._matrices = matrices
        self._dtype = dtype
        self.momenta = [torch.zeros_like(matrix) for matrix in matrices]
        # The RMS of Adam's updates (`match_rms_adamw` in torch.optim.Muon).
        self._scales = [torch.full_like(one.detach()[0, 0], 0.2 * max(one.shape) ** 0.5) for one in matrices]

    def step(self, gradients: list[torch.Tensor], rate: float) -> None:
        """Take a step with Nesterov momentum, without weight decay."""
        foreach("lerp_")(self.momenta, gradients, 1 - MUON_MOMENTUM)
        updates = foreach("lerp")(gradients, self.momenta, MUON_MOMENTUM)
        foreach("addcmul_")(self._matrices, orthogonalized(updates, self._dtype), self._scales, value=-rate)
