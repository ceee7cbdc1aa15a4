"""`prefetch`: ask for a part of an array that will be read soon, without waiting for it.

After a read of memory that is in no cache a processor can begin some hundred operations before it
has to wait; after a prefetch it never waits. In interpreted code `prefetch` does nothing.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from .compile import Floats

_BYTE, _NUMBER = ir.IntType(8).as_pointer(), ir.IntType(32)
# llvm.prefetch(address, read, keep in every cache, data)
_ASKED = ir.FunctionType(ir.VoidType(), [_BYTE, _NUMBER, _NUMBER, _NUMBER])
_HOW = [_NUMBER(0), _NUMBER(3), _NUMBER(1)]


def prefetch(array: Floats, row: int) -> None:
    """Ask for the cache line in which this row of the array begins."""


@intrinsic  # type: ignore[untyped-decorator]
def _ask(_: Any, array: Any, row: Any) -> Any:
    def written(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.args[0]
        at = [values[1]] + [context.get_constant(types.intp, 0)] * (kind.ndim - 1)
        made = context.make_array(kind)(context, builder, values[0])
        place = cgutils.get_item_pointer(context, builder, kind, made, at, wraparound=False)
        asked = cgutils.get_or_insert_function(builder.module, _ASKED, "llvm.prefetch.p0i8")
        builder.call(asked, [builder.bitcast(place, _BYTE), *_HOW])
        return context.get_dummy_value()

    return types.none(array, types.intp), written


@overload(prefetch)
def _prefetch(array, row):  # type: ignore[no-untyped-def]
    def asked(array, row):  # type: ignore[no-untyped-def]
        _ask(array, row)

    return asked
