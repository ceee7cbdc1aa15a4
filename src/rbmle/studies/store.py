"""A run folder: the study, its shards, and how they came about.

    study.json        the study, its digest, the format and its version
    provenance.json   one entry for each process that played: versions, machine, time spent
    shards/           one file for each finished chunk of replications, see `shards`

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
from ..errors import RbmleError, RunError, RunWarning
from .shards import Place, Rows, decode, encode
from .study import FORMAT, VERSION, Study


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
        path = store.folder / "study.json"
        found = _study(path) if os.path.lexists(path) else None
        if found is not None and found.digest != study.digest:
            raise RunError(
                f"{store.folder}: holds a run of another study, with digest {found.digest[:12]}; "
                f"this one's is {study.digest[:12]}."
            )
        with _in_words("written", store.folder):
            store.shards.mkdir(parents=True, exist_ok=True)
        if found is None or found.replications < study.replications:
            store._write(path, {"digest": study.digest, **study.to_dict()})
        sweep(store.folder)
        sweep(store.shards)
        return store

    @classmethod
    def of_run(cls, folder: str | os.PathLike[str]) -> Store:
        """The folder of a run that was started, to read it."""
        return cls(folder, _study(Path(folder) / "study.json"))

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

    def write(self, place: Place, rows: Rows) -> None:
        """Keep a finished chunk."""
        path = self.shards / place.file_name
        with _in_words("written", path):
            write_atomically(path, encode(self.study, place, rows))

    def discard_bad(self) -> None:
        """Remove the shards that `read` refused, if the run has their replications from others."""
        ours = (place for place in self._bad if place.fits(self.study))
        for place in ours:
            with warnings.catch_warnings(), suppress(OSError):
                warnings.simplefilter("ignore", RunWarning)
                if self._rows(place) is None:
                    os.unlink(self.shards / place.file_name)

    @property
    def provenance(self) -> dict[str, Any]:
        """The invocations that played a part of this run."""
        path = self.folder / "provenance.json"
        if path.exists():
            try:
                data = _json(path)
                if isinstance(data.get("invocations"), list):
                    return data
                raise RunError(f"{path}: has no list of 'invocations'.")
            except RunError as problem:
                warnings.warn(RunWarning(f"{str(problem)[:-1]}: it is begun anew."), stacklevel=2)
        return {"invocations": []}

    def note(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Keep an invocation's entry, in place of its earlier one."""
        known = self.provenance
        others = [each for each in known["invocations"] if each.get("id") != entry["id"]]
        known["invocations"] = [*others, entry]
        self._write(self.folder / "provenance.json", known, "rbmle-provenance")
        return known

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
