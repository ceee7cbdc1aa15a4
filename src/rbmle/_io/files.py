"""Files that several processes share: replaced atomically, and locked.

A number n is locked, so that only one process works on it, by a lock on byte n of a file. The file
stays empty: `fcntl` (POSIX) and `msvcrt` (Windows) can lock bytes past its end. The operating
system frees a process's locks when it ends, even if it was killed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
import threading
import time
import warnings
from collections.abc import Iterable, Iterator

from ..errors import FileError, RunWarning

if sys.platform == "win32":
    import msvcrt

    def _set_lock(handle: int, number: int, locked: bool) -> None:
        os.lseek(handle, number, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK if locked else msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _set_lock(handle: int, number: int, locked: bool) -> None:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB if locked else fcntl.LOCK_UN, 1, number)


# A temporary file exists while its content is written: one older than an hour was left behind by a
# process that was killed.
_STALE_SECONDS = 3600.0
_RETRY_SECONDS = 0.02  # of `holding`: no busy loop, and no wait that one notices


def write_atomically(path: str | os.PathLike[str], content: bytes | Iterable[bytes]) -> None:
    """Replace the file: a reader sees the old or the new content, also after a crash.

    The content, all bytes or an iterable of parts, goes to a temporary file first, whose name
    starts with a dot. A process that is killed meanwhile leaves that file behind; `sweep` and
    `sweep_leftovers` remove such files.
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
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(problem, OSError):
            raise FileError(os.fspath(path), problem) from None
        raise
    sync_folder(folder)


def sync_folder(folder: str) -> None:
    """Let the names of new files in the folder survive a loss of power, as their content does."""
    if hasattr(os, "O_DIRECTORY"):
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
    try:
        if os.name == "posix":
            os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's
        pass
    return True


def sweep(folder: str | os.PathLike[str]) -> None:
    """Remove temporary files of any name in the folder that are more than an hour old."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(".tmp"):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat().st_mtime > _STALE_SECONDS:
                        os.unlink(entry.path)


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
                _set_lock(file.handle, number, False)

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
            _set_lock(self._file.handle, number, True)
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
