"""LLVM code for the forward pass, because numba cannot be told to keep sums in vector registers.

LLVM neither reorders nor fuses these floating-point operations, and it splits vectors that are wider than a machine's
registers. Every machine therefore computes the same bits.

Plain loops compute the same bits and are as fast for wide layers, but slower for those of ``small``, which plays the
rollouts of every search: its decisions take 1.25 times as long (layers of 192 and 64 outputs 1.5 times, the list of
nonzero inputs 2 to 2.6 times). In each loop LLVM checks whether arrays overlap, and it keeps the sums in memory.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from german_whist.envs.utils.bit_kernels import intrinsic

WORD = 64  # entries of a row that are compared with 0 together
WIDE, NARROW = 64, 16  # outputs summed side by side: half of AVX2's registers, or one cache line of weights

_LANES = 8  # floats in a vector
_BYTE, _INT32, _INT64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_FLOATS = ir.VectorType(ir.FloatType(), _LANES)


def _data(context: Any, builder: Any, array: Any, value: Any) -> Any:
    """Return a pointer to an array's first number."""
    return context.make_array(array)(context, builder, value).data


def _row(context: Any, builder: Any, array: Any, value: Any, number: Any) -> tuple[Any, Any]:
    """Return a pointer to a row of a contiguous array, and the row's length."""
    rows = context.make_array(array)(context, builder, value)
    _, length = cgutils.unpack_tuple(builder, rows.shape, 2)
    return builder.gep(rows.data, [builder.mul(number, length)]), length


def _load(builder: Any, pointer: Any, kind: Any, align: int = 4) -> Any:
    """Load a vector of type ``kind`` from a pointer to a number."""
    return builder.load(builder.bitcast(pointer, kind.as_pointer()), align=align)


def _store(builder: Any, vector: Any, pointer: Any) -> None:
    """Store a vector of 32-bit numbers at a pointer to a number."""
    builder.store(vector, builder.bitcast(pointer, vector.type.as_pointer()), align=4)


def _repeat(builder: Any, number: Any, kind: Any) -> Any:
    """Return a vector with the same number in every lane."""
    undefined = ir.Constant(kind, ir.Undefined)
    lane = builder.insert_element(undefined, number, _INT32(0))
    return builder.shuffle_vector(lane, undefined, ir.Constant(ir.VectorType(_INT32, kind.count), None))


@intrinsic  # type: ignore[untyped-decorator]
def nonzero_bits(typing_context: Any, row: Any, first: Any) -> Any:
    """Return a uint64 whose bit i is set if entry ``first + i`` of an int8 or float32 row is not 0 (or is NaN)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = _data(context, builder, row, args[0])
        entries = ir.VectorType(data.type.pointee, WORD)
        loaded = _load(builder, builder.gep(data, [args[1]]), entries, align=row.dtype.bitwidth // 8)
        compare = builder.icmp_signed if isinstance(row.dtype, types.Integer) else builder.fcmp_unordered
        return builder.bitcast(compare("!=", loaded, ir.Constant(entries, None)), _INT64)

    return types.uint64(row, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def write_eight(typing_context: Any, eight: Any, offset: Any, places: Any, start: Any) -> Any:
    """Write the eight bytes of a uint64, each plus ``offset``, to ``places[start : start + 8]``, a uint32 array."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numbers = ir.VectorType(_INT32, 8)
        spread = builder.zext(builder.bitcast(args[0], ir.VectorType(_BYTE, 8)), numbers)
        offsets = _repeat(builder, builder.trunc(args[1], _INT32), numbers)
        data = _data(context, builder, places, args[2])
        _store(builder, builder.add(spread, offsets), builder.gep(data, [args[3]]))
        return context.get_dummy_value()

    return types.none(types.uint64, types.int64, places, types.int64), codegen


