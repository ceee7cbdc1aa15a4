"""Reports: one self-contained HTML page, made of what a run stored.

`rbmle.report(folder, path)` writes one. `rbmle.report` is also this package, so the package itself
can be called; it passes the call on to the function `report` in `writing`.
"""

import sys
from types import ModuleType
from typing import Any

from .writing import report


class _Room(ModuleType):
    """The type of this package: a module that can be called."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        return report(*given, **named)


sys.modules[__name__].__class__ = _Room

__all__ = ["report"]
