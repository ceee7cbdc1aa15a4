"""A report: one self-contained HTML page made of what a run stored.

`rbmle.report(folder, path)` writes it: the room itself can be called, as the function `report` in
`writing`, because a package and a function of its parent cannot share a name otherwise.
"""

import sys
from types import ModuleType
from typing import Any

from .writing import report


class _Room(ModuleType):
    """This package, which can be called."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        return report(*given, **named)


sys.modules[__name__].__class__ = _Room

__all__ = ["report"]
