"""What all machines that play a study must have in common, because results depend on it."""

from __future__ import annotations

import functools
import platform
import sys

import numba
import numpy as np

from .._numba.cache import digest_of_sources
from ..errors import RunError


@functools.cache
def versions() -> dict[str, str]:
    """The versions of the package, NumPy, Numba and Python in this process.

    The package's has a digest of its sources, so that an edited copy is another version. Python's
    has two numbers: the code of a user's own class is sent as bytecode, which every 3.x changes.
    """
    return {
        "rbmle": f"{sys.modules['rbmle'].__version__} (sources {digest_of_sources()[:8]})",
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": ".".join(platform.python_version_tuple()[:2]),
    }


def check_versions(wanted: dict[str, str], found: dict[str, str], where: str) -> None:
    """Raise RunError if a worker's versions are not those of the process that runs the study."""
    for name, version in wanted.items():
        if found.get(name) != version:
            raise RunError(
                f"run: workers must have {name} {version}, as here, because results could differ. "
                f"Got {found.get(name, 'none')} on {where}."
            )
