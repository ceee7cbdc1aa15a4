"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Iterable

_STALE_SECONDS = 3600.0  # a temporary file lives for a moment: one this old was left by a kill


def write_atomically(path: str | os.PathLike[str], content: bytes | Iterable[bytes]) -> None:
    """Replace the file: who reads it, or finds it after a crash, sees the old or the new content.

    content: all of it, or parts that are written as they come.
    A process killed meanwhile may leave its temporary file, whose name starts with a dot.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with open(temporary, "wb") as file:
            for part in (content,) if isinstance(content, bytes) else content:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if hasattr(os, "O_DIRECTORY"):  # makes the new name itself survive a loss of power
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sweep_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove the temporary files of `write_atomically` for this path whose process is gone."""
    folder, name = os.path.split(os.path.realpath(path))
    leftover = re.compile(rf"\.{re.escape(name)}\.(\d+)-\d+\.tmp")
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = leftover.fullmatch(entry.name)
            if found and not _runs(int(found[1])):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


def _runs(process: int) -> bool:
    """Whether the process is there; on Windows, where asking would end it, it may be."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's
        return True
    return True


def sweep(folder: str | os.PathLike[str]) -> None:
    """Remove the temporary files that processes killed long ago have left in the folder."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(".tmp"):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat().st_mtime > _STALE_SECONDS:
                        os.unlink(entry.path)
