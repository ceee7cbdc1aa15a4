"""Policies, families and laws from outside the package: modules by name, and installed packages.

A class is known once the module that defines it was imported (`@policy`, `@family`, `@law` put it
in the list by its name). Installed packages announce theirs by entry points,

    [project.entry-points."rbmle.policies"]
    imed = "my_package.imed:IMED"

and `rbmle.families` alike; a module of one's own is named by `--import`, or by `import = [...]` in
a study's file.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import warnings
from collections.abc import Iterable
from importlib.metadata import entry_points

from .errors import ParameterError, RunWarning

GROUPS = ("rbmle.policies", "rbmle.families")


def import_modules(
    names: Iterable[str], owner: str, key: str = "import",
    beside: str | os.PathLike[str] | None = None,
) -> None:  # fmt: skip
    """Import modules by name, for the classes that they define.

    They are looked for in the current folder too, and in the folder `beside`, after all others.
    """
    folders = [os.getcwd(), *([] if beside is None else [os.path.abspath(beside)])]
    sys.path.extend(each for each in folders if each not in sys.path)
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as problem:
            why = f"{type(problem).__name__}: {problem}"
            raise ParameterError(
                f"{owner}: {key!r} must name modules that can be imported. "
                f"Got {name!r} ({' '.join(why.split())})."
            ) from problem


@functools.cache
def load_installed() -> None:
    """Load what installed packages announce, once; what cannot be loaded is named in a warning."""
    for group in GROUPS:
        for each in entry_points(group=group):
            try:
                each.load()
            except Exception as problem:
                text = f"{group}: {each.name} = {each.value} cannot be loaded ({problem})."
                warnings.warn(RunWarning(text), stacklevel=2)
