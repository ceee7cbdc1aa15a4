"""Where compiled code is kept: a private folder for each state of the package's sources.

Compiled code is loaded and run, so nobody else may be able to put some there: the folder belongs to
the user and only the user may write to it. Where there is no such folder, code is compiled in each
process and not kept.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pathlib
import re
import shutil
import time
from typing import NamedTuple

from ._log import log

_PACKAGE = pathlib.Path(__file__).parent
_NAME = re.compile(r"[0-9a-f]{16}(-[\w.+]+)?")  # what `place` calls a folder
_UNUSED_DAYS = 30  # an older version that was not used for so long is unlikely to be used again
_SEAL = hashlib.sha256().digest_size


class Place(NamedTuple):
    """The folder, or None and the reason why code is not kept."""

    folder: str | None
    problem: str = ""


@functools.cache
def place(compiler: str) -> Place:
    """The folder for the present sources and this version of the compiler, made if need be.

    Numba's own cache notices edits in the file of a function, not in the files it calls: so the
    folder's name is a digest of all the sources.
    """
    try:
        root = _root()
        folder = root / f"{_digest()}-{compiler}"
        _make_private(folder)
        os.utime(folder)  # it was used today: `_prune` of another version leaves it alone
        _prune(root, folder)
    except OSError as problem:
        return Place(None, str(problem))
    return Place(str(folder))


@functools.cache
def explain(compiler: str) -> None:
    """Say, once, why compiled code is not kept."""
    problem = place(compiler).problem
    if problem:
        log.warning(
            "compiled code is not kept for the next run: %s (RBMLE_CACHE_DIR names a folder)",
            problem,
        )


def discard(files: str, problem: Exception) -> None:
    """Delete files of compiled code that cannot be read (a pattern), so that they are made anew."""
    path = pathlib.Path(files)
    log.warning("%s is compiled again: its file was damaged (%s)", path.stem, problem)
    for each in path.parent.glob(path.name):
        each.unlink(missing_ok=True)


def sealed(data: bytes) -> bytes:
    """The data and, at its end, a checksum that `check_seal` looks at."""
    return data + hashlib.sha256(data).digest()


def check_seal(file: str, skip: int = 0) -> None:
    """Refuse a file that does not hold, after the bytes to skip, what `sealed` made."""
    data = pathlib.Path(file).read_bytes()[skip:]
    if hashlib.sha256(data[:-_SEAL]).digest() != data[-_SEAL:]:
        raise ValueError("checksum")


def _digest() -> str:
    sources = sorted(_PACKAGE.rglob("*.py"))
    return hashlib.sha256(b"\0".join(each.read_bytes() for each in sources)).hexdigest()[:16]


def _root() -> pathlib.Path:
    """The folder of all versions, which only the user can write to."""
    chosen = os.environ.get("RBMLE_CACHE_DIR")
    if chosen:
        root = pathlib.Path(chosen).absolute()
    else:
        try:
            home = pathlib.Path.home()
        except RuntimeError:  # no HOME, and the user is not in the list of users
            raise OSError("there is no home folder") from None
        if not home.is_dir():
            raise OSError(f"there is no home folder {home}")
        root = home / ".cache" / "rbmle"
        if root.is_dir() and _is_ours(root):
            root.chmod(0o700)  # earlier versions left that to the umask
    _make_private(root)
    return root


def _make_private(folder: pathlib.Path) -> None:
    """Make the folder, or refuse one that is there and that others could have filled."""
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
    """Delete the folders of other versions that nobody used for a month.

    A process that has run since before then and still wants its folder makes it anew.
    """
    oldest = time.time() - _UNUSED_DAYS * 86400
    for each in root.iterdir():
        if each == current or each.is_symlink() or not _NAME.fullmatch(each.name):
            continue
        with contextlib.suppress(FileNotFoundError):  # another process was quicker
            if each.stat().st_mtime < oldest:
                shutil.rmtree(each, ignore_errors=True)
