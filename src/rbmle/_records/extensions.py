"""Policies, families and laws from outside the package: modules by name, and installed packages.

A class is known by its name once the module that defines it has been imported: the decorators
`@policy`, `@family` and `@law` register it. There are two ways to have a module imported. A user
names a module with `--import` or with `import = [...]` in a study's file. An installed package
announces its classes by entry points in its pyproject.toml,

    [project.entry-points."rbmle.policies"]
    imed = "my_package.imed:IMED"

and in the same way under "rbmle.families".
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import warnings
from collections.abc import Iterable
from importlib.metadata import entry_points

from ..errors import ParameterError, RunWarning, Words

GROUPS = ("rbmle.policies", "rbmle.families")


def import_modules(
    names: Iterable[str], owner: str, key: str = "import",
    beside: str | os.PathLike[str] | None = None,
) -> None:  # fmt: skip
    """Import modules by name, so that the classes they define are known.

    Besides Python's usual places, the current folder and the folder `beside` (that of the study's
    file) are searched, last.
    """
    folders = [os.getcwd(), *([] if beside is None else [os.path.abspath(beside)])]
    sys.path.extend(each for each in folders if each not in sys.path)
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as problem:
            why = f"{type(problem).__name__}: {problem}"
            raise ParameterError(
                owner, key, "names of modules that can be imported",
                Words(f"{name!r} ({' '.join(why.split())})"),
            ) from problem  # fmt: skip


@functools.cache
def load_installed() -> None:
    """Load the classes that installed packages announce; one that fails to load gives a warning.

    Later calls do nothing.
    """
    for group in GROUPS:
        for each in entry_points(group=group):
            try:
                each.load()
            except Exception as problem:
                text = f"{group}: {each.name} = {each.value} cannot be loaded ({problem})."
                warnings.warn(RunWarning(text), stacklevel=2)
