"""Who made a run: versions, machine, and time spent, one entry for each process that played."""

from __future__ import annotations

import os
import platform
import sys
import time
import uuid
import warnings
from datetime import UTC, datetime

import numba
import numpy as np

from ..engine.plan import Task
from ..errors import RunWarning
from .store import Store
from .world_tables import Data

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
