"""Backups: the whole database in one SQLite file, of any storage and into any storage.

It is read in one transaction, so it is consistent while the service runs. A backup is a database:
`rbmle service verify` checks it, and `rbmle serve` can serve it.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from tempfile import TemporaryDirectory

from .._io.files import sync_folder
from ..errors import ParameterError, RbmleError
from .addresses import without_password
from .storage import Storage, open_storage
from .verify import verify


def backup(source: Storage, path: str) -> int:
    """Write the whole database to a new file, complete or not at all; returns how many rows."""
    if os.path.exists(path):
        raise ParameterError("backup", "FILE", "a file that does not exist yet", path)
    folder = os.path.dirname(os.path.abspath(path))
    try:
        with TemporaryDirectory(prefix=".backup-", dir=folder) as inside:
            made = os.path.join(inside, "rbmle.db")
            with (
                closing(open_storage(f"sqlite:///{made}")) as target,
                source.reading(),
                target.writing(),
            ):
                copied = _copy(source, target)
            os.rename(made, path)
    except OSError as problem:
        raise RbmleError(f"backup: {path} cannot be written: {problem.strerror}.") from None
    with suppress(OSError):
        sync_folder(folder)
    return copied


def restore(path: str, database: str) -> int:
    """Copy a backup into an empty database; returns how many rows.

    The backup is verified before anything is created.
    """
    with closing(open_storage(f"sqlite:///{path}", read_only=True)) as source:
        wrong = next((each.wrong for each in verify(source) if each.wrong), "")
        if wrong:
            raise RbmleError(f"restore: {path} is not restored: {wrong}")
        with closing(open_storage(database)) as target, source.reading(), target.writing():
            if target.experiments() or target.stored_keys():
                given, allowed = without_password(database), "one without experiments and keys"
                raise ParameterError("restore", "--database", allowed, given)
            return _copy(source, target)


def _copy(source: Storage, target: Storage) -> int:
    """Copy all but the counters, within transactions."""
    experiments, copied = source.experiments(), 0
    target.put("experiments", experiments)
    target.put("keys", source.stored_keys())
    for each in experiments:
        for rows in source.log(each.number):
            target.append(rows)
            copied += len(rows)
    for number, seq, state in source.snapshots():
        target.save_snapshot(number, seq, bytes(state))
    return copied
