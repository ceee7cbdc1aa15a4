"""The package's logger, optional packages, and the memory of the machine."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
from pathlib import Path

from ..errors import ParameterError, RbmleError

# A library prints nothing by itself: it logs, and the application decides what is shown. The
# command line shows these messages on stderr.
log = logging.getLogger("rbmle")
log.addHandler(logging.NullHandler())
COMMAND_LINE = "command line"  # the name of the handler that shows messages in a terminal

_EXTRAS = {  # packages as pip knows them, as in pyproject.toml
    "report": ("matplotlib", "jinja2"),
    "data": ("pandas",),
    "service": ("uvicorn", "httptools", "starlette", "msgspec", "httpx", "psycopg"),
    "dask": ("distributed", "dask-jobqueue"),
    "gpu": ("numba-cuda",),
}
# Where Linux states the memory limit of a container (control groups version 2 and 1).
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def require_extra(owner: str, extra: str) -> None:
    """Raise an error with the pip command to type, if a package of the extra is not installed."""
    for package in _EXTRAS[extra]:
        if importlib.util.find_spec(package.replace("-", "_")) is None:
            raise not_installed(owner, package, extra)


def not_installed(owner: str, package: str, extra: str) -> RbmleError:
    """The error to raise when an import of the package failed."""
    command = f'pip install ".[{extra}]"'  # rbmle is not on PyPI yet
    return RbmleError(
        f"{owner}: {package} is not installed. Install it, in a clone of rbmle, with: {command}"
    )


def machine_memory() -> int | None:
    """The bytes of memory of the machine, or its container's limit; None if it is not known."""
    found = []
    with contextlib.suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in _LIMITS:
        with contextlib.suppress(OSError, ValueError):  # the text is "max" if there is no limit
            found.append(int(Path(path).read_text()))
    return min((each for each in found if each > 0), default=None)


def check_memory(owner: str, replications: int, needed: int) -> None:
    """Raise ParameterError if results that take `needed` bytes do not fit in memory."""
    most = machine_memory()
    if most is not None and needed > most:
        raise ParameterError(
            owner,
            "replications",
            "few enough for their results to fit in memory: "
            f"{replications:,} need {size_text(needed)}, and there are {size_text(most)}",
            hint=" Fewer checkpoints need less.",
        )


def size_text(count: float) -> str:
    """A number of bytes with a unit that suits it.

    >>> size_text(1_500_000), size_text(4.8e12)
    ('1.5 MB', '4.8 TB')
    """
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if count < 1000.0:
            return f"{count:.3g} {unit}"
        count /= 1000.0
    return f"{count:,.3g} PB"
