"""Stochastic multi-armed bandits built round RBMLE, reward-biased maximum likelihood estimation.

`__init__.pyi` lists the public names. Each is imported when it is first used (SPEC 1 of Scientific
Python), because the rooms behind them need Numba, which takes a while to import.
"""

from ._io import interrupt  # noqa: F401  (first, for Ctrl-C during the other imports)

# isort: split
import ast
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

# The optional packages of names that cannot be imported without them.
_NEEDS = {"AsyncClient": "httpx", "Client": "httpx", "figures": "matplotlib"}

# Where each name is: the module, and what it is called there; "" for a module of the package.
_PLACES = {
    str(each.asname): (node.module or each.name, each.name if node.module else "")
    for node in ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for each in node.names
}

__all__ = sorted(_PLACES.keys() - _NEEDS.keys())


def __getattr__(name: str) -> object:
    """Import a public name."""
    if name == "__version__":
        value: object = _version()
    elif name in _PLACES:
        place, called = _PLACES[name]
        module = import_module(f".{place}", __name__)
        value = getattr(module, called) if called else module
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names; those that need an optional package, if that is installed."""
    found = [name for name, needed in _NEEDS.items() if find_spec(needed)]
    return sorted([*__all__, *found, "__version__"])


def _version() -> str:
    """The version that was installed; of a folder that was not, none is known."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("rbmle")
    except PackageNotFoundError:
        return "0+unknown"


class _Package(ModuleType):
    """This package. `rbmle.evidence` is the decorator: when the room of the same name is imported,
    Python would put the room in its place."""

    def __setattr__(self, name: str, value: object) -> None:
        room = name == "evidence" and isinstance(value, ModuleType)
        super().__setattr__(name, vars(value)["evidence"] if room else value)


sys.modules[__name__].__class__ = _Package
