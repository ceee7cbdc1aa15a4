"""A run folder: the study, its shards, and which processes made them.

    study.json        the study, its digest, the format and its version
    provenance.json   one entry for each process that played: versions, machine, time spent
    shards/           one file for each finished chunk of replications
    times.json        seconds per decision, if decisions were timed
    claims            empty; processes at work lock bytes of it, see `_io/locks.py`

Every file is replaced atomically. So any number of processes may work in the same folder, and any
of them may be killed at any moment. A shard has some replications of one policy on one problem:

    "RBMLE-SH" | length of the header, 8 bytes | header, JSON | arrays | SHA-256 of the preceding

The header names the study's digest, the problem, the policy, the replications first..last-1 and
the checkpoints; the arrays are regret (float64), best_pulls and pulls (int64), little-endian, in
that order, row by row. The bytes do not depend on when, where or in which order shards were made.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from .._io.files import Locks, sweep, write_atomically
from ..engine.plan import Rows, Task
from ..errors import RbmleError, RunError, RunWarning
from .file import Data
from .study import FORMAT, VERSION, Study
from .table_file import placed

_REWRITING = 0  # the byte of `claims` that is locked to rewrite study.json or provenance.json
_MAGIC = b"RBMLE-SH"
_SUM = hashlib.sha256().digest_size
_NAME = re.compile(r"(\d+)-(\d+)-(\d+)-(\d+)\.shard")


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
        enough = store._holds_study()
        with _in_words("written", store.folder):
            store.shards.mkdir(parents=True, exist_ok=True)
        if not enough:
            with store._rewriting():
                if not store._holds_study():  # another process may have written it meanwhile
                    data = study.to_dict()
                    data["problem"] = placed(data["problem"], str(folder))
                    store._write("study.json", {"digest": study.digest, **data}, FORMAT)
        sweep(store.folder)
        sweep(store.shards)
        return store

    def _holds_study(self) -> bool:
        """Whether study.json has this study with enough replications; refuses another study."""
        path = self.folder / "study.json"
        found = _study(path) if os.path.lexists(path) else None
        if found is not None and found.digest != self.study.digest:
            raise RunError(
                f"{self.folder}: holds a run of another study, with digest {found.digest[:12]}; "
                f"this one's is {self.study.digest[:12]}. Name another folder, with --folder at "
                "the command line."
            )
        return found is not None and found.replications >= self.study.replications

    @classmethod
    def of_run(cls, folder: str | os.PathLike[str]) -> Store:
        """The folder of an earlier run, for reading."""
        path = Path(folder)
        if path.is_file() or path.suffix == ".toml":
            raise RunError(f"{path}: is a file; give the run folder, as in {path.stem}-run.")
        if not os.path.lexists(path / "study.json"):
            raise RunError(f"{path}: is no run folder, as it has no study.json.")
        return cls(path, _study(path / "study.json"))

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
            try:
                rows = self._rows(task)
            except FileNotFoundError:  # it was removed meanwhile
                continue
            except (RunError, OSError) as problem:
                why = getattr(problem, "strerror", None) or problem
                text = f"{self._path(task)}: is left out, to be played again ({why})."
                warnings.warn(RunWarning(text), stacklevel=2)
                self._bad.append(task)
                continue
            yield task, rows

    def peek(self, task: Task) -> Rows | None:
        """The rows of exactly this task, if an intact shard of it exists by now."""
        with suppress(RunError, OSError):
            return self._rows(task)
        return None

    def _rows(self, task: Task) -> Rows:
        if not self._fits(task):
            raise RunError("this study has no such replications")
        return decode(self.study, task, self._path(task).read_bytes())

    def _path(self, task: Task) -> Path:
        return self.shards / file_name(task)

    def _fits(self, task: Task) -> bool:
        """Whether the study has this problem and policy. It may have fewer replications."""
        study = self.study
        known = task.problem < len(study.problems) and task.policy < len(study.policies)
        return known and task.first < task.last

    def write(self, task: Task, rows: Rows) -> None:
        """Store a finished task as a shard."""
        with _in_words("written", self._path(task)):
            write_atomically(self._path(task), encode(self.study, task, rows))

    def discard_bad(self) -> None:
        """Remove the damaged shards that `read` found and that were not replaced by intact ones."""
        for task in self._bad:
            if self._fits(task) and self.peek(task) is None:
                with suppress(OSError):
                    self._path(task).unlink()

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
            self._write("provenance.json", known, "rbmle-provenance")
        return known

    def _provenance(self, mend: bool = False) -> Data:
        """What provenance.json says. mend: move a damaged file aside; it counts as empty."""
        path = self.folder / "provenance.json"
        try:
            data = _json(path) if path.exists() else {"invocations": []}
            known = data.get("invocations")
            if isinstance(known, list) and all(isinstance(each, dict) for each in known):
                return data
            raise RunError(f"{path}: has no list of 'invocations'.")
        except RunError:
            if not mend:
                raise
            with suppress(OSError):
                os.replace(path, path.with_suffix(".json.damaged"))
            return {"invocations": []}

    @contextmanager
    def _rewriting(self) -> Iterator[None]:
        """Keep other processes from rewriting study.json or provenance.json inside this block."""
        with self.locks() as locks, locks.holding(_REWRITING):
            yield

    def _write(self, name: str, data: Data, kind: str) -> None:
        whole = {**data, "format": kind, "version": VERSION}
        text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        with _in_words("written", self.folder / name):
            write_atomically(self.folder / name, text.encode("utf-8"))


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


def file_name(task: Task) -> str:
    """The name of the shard's file."""
    return f"{task.problem:03}-{task.policy:03}-{task.first:07}-{task.last:07}.shard"


