"""A run folder: the study, its shards, and which processes made them.

    study.json        the study, its digest, the format and its version
    provenance.json   one entry for each process that played: versions, machine, time spent
    shards/           one file for each finished chunk of replications, see `shards`
    times.json        seconds per decision, if decisions were timed, see `times`
    claims            empty; processes at work lock bytes of it, see `_io/files.py`

Every file is replaced atomically, and the bytes of a shard depend on the study alone. So any number
of processes may work in the same folder, and any of them may be killed at any moment.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import numba
import numpy as np

from .._io.files import Locks, sweep, write_atomically
from ..engine.plan import Rows, Task
from ..errors import RbmleError, RunError, RunWarning
from .shards import decode, encode, file_name, fits, task_of
from .study import FORMAT, VERSION, Study
from .world_tables import Data

_REWRITING = 0  # the byte of `claims` that is locked to rewrite study.json or provenance.json


class Store:
    """The run folder of one study."""

    def __init__(self, folder: str | os.PathLike[str], study: Study) -> None:
        self.folder, self.study = Path(folder), study
        self.shards = self.folder / "shards"
        self._bad: list[Task] = []

    @classmethod
    def open(cls, folder: str | os.PathLike[str], study: Study) -> Store:
        """The folder for this study, made if it is not there. A folder of another study is refused.

        In a folder of the same study with fewer replications, study.json gets the larger number.
        """
        store = cls(folder, study)
        said = store._says_enough()
        with _in_words("written", store.folder):
            store.shards.mkdir(parents=True, exist_ok=True)
        if not said:
            with store._rewriting():
                if not store._says_enough():  # another process may have written it meanwhile
                    path = store.folder / "study.json"
                    store._write(path, {"digest": study.digest, **study.to_dict()})
        sweep(store.folder)
        sweep(store.shards)
        return store

    def _says_enough(self) -> bool:
        """Whether study.json has this study with at least as many replications. Another study is
        refused."""
        path = self.folder / "study.json"
        found = _study(path) if os.path.lexists(path) else None
        if found is not None and found.digest != self.study.digest:
            raise RunError(
                f"{self.folder}: holds a run of another study, with digest {found.digest[:12]}; "
                f"this one's is {self.study.digest[:12]}."
            )
        return found is not None and found.replications >= self.study.replications

    @classmethod
    def of_run(cls, folder: str | os.PathLike[str]) -> Store:
        """The folder of an earlier run, for reading."""
        return cls(folder, _study(Path(folder) / "study.json"))

    def locks(self) -> Locks:
        """The locks by which processes claim chunks, and files that they rewrite."""
        path = self.folder / "claims"
        with _in_words("written", path):
            return Locks(path)

    def read(self) -> Iterator[tuple[Task, Rows]]:
        """All intact shards of this study; a `RunWarning` names each of the others."""
        self._bad = []
        with _in_words("read", self.shards):
            names = sorted(os.listdir(self.shards)) if self.shards.exists() else []
        for task in filter(None, map(task_of, names)):
            rows = self._rows(task)
            if rows is None:
                self._bad.append(task)
            else:
                yield task, rows

    def _rows(self, task: Task) -> Rows | None:
        path = self.shards / file_name(task)
        try:
            if not fits(self.study, task):
                raise RunError("this study has no such replications")
            return decode(self.study, task, path.read_bytes())
        except FileNotFoundError:
            return None
        except (RunError, OSError) as problem:
            why = getattr(problem, "strerror", None) or problem
            text = f"{path}: is left out, to be played again ({why})."
            warnings.warn(RunWarning(text), stacklevel=2)
            return None

    def peek(self, task: Task) -> Rows | None:
        """The rows of exactly this task, if an intact shard of it exists by now."""
        if not (self.shards / file_name(task)).exists():
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)
            return self._rows(task)

    def write(self, task: Task, rows: Rows) -> None:
        """Store a finished task as a shard."""
        path = self.shards / file_name(task)
        with _in_words("written", path):
            write_atomically(path, encode(self.study, task, rows))

    def discard_bad(self) -> None:
        """Remove the damaged shards that `read` found and that were not replaced by intact ones."""
        for task in self._bad:
            if fits(self.study, task) and self.peek(task) is None:
                with suppress(OSError):
                    os.unlink(self.shards / file_name(task))

    @property
    def provenance(self) -> Data:
        """The entries of the processes that played a part of this run.

        A damaged file is moved aside, with one warning.
        """
        try:
            return self._provenance()
        except RunError as problem:
            warnings.warn(RunWarning(f"{str(problem)[:-1]}: it is begun anew."), stacklevel=2)
        with suppress(RunError), self._rewriting():  # in a read-only folder the file stays
            return self._provenance(mend=True)
        return {"invocations": []}

    def note(self, entry: Data) -> Data:
        """Store the entry of an invocation in place of its earlier one."""
        with self._rewriting():
            known = self._provenance(mend=True)
            others = [each for each in known["invocations"] if each.get("id") != entry["id"]]
            known["invocations"] = [*others, entry]
            self._write(self.folder / "provenance.json", known, "rbmle-provenance")
        return known

    def _provenance(self, mend: bool = False) -> Data:
        """What provenance.json says. mend: move a damaged file aside; it counts as empty."""
        path = self.folder / "provenance.json"
        try:
            data = _json(path) if path.exists() else {"invocations": []}
            known = data.get("invocations")
            if not isinstance(known, list) or not all(isinstance(each, dict) for each in known):
                raise RunError(f"{path}: has no list of 'invocations'.")
        except RunError:
            if not mend:
                raise
            with suppress(OSError):
                os.replace(path, path.with_suffix(".json.damaged"))
            data = {"invocations": []}
        return data

    @contextmanager
    def _rewriting(self) -> Iterator[None]:
        """Keep other processes from rewriting study.json or provenance.json inside this block."""
        with self.locks() as locks, locks.holding(_REWRITING):
            yield

    def _write(self, path: Path, data: Data, kind: str = FORMAT) -> None:
        whole = {**data, "format": kind, "version": VERSION}
        text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        with _in_words("written", path):
            write_atomically(path, text.encode("utf-8"))


def _study(path: Path) -> Study:
    data = _json(path)
    if data.pop("format", None) != FORMAT:
        raise RunError(f"{path}: is not a study of a run, its 'format' is not {FORMAT!r}.")
    version, digest = data.pop("version", None), data.pop("digest", None)
    if version != VERSION:
        raise RunError(f"{path}: its version {version!r} is not {VERSION}, the one known here.")
    try:
        study = Study.from_dict(data, str(path))
    except RbmleError as problem:
        raise RunError(str(problem)) from None
    if study.digest != digest:
        raise RunError(
            f"{path}: says digest {str(digest)[:12]} of a study whose digest is "
            f"{study.digest[:12]}, so it was changed by hand or by another version of rbmle."
        )
    return study


def _json(path: Path) -> Data:
    with _in_words("read", path):
        content = path.read_bytes()
    try:
        data = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise RunError(f"{path}: is not a JSON object.")
    return data


@contextmanager
def _in_words(done: str, path: Path) -> Iterator[None]:
    """Turn an error of the operating system inside this block into a `RunError` of one sentence."""
    try:
        yield
    except OSError as problem:
        raise RunError(f"{path}: cannot be {done} ({problem.strerror or problem}).") from None


_SECONDS_BETWEEN_NOTES = 1.0  # a kill loses at most this much of the entry


class Invocation:
    """What this process did. It is written to the folder about once a second, so that a killed
    process leaves an entry too."""

    def __init__(self, store: Store | None, threads: int | None) -> None:
        version = sys.modules["rbmle"].__version__
        self.store, self.wall, self.cpu = store, time.perf_counter(), time.process_time()
        self.entry: Data = {
            "id": uuid.uuid4().hex,
            "rbmle": version,
            "numpy": np.__version__,
            "numba": numba.__version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
            "machine": platform.machine(),
            "cpus": os.cpu_count(),
            "threads": threads or os.cpu_count() or 1,
            "started": _now(),
            "finished": None,
            "played": 0,
        }
        self._warn_of_others(version)
        self._note()

    def _warn_of_others(self, version: str) -> None:
        """Warn if other versions of rbmle played a part, because their numbers may differ."""
        if self.store is not None:
            known = self.store.provenance["invocations"]
            for other in sorted({str(each.get("rbmle")) for each in known} - {version}):
                text = f"{self.store.folder}: was played in part by rbmle {other}, not {version}."
                warnings.warn(RunWarning(text), stacklevel=4)

    def played(self, task: Task) -> None:
        """Count the replications that were just played."""
        self.entry["played"] += task.size
        if time.perf_counter() - self.noted > _SECONDS_BETWEEN_NOTES:
            self._note()

    def finished(self) -> Data:
        """Note that this process has finished; the provenance of the whole run."""
        self.entry["finished"] = _now()
        return self._note()

    def _note(self) -> Data:
        self.noted = time.perf_counter()
        self.entry["wall_seconds"] = round(self.noted - self.wall, 3)
        self.entry["cpu_seconds"] = round(time.process_time() - self.cpu, 3)
        if self.store is None:
            return {"invocations": [self.entry]}
        return self.store.note(self.entry)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
