"""Single machine instructions on 64-bit card masks, for kernels."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from german_whist.envs.jit import kernel


@intrinsic  # type: ignore[untyped-decorator]
def _ctpop(typing_context: Any, mask: Any) -> Any:  # noqa: ARG001 - numba passes its typing context first
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _cttz(typing_context: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _ctlz(typing_context: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@kernel
def popcount(mask):
    """Return the number of cards in a mask."""
    return types.int64(_ctpop(mask))


@kernel
def lowest(mask):
    """Return the lowest card of a mask; 64 when it is empty."""
    return types.int64(_cttz(mask))


@kernel
def highest(mask):
    """Return the highest card of a mask; −1 when it is empty."""
    return 63 - types.int64(_ctlz(mask))
