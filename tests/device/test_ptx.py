"""Every row kernel compiles for a GPU. What it computes is the same function that the CPU runs."""

from __future__ import annotations

import pytest

from german_whist.envs.utils import device
from tests.device.every_kernel import run_every_kernel


def test_every_row_kernel_compiles_for_a_gpu() -> None:
    pytest.importorskip("numba_cuda", reason='needs numba-cuda: pip install "german-whist[gpu]"')
    run_every_kernel()
    assert len(device.KERNELS) > 25
    for kernel in device.KERNELS:
        assert kernel.signatures, f"{kernel.__name__} was not run"
        assert all(".visible .entry" in ptx for ptx in device.ptx_of(kernel))
