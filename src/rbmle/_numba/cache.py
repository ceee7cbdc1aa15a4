"""The disk cache of compiled code: a private folder for each state of the package's sources.

Code from the cache is run, so nobody else may be able to put files there: the folder must belong to
the user, and only the user may write to it. Without such a folder each process compiles for itself
and caches nothing. Files have a checksum: one that is damaged is compiled again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pathlib
import pickle
import re
import shutil
import time
from collections.abc import Callable
from typing import NamedTuple

from numba.core.base import BaseContext
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler import CompileResult
from numba.core.typing import Signature

from .._io.machine import log

_PACKAGE = pathlib.Path(__file__).parents[1]
_NAME = re.compile(r"[0-9a-f]{16}(-[\w.+]+)?")  # names that `place` gives to folders
# Rooms whose code is never compiled, nor called by compiled code: editing them keeps the cache.
NEVER_COMPILED = frozenset({"atlas", "cli", "figures", "paper", "reports", "service", "studies"})
_UNUSED_DAYS = 30  # a choice: a version unused for a month is unlikely to be used again
_SEAL = hashlib.sha256().digest_size  # bytes of the checksum


class Place(NamedTuple):
    """The cache folder; or None, and the reason why there is none."""

    folder: str | None
    problem: str = ""


@functools.cache
def place(compiler: str) -> Place:
    """The folder for these sources and this version of the compiler; it is created if missing.

    Its name contains a digest of the sources, because Numba's own cache notices an edit only in
    the file of the compiled function itself, not in the files of functions it calls.
    """
    try:
        root = _root()
        folder = root / f"{digest_of_sources(NEVER_COMPILED)}-{compiler}"
        _make_private(folder)
        os.utime(folder)  # marks it as used today, so that no other version prunes it
        _prune(root, folder)
    except OSError as problem:
        return Place(None, str(problem))
    return Place(str(folder))


@functools.cache
def explain(compiler: str) -> None:
    """Log the reason if compiled code cannot be cached; once only."""
    problem = place(compiler).problem
    if problem:
        words = "compiled code is not kept for the next run: %s (RBMLE_CACHE_DIR names a folder)"
        log.warning(words, problem)


@functools.cache
def digest_of_sources(without: frozenset[str] = frozenset()) -> str:
    """A digest of the sources of the package, 16 hexadecimal digits. without: rooms left out."""
    every = sorted(_PACKAGE.rglob("*.py"))
    sources = [each for each in every if each.relative_to(_PACKAGE).parts[0] not in without]
    return hashlib.sha256(b"\0".join(each.read_bytes() for each in sources)).hexdigest()[:16]


def _root() -> pathlib.Path:
    """The private folder that holds those of all versions: RBMLE_CACHE_DIR or ~/.cache/rbmle."""
    chosen = os.environ.get("RBMLE_CACHE_DIR")
    if chosen:
        root = pathlib.Path(chosen).absolute()
    else:
        try:
            home = pathlib.Path.home()
        except RuntimeError:  # no HOME, and no entry for the user in the password database
            raise OSError("there is no home folder") from None
        if not home.is_dir():
            raise OSError(f"there is no home folder {home}")
        root = home / ".cache" / "rbmle"
        if root.is_dir() and _is_ours(root):
            root.chmod(0o700)  # earlier versions of the package left the mode to the umask
    _make_private(root)
    return root


def _make_private(folder: pathlib.Path) -> None:
    """Make the folder; raise OSError if it exists and other users could have put files there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_ours(folder):
        raise OSError(f"{folder} belongs to another user")
    if os.name == "posix" and folder.stat().st_mode & 0o022:
        raise OSError(f"others may write to {folder}")
    if not os.access(folder, os.W_OK):
        raise OSError(f"{folder} cannot be written to")


def _is_ours(folder: pathlib.Path) -> bool:
    return os.name != "posix" or folder.stat().st_uid == os.geteuid()


def _prune(root: pathlib.Path, current: pathlib.Path) -> None:
    """Delete the folders of other versions that were not used for a month.

    A process that still runs such a version creates its folder again when it next compiles.
    """
    oldest = time.time() - _UNUSED_DAYS * 86400
    for each in root.iterdir():
        if each == current or each.is_symlink() or not _NAME.fullmatch(each.name):
            continue
        with contextlib.suppress(FileNotFoundError):  # another process was quicker
            if each.stat().st_mtime < oldest:
                shutil.rmtree(each, ignore_errors=True)


class SealedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's cache files with a checksum; without one, damaged machine code would be run."""

    def _dump(self, obj: object) -> bytes:
        data: bytes = super()._dump(obj)
        return data + hashlib.sha256(data).digest()

    def _load_index(self) -> object:
        version = pickle.dumps(self._version, protocol=-1)  # the file begins with it, unsealed
        with contextlib.suppress(FileNotFoundError):
            _check_seal(self._index_path, skip=len(version))
        return super()._load_index()

    def _load_data(self, name: str) -> object:
        _check_seal(self._data_path(name))
        return super()._load_data(name)


def _check_seal(file: str, skip: int = 0) -> None:
    """Raise ValueError unless the file, after its first `skip` bytes, ends with its checksum."""
    data = pathlib.Path(file).read_bytes()[skip:]
    if hashlib.sha256(data[:-_SEAL]).digest() != data[-_SEAL:]:
        raise ValueError("checksum")


class DiskCache(FunctionCache):  # type: ignore[misc]
    """Numba's disk cache of a function, except that unreadable or unwritable files are no error."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        base, stamp = self._impl.filename_base, self._impl.locator.get_source_stamp()
        self._cache_file = SealedFiles(self.cache_path, base, stamp)
        self._files = pathlib.Path(self.cache_path, f"{base}.*nb[ic]")

    def load_overload(self, sig: Signature, target_context: BaseContext) -> CompileResult | None:
        """The code for arguments of these types, if it is there.

        Two processes that save at the same time can give their code one name: Numba does not lock
        its index. So code for other types may be found under a name, and is not used.
        """
        try:
            found = super().load_overload(sig, target_context)
        except Exception as problem:
            files = self._files
            log.warning("%s is compiled again: its file was damaged (%s)", files.stem, problem)
            for each in files.parent.glob(files.name):
                each.unlink(missing_ok=True)
            return None
        return found if found is None or tuple(found.signature.args) == tuple(sig) else None

    def save_overload(self, sig: Signature, data: CompileResult) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as problem:
            log.warning("compiled code was not kept: %s", problem)
