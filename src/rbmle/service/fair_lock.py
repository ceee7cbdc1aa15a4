"""A fair lock between processes: a holder cannot retake it before a waiter had it."""

from __future__ import annotations

import os

try:
    import fcntl
except ImportError:  # Windows
    _has_locks = False
else:
    _has_locks = True


class FairLock:
    """Two file locks, one behind the other: the turn, and the lock itself.

    To enter, a process takes the turn, then the lock, then gives the turn back. While one holds the
    lock, the next waits for it with the turn, so the holder cannot retake it before the next. The
    operating system frees both when a process ends, even if it was killed.

    Each object has file handles of its own, so it also excludes other objects in its process.
    """

    def __init__(self, path: str) -> None:
        if not _has_locks:
            raise OSError(f"{path}: this system has no file locks that can be waited for.")
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._lock = os.open(f"{path}-lock", flags, 0o666)
        try:
            self._turn = os.open(f"{path}-turn", flags, 0o666)
        except BaseException:
            os.close(self._lock)
            raise

    def enter(self) -> None:
        """Wait for the lock."""
        fcntl.flock(self._turn, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        finally:
            fcntl.flock(self._turn, fcntl.LOCK_UN)

    def leave(self) -> None:
        """Give the lock back."""
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the files; this frees the locks."""
        os.close(self._turn)
        os.close(self._lock)
