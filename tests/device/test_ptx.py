"""Every row kernel compiles for a GPU. What it computes is the same function that the CPU runs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from german_whist.envs.utils import row_kernels
from tests.device.every_kernel import run_every_kernel


def test_every_row_kernel_compiles_for_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba_cuda", reason='needs numba-cuda: pip install "german-whist[gpu]"')
    cuda = row_kernels.cuda_module()
    from numba.cuda import dispatcher

    # numba-cuda asks the current device what it can do even where it is told.
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=(9, 0)))
    run_every_kernel()
    assert len(row_kernels.KERNELS) > 25
    for kernel in row_kernels.KERNELS:
        assert kernel.signatures, f"{kernel.__name__} was not run"
        for types in kernel.signatures:
            assert ".visible .entry" in cuda.compile_ptx(row_kernels.grid_of(kernel), types, cc=(9, 0))[0]
