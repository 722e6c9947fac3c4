"""Arrays that kernels pass on without counting references."""

from __future__ import annotations

from typing import Any

from numba import types

from german_whist.envs.utils.bit_kernels import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def borrowed(typing_context: Any, arrays: Any) -> Any:
    """Return a tuple whose arrays are not counted: the caller must keep the arrays as long as they are used.

    Where one kernel calls another, numba counts the references to each array with atomic operations, which take longer
    than a small kernel itself.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _without_counts(context, builder, arrays, args[0])

    return arrays(arrays), codegen


def _without_counts(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        return array._getvalue()
    for place, part in enumerate(getattr(kind, "types", ())):  # of a tuple
        counted = builder.extract_value(value, place)
        value = builder.insert_value(value, _without_counts(context, builder, part, counted), place)
    return value
