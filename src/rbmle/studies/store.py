"""A run folder: the study, its shards, and how they came about.

    study.json        the study, its digest, the format and its version
    provenance.json   one entry for each process that played: versions, machine, time spent
    shards/           one file for each finished chunk of replications, see `shards`

    times.json        what decisions took, if they were timed, see `times`
    claims            empty; its bytes are locked by processes that are at work, see `_locks`

Every file is written all at once; the shards' bytes depend on the study alone. So any number of
processes may work in the same folder, and be killed at any moment.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .._files import sweep, write_atomically
from .._locks import Locks
from ..errors import RbmleError, RunError, RunWarning
from ..pieces import Rows
from .shards import Place, decode, encode
from .study import FORMAT, VERSION, Study

_REWRITING = 0  # the number that is locked while study.json or provenance.json is rewritten


class Store:
    """The run folder of one study."""

    def __init__(self, folder: str | os.PathLike[str], study: Study) -> None:
        self.folder, self.study = Path(folder), study
        self.shards = self.folder / "shards"
        self._bad: list[Place] = []

    @classmethod
    def open(cls, folder: str | os.PathLike[str], study: Study) -> Store:
        """The folder for this study, made if it is not there; another study's is refused.

        A folder of the same study with fewer replications now says how many there will be.
        """
        store = cls(folder, study)
        said = store._says_enough()
        with _in_words("written", store.folder):
            store.shards.mkdir(parents=True, exist_ok=True)
        if not said:
            with store._rewriting():
                if not store._says_enough():  # nor does it by now
                    path = store.folder / "study.json"
                    store._write(path, {"digest": study.digest, **study.to_dict()})
        sweep(store.folder)
        sweep(store.shards)
        return store

    def _says_enough(self) -> bool:
        """Whether the folder is of this study, with so many replications; another is refused."""
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
        """The folder of a run that was started, to read it."""
        return cls(folder, _study(Path(folder) / "study.json"))

    def locks(self) -> Locks:
        """The claims of processes on chunks and on files that are rewritten."""
        path = self.folder / "claims"
        with _in_words("written", path):
            return Locks(path)

    def read(self) -> Iterator[tuple[Place, Rows]]:
        """All shards that are whole and of this study; any other is named in a `RunWarning`."""
        self._bad = []
        try:
            with _in_words("read", self.shards):
                names = sorted(os.listdir(self.shards))
        except RunError:
            if self.shards.exists():
                raise
            names = []
        for name in names:
            place = Place.of_file(name)
            if place is not None:
                rows = self._rows(place)
                if rows is None:
                    self._bad.append(place)
                else:
                    yield place, rows

    def _rows(self, place: Place) -> Rows | None:
        path = self.shards / place.file_name
        try:
            if not place.fits(self.study):
                raise RunError("this study has no such place")
            return decode(self.study, place, path.read_bytes())
        except FileNotFoundError:
            return None
        except (RunError, OSError) as problem:
            why = getattr(problem, "strerror", None) or problem
            text = f"{path}: is left out, to be played again ({why})."
            warnings.warn(RunWarning(text), stacklevel=2)
            return None

    def peek(self, place: Place) -> Rows | None:
        """The shard of just this place, if there is a whole one by now."""
        if not (self.shards / place.file_name).exists():
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)
            return self._rows(place)

    def write(self, place: Place, rows: Rows) -> None:
        """Keep a finished chunk."""
        path = self.shards / place.file_name
        with _in_words("written", path):
            write_atomically(path, encode(self.study, place, rows))

    def discard_bad(self) -> None:
        """Remove the shards that `read` refused, if the run has their replications from others."""
        ours = (place for place in self._bad if place.fits(self.study))
        for place in ours:
            if self.peek(place) is None:
                with suppress(OSError):
                    os.unlink(self.shards / place.file_name)

    @property
    def provenance(self) -> dict[str, Any]:
        """The invocations that played a part of this run.

        A file that says nothing of the kind is moved aside, with one warning.
        """
        try:
            return self._provenance()
        except RunError as problem:
            warnings.warn(RunWarning(f"{str(problem)[:-1]}: it is begun anew."), stacklevel=2)
        with suppress(RunError), self._rewriting():  # where nothing may be written, it stays
            self._mended()
        return {"invocations": []}

    def note(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Keep an invocation's entry, in place of its earlier one."""
        with self._rewriting():
            known = self._mended()
            others = [each for each in known["invocations"] if each.get("id") != entry["id"]]
            known["invocations"] = [*others, entry]
            self._write(self.folder / "provenance.json", known, "rbmle-provenance")
        return known

    def _provenance(self) -> dict[str, Any]:
        path = self.folder / "provenance.json"
        if not path.exists():
            return {"invocations": []}
        data = _json(path)
        known = data.get("invocations")
        if not isinstance(known, list) or not all(isinstance(each, dict) for each in known):
            raise RunError(f"{path}: has no list of 'invocations'.")
        return data

    def _mended(self) -> dict[str, Any]:
        """What the file says; what it does not say properly is moved aside."""
        try:
            return self._provenance()
        except RunError:
            path = self.folder / "provenance.json"
            with suppress(OSError):
                os.replace(path, path.with_suffix(".json.damaged"))
            return {"invocations": []}

    @contextmanager
    def _rewriting(self) -> Iterator[None]:
        """No other process reads and rewrites a file of the folder meanwhile."""
        with self.locks() as locks, locks.holding(_REWRITING):
            yield

    def _write(self, path: Path, data: dict[str, Any], kind: str = FORMAT) -> None:
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


def _json(path: Path) -> dict[str, Any]:
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
    """What the system refuses, as one sentence."""
    try:
        yield
    except OSError as problem:
        raise RunError(f"{path}: cannot be {done} ({problem.strerror or problem}).") from None
