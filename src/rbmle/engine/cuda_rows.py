"""Records on a CUDA device: each array has a row for each thread, and `row` gives a thread its own.

Neighbouring threads read neighbouring numbers. What all threads have in common is there once, and
what belongs to a problem has a row for each problem.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._numba.compile import extend
from .._numba.for_cuda import side_by_side
from ..rewards.changing import MeanPath
from ..rewards.delays import Arrivals
from ..rewards.linear_problem import LinearStream
from ..rewards.problems import Stream
from ..rewards.sources import TableRows
from .floors import FlooredRules
from .imputation import Imputed
from .late_rewards import Late
from .regret_counters import ByCounts, ByPulls

Room = Callable[..., Any]  # an array of this shape and kind, with its own layout

# Arrays that all threads read, and never write.
_SHARED = {
    Arrivals: ("table",), TableRows: ("values",), MeanPath: ("means", "gaps", "starts"),
    Late: ("places", "slots"), Imputed: ("places",), FlooredRules: ("shares",),
}  # fmt: skip
_BY_PROBLEM = {Stream: "means", ByPulls: "gaps", ByCounts: "gaps"}


@extend(LinearStream, name="row")
def linear_row(self: LinearStream, p: int, k: int) -> LinearStream:
    """Given features have a row for each problem; those that are drawn, one for each thread."""
    row = p if self.drawing.given() else k
    return LinearStream(
        self.law, self.drawing, self.theta[p], self.known[row], self.means[row], self.logistic,
        self.key0, self.key1,
    )  # fmt: skip


def has_arrays(value: Any) -> bool:
    """Whether a value is an array, or a record with arrays in it."""
    inside = any(map(has_arrays, value)) if isinstance(value, tuple) else False
    return inside or hasattr(value, "dtype")


def add_rows(record: Any) -> None:
    """Give the class of a record, and those of the records in it, the method `row`.

    row(p, k): the record of thread k, which plays problem p.
    """
    cls = type(record)
    for each in record:
        if isinstance(each, tuple):
            add_rows(each)
    if hasattr(cls, "row"):
        return
    parts = []
    for name, value in zip(record._fields, record, strict=True):
        if isinstance(value, tuple):
            parts.append(f"self.{name}.row(p, k)")
        elif has_arrays(value) and name not in _SHARED.get(cls, ()):
            parts.append(f"self.{name}[{'p' if _BY_PROBLEM.get(cls) == name else 'k'}]")
        else:
            parts.append(f"self.{name}")
    changed = any(part.endswith(("]", ")")) for part in parts)
    # Compiled code cannot loop over fields of different types: so each class gets its own line.
    made: dict[str, Any] = {cls.__name__: cls, "__name__": __name__}
    text = f"{cls.__name__}({', '.join(parts)})" if changed else "self"
    exec(f"def row(self, p, k):\n    return {text}", made)
    extend(cls, name="row")(made["row"])


def spread(record: Any, room: Room, bring: Callable[[Any], Any], threads: int) -> Any:
    """The record with a row for each thread in the place of each array.

    room: makes an array of a shape, a kind and a layout ("C" or "F") on the device, whose numbers
    are those that `restart` leaves. bring: moves an array there that all threads share.
    Arrays have at least two rows and columns: otherwise their layout, which is part of their type,
    would be ambiguous. Arrays of numbers of the same length stand side by side: threads that pull
    different arms then read and write one sector of memory each, not one for each array.
    """
    rows, shared = max(threads, 2), _SHARED.get(type(record), ())
    made: dict[int, Any] = {
        id(getattr(record, each)): bring(getattr(record, each)) for each in shared
    }
    alike: dict[int, list[Any]] = {}
    for each in record:
        own = isinstance(each, np.ndarray) and id(each) not in made
        if own and each.ndim == 1 and each.dtype == np.float64:
            alike.setdefault(each.size, []).append(each)
    for size, arrays in alike.items():
        shape = max(size, 2), rows, len(arrays)
        if len(arrays) > 1:
            block = room(shape, np.float64, "C")
            made.update(zip(map(id, arrays), side_by_side(block), strict=True))
    for each in record:
        if isinstance(each, np.ndarray) and id(each) not in made:
            shape = rows, *(max(length, 2) for length in each.shape)
            made[id(each)] = room(shape, each.dtype, "F")
    return type(record)(
        *(
            made[id(each)]
            if isinstance(each, np.ndarray)
            else spread(each, room, bring, threads)
            if isinstance(each, tuple) and has_arrays(each)
            else each
            for each in record
        )
    )


def bytes_of(record: Any) -> int:
    """The memory that the arrays of a record take for each thread."""
    if isinstance(record, np.ndarray):
        return 8 * max(record.size, 2)
    return sum(map(bytes_of, record)) if isinstance(record, tuple) else 0