class _Sums:
    """Generates code that sums ``size`` neighbouring outputs, a multiple of the lanes, in vector registers.

    An input is given by a pointer to its weights, and by its factor: a vector with its value in every lane.
    """

    def __init__(self, builder: Any, size: int, biases: Any) -> None:
        """Start from the biases."""
        self._builder = builder
        self._parts = range(0, size, _LANES)
        self._sums = [cgutils.alloca_once(builder, _FLOATS) for _ in self._parts]
        for part, total in zip(self._parts, self._sums, strict=True):
            builder.store(self._loaded(biases, part), total)

    def _loaded(self, pointer: Any, part: int) -> Any:
        return _load(self._builder, self._builder.gep(pointer, [_INT64(part)]), _FLOATS)

    def _add(self, total: Any, number: Any) -> None:
        self._builder.store(self._builder.fadd(self._builder.load(total), number), total)

    def add_one(self, weights: Any, factor: Any) -> None:
        """Add an input."""
        for part, total in zip(self._parts, self._sums, strict=True):
            self._add(total, self._builder.fmul(factor, self._loaded(weights, part)))

    def add_four(self, weights: list[Any], factors: list[Any] | None = None) -> None:
        """Add four inputs; without factors, all their values are 1."""
        builder = self._builder
        for part, total in zip(self._parts, self._sums, strict=True):
            products = [self._loaded(pointer, part) for pointer in weights]
            if factors:
                products = [builder.fmul(factor, weight) for factor, weight in zip(factors, products, strict=True)]
            a, b, c, d = products
            self._add(total, builder.fadd(builder.fadd(a, b), builder.fadd(c, d)))

    def write(self, outputs: Any, rectify: Any) -> None:
        """Write the outputs; if ``rectify`` is true, 0 in place of negative ones."""
        builder, zeros = self._builder, ir.Constant(_FLOATS, None)
        for part, total in zip(self._parts, self._sums, strict=True):
            output = builder.load(total)
            negative = builder.fcmp_ordered("<", output, zeros)
            output = builder.select(rectify, builder.select(negative, zeros, output), output)
            _store(builder, output, builder.gep(outputs, [_INT64(part)]))


def _writer(size: int) -> Any:
    """Return an intrinsic that writes ``size`` outputs, from ``first`` on, of row ``written`` of ``outputs``.

    Its ``count`` inputs are in row ``read`` of ``places`` and ``values``; see ``write_layer`` for the other arguments.
    """

    @intrinsic  # type: ignore[untyped-decorator]
    def write(
        typing_context: Any,
        read: Any,
        count: Any,
        places: Any,
        values: Any,
        weights: Any,
        start: Any,
        bias: Any,
        rectify: Any,
        outputs: Any,
        written: Any,
        first: Any,
    ) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            read, count, _, _, _, start, bias, rectify, _, written, first = args
            input_places, _ = _row(context, builder, places, args[2], read)
            input_values, _ = _row(context, builder, values, args[3], read)
            columns = builder.gep(_data(context, builder, weights, args[4]), [first])
            row, width = _row(context, builder, outputs, args[8], written)
            weight = builder.gep(columns, [start])

            def weights_of(number: Any) -> Any:
                place = builder.zext(builder.load(builder.gep(input_places, [number])), _INT64)
                return builder.gep(weight, [builder.mul(place, width)])

            def factor_of(number: Any) -> Any:
                return _repeat(builder, builder.load(builder.gep(input_values, [number])), _FLOATS)

            sums = _Sums(builder, size, builder.gep(columns, [bias]))
            quads = builder.and_(count, _INT64(-4))
            with cgutils.for_range_slice(builder, _INT64(0), quads, _INT64(4), _INT64) as (number, _):
                numbers = [builder.add(number, _INT64(i)) for i in range(4)]
                four = ir.VectorType(ir.FloatType(), 4)
                loaded = _load(builder, builder.gep(input_values, [number]), four)
                ones = builder.bitcast(builder.fcmp_ordered("==", loaded, ir.Constant(four, [1.0] * 4)), ir.IntType(4))
                weights_of_four = [weights_of(each) for each in numbers]
                with builder.if_else(builder.icmp_unsigned("==", ones, ir.IntType(4)(0b1111))) as (then, otherwise):
                    with then:  # most features are 1; multiplying by 1 would give the same bits
                        sums.add_four(weights_of_four)
                    with otherwise:
                        sums.add_four(weights_of_four, [factor_of(each) for each in numbers])
            with cgutils.for_range_slice(builder, quads, count, _INT64(1), _INT64) as (number, _):
                sums.add_one(weights_of(number), factor_of(number))
            sums.write(builder.gep(row, [first]), rectify)
            return context.get_dummy_value()

        whole = types.int64
        arguments = (whole, whole, places, values, weights, whole, whole, types.boolean, outputs, whole, whole)
        return types.none(*arguments), codegen

    return write


write_wide, write_narrow = _writer(WIDE), _writer(NARROW)
