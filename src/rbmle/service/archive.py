"""An experiment that is over: written to a file, removed, or without the ids of persons."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

import msgspec

from .._io.files import write_atomically
from ..errors import ParameterError, RbmleError, did_you_mean
from .definition import Definition
from .experiment_cache import Cache, QuarantineError
from .rows import Kind
from .storage import Storage, StorageError, Stored
from .verify import UNUSABLE

FORMAT, VERSION = "rbmle-archive", 1
_ROWS_PER_STEP = 5_000  # of the log in one transaction: less than 100 ms, while others wait
_encode = msgspec.json.Encoder().encode


def the_experiment(storage: Storage, owner: str, name: str) -> Stored:
    """The experiment of that name; within a transaction."""
    found = storage.find(name)
    if found is None:
        hint = did_you_mean(name, [each.name for each in storage.experiments()])
        raise ParameterError(owner, "EXPERIMENT", "the name of one that exists", name, hint)
    return found


def archive(storage: Storage, name: str, path: str) -> int:
    """Write the experiment to a new file of JSON lines; returns how many rows of its log.

    The first line is a header: `format`, `version`, `name`, `definition`, and `arms`, all arms in
    the order in which they were added. Then the log, as `/events` shows it, with arms by name.
    """
    if os.path.exists(path):
        raise ParameterError("archive", "FILE", "a file that does not exist yet", path)
    with storage.reading():
        stored = the_experiment(storage, "archive", name)
        try:
            write_atomically(path, _lines(storage, stored))
        except OSError as problem:
            raise RbmleError(f"archive: {path} cannot be written: {problem.strerror}.") from None
        except StorageError:
            raise
        except UNUSABLE as problem:
            why = f"archive: the experiment {name!r} cannot be used ({str(problem).rstrip('.')})."
            raise RbmleError(f"{why} 'rbmle service repair' says what can be done.") from None
        return storage.last_seq(stored.number)


def _lines(storage: Storage, stored: Stored) -> Iterator[bytes]:
    plain = Definition.read(stored.definition).plain()
    rows = chain.from_iterable(storage.log(stored.number))
    arms = [*plain.arms, *(row.text for row in rows if row.kind == Kind.ADDED)]
    header = {
        "format": FORMAT, "version": VERSION, "name": stored.name, "definition": plain,
        "arms": arms,
    }  # fmt: skip
    yield _encode(header) + b"\n"
    for row in chain.from_iterable(storage.log(stored.number)):
        event = row.event()
        if row.arm is not None:
            event["arm"] = arms[row.arm]
        if row.among is not None:
            event["among"] = [arms[place] for place in event["among"]]
        yield _encode(event) + b"\n"


def end(storage: Storage, name: str) -> None:
    """End the experiment, as `POST /v1/experiments/{name}/end` does."""
    with storage.writing():
        stored = the_experiment(storage, "end", name)
        storage.lock([stored.number])
        known = Cache(storage).current(stored)
        if known is not None and not known.ended:
            storage.append([known.end(known.at)])  # a clock of ours may be wrong


def delete(storage: Storage, name: str) -> int:
    """Remove an experiment that has ended, or cannot be used; returns how many rows it had.

    It is gone at once; its rows go in steps, so that the service goes on. What an earlier call left
    that did not come to its end goes too, also where that has removed this name already.
    """
    storage.overwrite_deleted()
    try:
        with storage.writing():
            stored = the_experiment(storage, "delete", name)
            storage.lock([stored.number])
            with suppress(QuarantineError):
                known = Cache(storage).current(stored)
                if known is not None and not known.ended:
                    raise ParameterError("delete", "EXPERIMENT", "one that has ended", name)
            storage.remove_experiment(stored.number)
    finally:
        with storage.reading():
            left = storage.ownerless()
        removed = sum(_remove_rows(storage, number) for number in left)
        storage.empty_journal()
    return removed


def _remove_rows(storage: Storage, number: int) -> int:
    removed = 0
    while True:
        with storage.writing():
            last = storage.last_seq(number)
            removed += storage.remove_rows(number, last - _ROWS_PER_STEP)
        if last <= _ROWS_PER_STEP:
            return removed


def erase(storage: Storage, name: str, id: str | None, before: float | None) -> int:
    """Erase the id of one decision, or of all that were made before then; returns how many.

    The decisions stay, with their arms and rewards: they are found by ids of our own making.
    """
    storage.overwrite_deleted()
    with storage.writing():
        number = the_experiment(storage, "erase", name).number
        last = storage.last_seq(number)
        erased = 0 if id is None else storage.erase_id(number, id)
    for after in range(0, last if before is not None else 0, _ROWS_PER_STEP):
        with storage.writing():
            until = min(after + _ROWS_PER_STEP, last)
            erased += storage.erase_ids(number, after, until, before or 0.0)
    with storage.writing():  # workers remember the newest ids
        storage.lock([number])
        storage.note_repair(number)
    storage.empty_journal()
    return erased
