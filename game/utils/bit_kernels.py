"""Bit operations on 64-bit card masks, most of them single machine instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic as numba_intrinsic

from german_whist.game.utils.jit import kernel

_ONE = np.uint64(1)

intrinsic: Any = numba_intrinsic  # numba's annotation describes the code generator, not what kernels call


@intrinsic  # type: ignore[untyped-decorator]
def _ctpop(typing_context: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


# The constant 0 below tells LLVM that the mask may be 0: the result is then 64.
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


# For rows that are not contiguous or not of bytes.
def _write_cards_one_by_one(mask, row, start):
    for card in range(52):
        row[start + card] = (mask >> np.uint64(card)) & np.uint64(1)


@intrinsic  # type: ignore[untyped-decorator]
def write_cards(typing_context: Any, mask: Any, row: Any, start: Any) -> Any:
    """Write a mask as 52 entries of a row from ``start`` on: 1 for a card in the mask, else 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if row.layout != "C" or row.dtype not in (types.int8, types.uint8):
            return context.compile_internal(builder, _write_cards_one_by_one, signature, args)
        data = context.make_array(row)(context, builder, args[1]).data
        bits, entries = ir.VectorType(ir.IntType(1), 16), ir.VectorType(ir.IntType(8), 16)
        for first in (0, 16, 32, 36):  # sixteen entries at a time; 52 is no multiple, so the last vector overlaps
            offset = ir.Constant(ir.IntType(64), first)
            part = builder.trunc(builder.lshr(args[0], offset), ir.IntType(16))
            pointer = builder.gep(data, [builder.add(args[2], offset)])
            spread = builder.zext(builder.bitcast(part, bits), entries)
            builder.store(spread, builder.bitcast(pointer, entries.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.none(types.uint64, row, types.int64), codegen


@kernel
def popcount(mask):
    """Return the number of cards in a mask."""
    return types.int64(_ctpop(mask))


@kernel
def lowest(mask):
    """Return the lowest card of a mask; 64 if it is empty."""
    return types.int64(_cttz(mask))


@kernel
def highest(mask):
    """Return the highest card of a mask; −1 if it is empty."""
    return 63 - types.int64(_ctlz(mask))


@kernel
def nth_lowest(mask, number):
    """Return card ``number`` (from 0) of a mask, counted from the lowest, by a branchless binary search."""
    card = np.int64(0)
    half = np.int64(32)
    while half:
        low = mask & ((_ONE << np.uint64(half)) - _ONE)
        below = popcount(low)
        is_above = number >= below
        number -= below if is_above else 0
        mask = mask >> np.uint64(half) if is_above else low
        card += half if is_above else 0
        half >>= 1
    return card
