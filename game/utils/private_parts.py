"""Every private part of another library that this project uses, each with the figure that keeps it.

``tests/game/utils/test_private_parts.py`` names the parts that an upgrade has taken away. The libraries are imported
where a part is used, because playing needs none for learning.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from numba.core.caching import FunctionCache


def reference_counts(*, is_counted: bool) -> dict[str, Any]:
    """Return numba's option that compiles a kernel with or without reference counts of arrays.

    Without: a lookahead in training, whose kernel gets many arrays for a single row, takes 0.31 µs, with them 0.66.
    """
    return {"_nrt": is_counted}


def use_cache(dispatcher: Any, cache: FunctionCache) -> None:
    """Give a compiled function its own cache, as ``enable_caching`` gives it numba's.

    Numba's own ends at a damaged file in one of pickle's errors, which names no folder.
    """
    dispatcher._cache = cache


def redirect_cuda() -> None:
    """Put numba-cuda, if it is installed, in the place of numba's own deprecated module."""
    with contextlib.suppress(ImportError):
        import _numba_cuda_redirector  # noqa: F401


def foreach(operation: str) -> Callable[..., Any]:
    """Return torch's operation on lists of tensors: ``foreach("lerp_")`` is ``torch._foreach_lerp_``.

    A gradient step of the recipe ``gpu`` has 160 operations, tensor by tensor 203, and each is a launch on a GPU.
    """
    import torch

    found: Callable[..., Any] = getattr(torch, f"_foreach_{operation}")
    return found


def step_adam(
    weights: list[torch.Tensor],
    gradients: list[torch.Tensor],
    moments: tuple[list[torch.Tensor], list[torch.Tensor]],
    steps: list[torch.Tensor],
    *,
    rate: float,
    epsilon: float,
) -> None:
    """Take a step of Adam in place: of weights, both moments and float32[] numbers of steps.

    The first ``torch.optim.Adam`` of a process loads torch's compiler, two seconds of every start; this loads nothing.
    """
    from torch.optim.adam import adam

    adam(
        weights,
        gradients,
        *moments,
        [],
        steps,
        fused=True,
        amsgrad=False,
        beta1=0.9,
        beta2=0.999,
        lr=rate,
        weight_decay=0.0,
        eps=epsilon,
        maximize=False,
    )


def has_bfloat16_products() -> bool:
    """Return whether the CPU multiplies matrices in bfloat16 (AVX-512), which is several times as fast as float32.

    Newer versions of torch have the public ``torch.cpu.get_capabilities``, 2.9 does not.
    """
    import torch

    is_supported: Callable[[], bool] = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return is_supported()


def set_action_mask(wrapper: Any, mask: Any) -> None:
    """Set the mask, int8[n_actions], by which PettingZoo's ``TerminateIllegalWrapper`` judges the next action.

    The wrapper would take it from every ``observe``; without its way down the stack, the loop makes four times as many
    steps a second.
    """
    wrapper._prev_obs = {"action_mask": mask}
