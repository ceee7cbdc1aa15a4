"""What a user's policy is given and what it returns, guarded in both kinds of code.

In the interpreter a mistake raises an exception. In compiled code the types do not fit: so the
compiler refuses it, on paths that are rarely taken too, and nothing is checked during play.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core.base import BaseContext
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing import Signature
from numba.extending import lower_builtin, type_callable

from ..errors import DefinitionError, show
from .compile import Floats
from .mistakes import NO_ARM


def read_only(array: Floats) -> Floats:
    """The same array, which cannot be written to by this name."""
    view = array.view()
    view.flags.writeable = False
    return view


def an_arm(chosen: int) -> int:
    """What `choose` returned, if it is a whole number."""
    if not isinstance(chosen, (int, np.integer)):
        raise DefinitionError(f"{NO_ARM} Got {show(chosen)}.")
    return chosen


@type_callable(read_only)  # type: ignore[untyped-decorator]
def _(context: object) -> Callable[[types.Array], types.Array]:
    return lambda array: array.copy(readonly=True)


@type_callable(an_arm)  # type: ignore[untyped-decorator]
def _(context: object) -> Callable[[types.Type], types.Type]:
    def whole(chosen: types.Type) -> types.Type:
        if not isinstance(chosen, (types.Integer, types.Boolean)):
            raise TypingError(NO_ARM)  # None would make Numba try without paths that return None
        return chosen

    return whole


@lower_builtin(read_only, types.Array)  # type: ignore[untyped-decorator]
@lower_builtin(an_arm, types.Any)  # type: ignore[untyped-decorator]
def _(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    return impl_ret_borrowed(context, builder, signature.return_type, args[0])