def task_of(name: str) -> Task | None:
    """The task in a shard's file name; None if it is not the name of a shard."""
    found = _NAME.fullmatch(name)
    task = Task(*(int(each) for each in found.groups())) if found else None
    return task if task is not None and file_name(task) == name else None


def encode(study: Study, task: Task, rows: Rows) -> bytes:
    """The bytes of a shard."""
    body = _start(study, task) + b"".join(
        np.ascontiguousarray(array, kind).tobytes()
        for array, (_, kind) in zip(rows, _layout(study, task), strict=True)
    )
    return body + hashlib.sha256(body).digest()


def decode(study: Study, task: Task, content: bytes) -> Rows:
    """The rows in a shard. A damaged shard, or one of another task or study, is refused."""
    body, checksum = content[:-_SUM], content[-_SUM:]
    if not content.startswith(_MAGIC):
        raise RunError("it is not a shard" if content else "it is empty")
    if hashlib.sha256(body).digest() != checksum:
        raise RunError("its checksum is wrong, so it is torn or damaged")
    start = _start(study, task)
    if not body.startswith(start):
        raise RunError(f"it is a shard of {_owner(body)}")
    rows, offset = [], len(start)
    for shape, kind in _layout(study, task):
        count = shape[0] * shape[1]
        if len(body) < offset + 8 * count:
            raise RunError("it is too short")
        rows.append(np.frombuffer(body, kind, count, offset).reshape(shape))
        offset += 8 * count
    if offset != len(body):
        raise RunError("it is too long")
    return Rows(*rows)


def _start(study: Study, task: Task) -> bytes:
    header = {
        "digest": study.digest,
        "problem": list(study.problems)[task.problem],
        "policy": list(study.policies)[task.policy],
        "first": task.first,
        "last": task.last,
        "checkpoints": study.rounds,
        "arrays": [[*shape, kind] for shape, kind in _layout(study, task)],
    }
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode("ascii")
    return _MAGIC + len(text).to_bytes(8, "little") + text


def _layout(study: Study, task: Task) -> list[tuple[tuple[int, int], str]]:
    n, rounds, arms = task.size, len(study.rounds), study.plan.problems[task.problem].n_arms
    return [((n, rounds), "<f8"), ((n, rounds), "<i8"), ((n, arms), "<i8")]


def _owner(body: bytes) -> str:
    """What an intact shard holds, for the message that refuses it."""
    try:
        size = int.from_bytes(body[8:16], "little")
        header = json.loads(body[16 : 16 + size])
        return (
            f"study {header['digest'][:12]}: {header['policy']} on {header['problem']}, "
            f"replications {header['first']} to {header['last'] - 1}"
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return "an unknown kind"
