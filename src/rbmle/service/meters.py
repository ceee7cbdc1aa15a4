"""`Meters`: what a worker counts of itself, in the text form of Prometheus.

Each worker counts its own requests and transactions. One of them, whichever the system picks,
answers /metrics; so that it can tell of all, each stores its lines in a file of a folder that they
share, once a second. The label `worker` keeps them apart, and sums are the reader's.
"""

from __future__ import annotations

import asyncio
import platform
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import msgspec

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
_STORE_SECONDS = 1.0
_MAX_AGE_SECONDS = 10.0  # of the file of a worker that lives
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
_KINDS = {
    "rbmle_http_seconds": ("histogram", "Time from a request's head to its answer."),
    "rbmle_wrong_keys_total": ("counter", "Requests with a key that is not valid."),
    "rbmle_commit_seconds": ("histogram", "Time of a transaction that may write."),
    "rbmle_queue": ("gauge", "Requests that wait for a transaction."),
    "rbmle_build_info": ("gauge", "The version of the package and of Python."),
}
Line = tuple[str, str]  # a metric's name, and a line of it


class Histogram:
    """How many values fell below each bound, and their sum. One thread observes."""

    def __init__(self) -> None:
        self._counts, self._sum = [0] * (len(_BOUNDS) + 1), 0.0

    def observe(self, seconds: float) -> None:
        """Count a value."""
        self._counts[bisect_left(_BOUNDS, seconds)] += 1
        self._sum += seconds

    def lines(self, name: str, labels: dict[str, object]) -> list[Line]:
        """Its lines: cumulative counts, their number and the sum."""
        lines, total = [], 0
        for bound, count in zip((*map(str, _BOUNDS), "+Inf"), self._counts, strict=True):
            total += count
            lines.append((name, sample(f"{name}_bucket", {**labels, "le": bound}, total)))
        lines.append((name, sample(f"{name}_sum", labels, self._sum)))
        return [*lines, (name, sample(f"{name}_count", labels, total))]


def sample(name: str, labels: dict[str, object], value: float) -> str:
    """One line: the value of a metric."""
    inside = ",".join(f'{key}="{str(each).translate(_ESCAPED)}"' for key, each in labels.items())
    return f"{name}{{{inside}}} {value}"


def metric(name: str, kind: str, help: str, samples: list[str]) -> list[str]:
    """The lines of a metric: what it is, and its samples."""
    return [f"# HELP {name} {help}", f"# TYPE {name} {kind}", *samples]


class Meters:
    """The counts of one worker. commits: how long transactions took. queue: returns how many
    requests wait for one."""

    def __init__(self, worker: int = 0, folder: str | None = None) -> None:
        """worker: its process. folder: where the workers of a service store their lines."""
        self._worker, self._folder = worker, None if folder is None else Path(folder)
        self._seconds: defaultdict[tuple[str, str, int], Histogram] = defaultdict(Histogram)
        self.commits = Histogram()
        self.wrong_keys = 0
        self.queue: Callable[[], int] = lambda: 0

    def observe(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request. path: its form, of which there are few."""
        self._seconds[method, path, status].observe(seconds)

    def _lines(self) -> list[Line]:
        here: dict[str, object] = {"worker": self._worker}
        lines: list[Line] = []
        for (method, path, status), seconds in [*self._seconds.items()]:
            labels = {"method": method, "path": path, "status": status, **here}
            lines += seconds.lines("rbmle_http_seconds", labels)
        lines += self.commits.lines("rbmle_commit_seconds", here)
        build = {"version": version("rbmle"), "python": platform.python_version()}
        for name, labels, value in (
            ("rbmle_wrong_keys_total", here, self.wrong_keys),
            ("rbmle_queue", here, self.queue()),
            ("rbmle_build_info", {**build, **here}, 1),
        ):
            lines.append((name, sample(name, labels, value)))
        return lines

    async def store(self) -> None:
        """Store the lines for the other workers, once a second, for ever."""
        while self._folder is not None:
            with suppress(OSError):  # a full disk, for instance; they are older then, or left out
                await asyncio.to_thread(self._store, self._folder)
            await asyncio.sleep(_STORE_SECONDS)

    def _store(self, folder: Path) -> None:
        new = folder / f"{self._worker}.new"
        new.write_bytes(msgspec.json.encode(self._lines()))
        new.replace(folder / f"{self._worker}.json")

    def _others(self) -> Iterable[list[Line]]:
        """The lines of the other workers that live."""
        for file in [] if self._folder is None else sorted(self._folder.glob("*.json")):
            new = time.time() - file.stat().st_mtime < _MAX_AGE_SECONDS
            if new and file.stem != str(self._worker):
                yield msgspec.json.decode(file.read_bytes(), type=list[Line])

    def text(self) -> str:
        """The metrics of all workers."""
        workers = [self._lines(), *self._others()]
        count = f"rbmle_workers {len(workers)}"
        text = metric("rbmle_workers", "gauge", "Processes that answer.", [count])
        for name, (kind, help) in _KINDS.items():
            samples = [line for lines in workers for of, line in lines if of == name]
            text += metric(name, kind, help, samples)
        return "\n".join(text) + "\n"
