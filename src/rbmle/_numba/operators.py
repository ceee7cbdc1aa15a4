"""The types of operators, each found once while a kernel is compiled.

Numba tries dozens of declarations of `+`, `[]` or `bool` wherever one stands in the code, first to
infer types and then to write code. That is a quarter of the time that compiling takes.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

from numba import types
from numba.core import typing
from numba.core.types.functions import BaseFunction
from numba.core.typing import Signature

_INDEXING = {operator.getitem, operator.setitem}
_OPERATORS = {bool, *(getattr(operator, name) for name in operator.__all__)}
_NUMBERS = (types.Number, types.Boolean)

_found: dict[tuple[object, ...], Signature | None] = {}
_find = BaseFunction.get_call_type


def _find_once(
    self: BaseFunction,
    context: typing.BaseContext,
    args: tuple[types.Type, ...],
    kws: Mapping[str, types.Type],
) -> Signature | None:
    """The type of a call. That of an operator on numbers, or of an element of an array, is cached:
    it depends only on the types of its arguments, not on the caller's options."""
    indexed = self.typing_key in _INDEXING
    if (
        self.typing_key not in _OPERATORS
        or (indexed and not isinstance(args[0], types.Array))
        or not all(isinstance(each, _NUMBERS) for each in args[indexed:])
    ):
        return _find(self, context, args, kws)
    key = self, context, *args
    found = _found.get(key)
    if found is None:
        found = _found[key] = _find(self, context, args, kws)
    return found


def find_once(once: bool) -> None:
    """Cache the types of operators from now on, or look them up each time, as Numba does."""
    _found.clear()
    BaseFunction.get_call_type = _find_once if once else _find  # type: ignore[method-assign]
