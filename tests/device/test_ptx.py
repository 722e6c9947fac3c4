"""Every row kernel compiles for a GPU. What it computes is the same function that the CPU runs."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from german_whist.game.utils import row_kernels
from tests.device.every_kernel import run_every_kernel

PARTS = 6


@pytest.fixture(scope="module")
def cuda() -> Iterator[Any]:
    """Give numba-cuda's module; every kernel has run, so that it has a signature."""
    pytest.importorskip("numba_cuda", reason='needs numba-cuda: pip install "german-whist[gpu]"')
    module = row_kernels.cuda_module()
    from numba.cuda import dispatcher

    with pytest.MonkeyPatch.context() as patch:
        # numba-cuda asks the current device what it can do even where it is told.
        patch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=(9, 0)))
        run_every_kernel()
        yield module


@pytest.mark.parametrize("part", range(PARTS))
def test_kernels_compile_for_gpu(part: int, cuda: Any) -> None:
    assert len(row_kernels.KERNELS) > 25
    for kernel in row_kernels.KERNELS[part::PARTS]:
        assert kernel.signatures, f"{kernel.__name__} was not run"
        for types in kernel.signatures:
            assert ".visible .entry" in cuda.compile_ptx(row_kernels.grid_of(kernel), types, cc=(9, 0))[0]
