"""A file that others write, and that we wait for until it is on the disk."""

from __future__ import annotations

import os

# Data and what is needed to read it back; not the time of the last change, as `fsync` would.
_sync = getattr(os, "fdatasync", os.fsync)


class SyncedFile:
    """The file at a path, whichever file that is at the moment."""

    def __init__(self, path: str) -> None:
        self._path, self._handle, self._identity = path, -1, (-1, -1)

    def sync(self) -> None:
        """Return when all that was written to the file is on the disk."""
        found = os.stat(self._path)
        if (found.st_dev, found.st_ino) != self._identity:
            self.close()
            self._handle = os.open(self._path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
            self._identity = found.st_dev, found.st_ino
        _sync(self._handle)

    def close(self) -> None:
        """Close the file."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._identity = -1, (-1, -1)
