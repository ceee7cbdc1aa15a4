"""Locks on numbers, shared by processes: process A takes number 7, so process B cannot.

Taking number n locks byte n of a file. The file stays empty: `fcntl` (POSIX) and `msvcrt` (Windows)
can lock bytes past its end. The operating system frees a process's locks when it ends, even if it
was killed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator

from ..errors import RunWarning

if sys.platform == "win32":
    import msvcrt

    def _lock_byte(handle: int, number: int) -> None:
        os.lseek(handle, number, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _unlock_byte(handle: int, number: int) -> None:
        os.lseek(handle, number, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock_byte(handle: int, number: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)

    def _unlock_byte(handle: int, number: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_UN, 1, number)


_RETRY_SECONDS = 0.02  # of `holding`: no busy loop, and no wait that one notices


class _File:
    """The one handle that this process has on a lock file, shared by all its `Locks`.

    One only, because POSIX frees all of a process's locks on a file as soon as the process closes
    any handle of it. The system's locks do not exclude threads of one process; the set `held` does.
    """

    def __init__(self, handle: int, identity: tuple[int, int]) -> None:
        self.handle, self.identity = handle, identity
        self.users, self.held, self.guard = 0, set[int](), threading.Lock()


_open: dict[tuple[int, int], _File] = {}
_opening = threading.Lock()


if hasattr(os, "register_at_fork"):  # a forked child inherits no lock: its table starts empty
    os.register_at_fork(after_in_child=_open.clear)


class Locks:
    """Locks on numbers, exclusive among all processes and threads that name the same file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._mine: set[int] = set()
        with _opening:
            self._file = _opened(self._path)
            self._file.users += 1

    def take(self, number: int) -> bool:
        """Try to lock the number: True if it is now held here, False if someone else holds it."""
        file = self._file
        with file.guard:
            if number in file.held or not self._lock(number):
                return False
            file.held.add(number)
            self._mine.add(number)
            return True

    def free(self, number: int) -> None:
        """Give the number back, so that others can take it."""
        file = self._file
        with file.guard:
            self._mine.discard(number)
            file.held.discard(number)
            with contextlib.suppress(OSError):
                _unlock_byte(file.handle, number)

    @contextlib.contextmanager
    def holding(self, number: int) -> Iterator[None]:
        """A context: wait until the number is free, and hold it for the body of the `with`."""
        while not self.take(number):
            time.sleep(_RETRY_SECONDS)
        try:
            yield
        finally:
            self.free(number)

    def close(self) -> None:
        """Free all numbers that this object holds, and close the file if nobody else uses it."""
        for number in list(self._mine):
            self.free(number)
        with _opening:
            self._file.users -= 1
            if not self._file.users:
                _open.pop(self._file.identity, None)
                os.close(self._file.handle)

    def __enter__(self) -> Locks:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lock(self, number: int) -> bool:
        try:
            _lock_byte(self._file.handle, number)
        except OSError as problem:
            if problem.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                return False
            # The file system has no locks. Go on without: doing work twice is better than stopping.
            text = f"{self._path}: cannot be locked ({problem.strerror}): processes share no work."
            warnings.warn(RunWarning(text), stacklevel=4)
        return True


def _opened(path: str) -> _File:
    """The process's handle of the file: the one that is open, or a new one."""
    with contextlib.suppress(OSError):
        found = os.stat(path)
        if (found.st_dev, found.st_ino) in _open:
            return _open[found.st_dev, found.st_ino]
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    found = os.fstat(handle)
    identity = found.st_dev, found.st_ino
    return _open.setdefault(identity, _File(handle, identity))
