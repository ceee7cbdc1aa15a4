"""Locks that processes take on numbers, and that vanish with the process that holds them.

Number n is byte n of a file, which is empty: `fcntl` (POSIX) and `msvcrt` (Windows) lock bytes that
need not be there, and the system frees them when a process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

from .errors import RunWarning

fcntl: Any
msvcrt: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
try:
    import msvcrt
except ImportError:
    msvcrt = None

_SECONDS_A_TRY = 0.02


class _File:
    """The file as this process has it open, once: POSIX frees all locks that a process has on a
    file as soon as it closes any handle of it. Threads exclude each other by `held`."""

    def __init__(self, handle: int, identity: tuple[int, int]) -> None:
        self.handle, self.identity = handle, identity
        self.users, self.held, self.guard = 0, set[int](), threading.Lock()


_open: dict[tuple[int, int], _File] = {}
_opening = threading.Lock()


if hasattr(os, "register_at_fork"):  # a child inherits no lock, so nothing is held in it
    os.register_at_fork(after_in_child=_open.clear)


class Locks:
    """Locks on numbers, for all processes and threads that name the same file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._mine: set[int] = set()
        with _opening:
            self._file = _opened(self._path)
            self._file.users += 1

    def take(self, number: int) -> bool:
        """Whether the number is this object's from now on; False if it is held elsewhere."""
        file = self._file
        with file.guard:
            if number in file.held or not self._lock(number):
                return False
            file.held.add(number)
            self._mine.add(number)
            return True

    def free(self, number: int) -> None:
        """Let others take the number."""
        file = self._file
        with file.guard:
            self._mine.discard(number)
            file.held.discard(number)
            _unlock_byte(file.handle, number)

    @contextlib.contextmanager
    def holding(self, number: int) -> Iterator[None]:
        """Wait for the number, and hold it for the body."""
        while not self.take(number):
            time.sleep(_SECONDS_A_TRY)
        try:
            yield
        finally:
            self.free(number)

    def close(self) -> None:
        """Free everything that is held."""
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
            # A file system without locks: work is done twice rather than not at all.
            text = f"{self._path}: cannot be locked ({problem.strerror}): processes share no work."
            warnings.warn(RunWarning(text), stacklevel=4)
        return True


def _opened(path: str) -> _File:
    """The file, as it is open already or opened now."""
    with contextlib.suppress(OSError):
        found = os.stat(path)
        if (found.st_dev, found.st_ino) in _open:
            return _open[found.st_dev, found.st_ino]
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    found = os.fstat(handle)
    identity = found.st_dev, found.st_ino
    return _open.setdefault(identity, _File(handle, identity))


def _lock_byte(handle: int, number: int) -> None:
    if fcntl is not None:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
    elif msvcrt is not None:
        os.lseek(handle, number, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)


def _unlock_byte(handle: int, number: int) -> None:
    with contextlib.suppress(OSError):
        if fcntl is not None:
            fcntl.lockf(handle, fcntl.LOCK_UN, 1, number)
        elif msvcrt is not None:
            os.lseek(handle, number, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
