"""Atomic writing of files: a reader finds the old or the new content, never a part."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Iterable

# A temporary file exists while its content is written: one older than an hour was left behind by a
# process that was killed.
_STALE_SECONDS = 3600.0


def write_atomically(path: str | os.PathLike[str], content: bytes | Iterable[bytes]) -> None:
    """Replace the file: a reader sees the old or the new content, also after a crash.

    content: all bytes at once, or an iterable of parts that are written as they come.
    The content goes to a temporary file first, whose name starts with a dot. A process that is
    killed meanwhile leaves that file behind; `sweep` and `sweep_leftovers` remove such files.
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
    except BaseException as problem:
        if isinstance(problem, OSError) and problem.filename == temporary:
            problem.filename, problem.filename2 = os.fspath(path), None  # what the caller knows
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if hasattr(os, "O_DIRECTORY"):  # the new name itself must survive a loss of power too
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sweep_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove the temporary files that killed processes left while they wrote this path."""
    folder, name = os.path.split(os.path.realpath(path))
    leftover = re.compile(rf"\.{re.escape(name)}\.(\d+)-\d+\.tmp")
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = leftover.fullmatch(entry.name)
            if found and not _runs(int(found[1])):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


def _runs(process: int) -> bool:
    """Whether the process still runs. On Windows always True: `os.kill` would end it there."""
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
    """Remove temporary files of any name in the folder that are more than an hour old."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(".tmp"):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat().st_mtime > _STALE_SECONDS:
                        os.unlink(entry.path)
