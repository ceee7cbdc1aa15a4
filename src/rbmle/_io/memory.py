"""The memory of the machine: results too large for it are refused before any work is done."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ..errors import ParameterError

# Where Linux states the memory limit of a container (control groups version 2 and 1).
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def machine_memory() -> int | None:
    """The bytes of memory that this process can use: the machine's, or its container's limit.

    None if the system does not tell.
    """
    found = []
    with contextlib.suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in _LIMITS:
        with contextlib.suppress(OSError, ValueError):  # the text is "max" if there is no limit
            found.append(int(Path(path).read_text()))
    return min((each for each in found if each > 0), default=None)


def check_memory(owner: str, replications: int, needed: int) -> None:
    """Raise ParameterError if the results of all replications would not fit in memory.

    needed: the bytes that they take.
    """
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
