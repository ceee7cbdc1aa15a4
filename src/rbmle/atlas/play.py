"""Runs of the atlas: one policy on the problems of one set, up to one horizon, stored as one file.

Studies store the regret of every replication. An atlas has some 10^8 of them, so a run keeps what
the atlas reports: for each checkpoint the mean on each problem, the mean over all with its standard
error, and two quantiles. The name of its file holds a digest of all that determines these numbers,
so that a file is never taken for that of another run.

Runs that need the same compiled code make a job, and jobs go to processes.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from .._io.files import sweep, write_atomically
from .._io.text import count_text
from .._numba.compile import Floats
from .._records.record import Record
from ..engine import simulate_many
from ..engine.devices import check_device
from ..errors import RunError, integer
from ..policies.fit import as_family
from ..random import STREAM
from ..spec import to_spec
from .sets import ProblemSet

Tell = Callable[[str], None]
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

TAILS = (0.99, 0.999)
# Runs expected beyond a reported quantile: about Poisson, 4 is two standard deviations above 0.
_LEAST_BEYOND = 4.0
# What NumPy raises for a damaged .npz, a zip file of arrays. RuntimeError: an entry seems to be
# encrypted, or of a later version of the format.
DAMAGED = (ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
_PROCESSES = 5
_AT_ONCE = 8  # policies of one call on a device: as many as it plays side by side
_MOST = 2e11  # rounds of one call, times arms: some seconds, which is what a kill can lose
_SECONDS_A_WAIT = 0.2  # short waits, so that Ctrl-C is noticed on every system


class Run(NamedTuple):
    """Which policy plays which problems, and how long.

    problems: how many of the set. replications: on each problem. checkpoints: rounds at which
    regret is recorded; the last is the horizon.
    """

    where: ProblemSet
    label: str
    policy: Record
    problems: int
    replications: int
    checkpoints: tuple[int, ...]

    @property
    def horizon(self) -> int:
        """The number of rounds."""
        return self.checkpoints[-1]

    def rounds(self) -> float:
        """How many rounds are played in all."""
        return float(len(self.where.problems(self.problems))) * self.replications * self.horizon

    @property
    def file_name(self) -> str:
        """The name of its file: readable, and unique by a digest."""
        means = [each.means.tolist() for each in self.where.problems(self.problems)]
        content = {
            "set": [self.where.family, self.where.law, self.where.rewards_seed()],
            "means": means,
            "policy": to_spec(self.policy),
            "replications": self.replications,
            "checkpoints": self.checkpoints,
            "stream": STREAM,
        }
        text = json.dumps(content, sort_keys=True)
        digest = hashlib.sha256(text.encode("ascii")).hexdigest()[:12]
        plain = "".join(c if c.isalnum() else "-" for c in f"{self.where.label}-{self.label}")
        return f"{plain}-{self.horizon}-{digest}.npz"


class RunStatistics(NamedTuple):
    """The stored statistics of a run, for each checkpoint (first axis).

    by_problem: the mean on each problem. mean, error: over all; its standard error, for problems
    and rewards drawn anew. tails: the quantiles `TAILS` over problems and replications; NaN where
    fewer than four runs are expected beyond.
    """

    by_problem: Floats
    mean: Floats
    error: Floats
    tails: Floats


def run_statistics(regret: Floats) -> RunStatistics:
    """The statistics of the regret, (problems, replications, checkpoints).

    Replication r meets the same random numbers on every problem. So the means of two problems are
    not independent, and the variance of the mean is that of two crossed factors,
    V_problems / P + V_replications / R - V_rest / (P R), from the means over either.
    """
    problems, replications, _ = regret.shape
    by_problem, by_replication = regret.mean(axis=1), regret.mean(axis=0)
    mean = by_problem.mean(axis=0)
    rest = regret - by_problem[:, None] - by_replication[None] + mean

    def variance(parts: Floats, count: int) -> Floats:
        squares: Floats = (parts * parts).sum(axis=tuple(range(parts.ndim - 1)))
        return squares / max(count, 1)

    error = (
        variance(by_problem - mean, problems - 1) / problems
        + variance(by_replication - mean, replications - 1) / replications
        - variance(rest, (problems - 1) * (replications - 1)) / (problems * replications)
    )
    whole = regret.reshape(problems * replications, -1)
    beyond = len(whole) * (1.0 - np.array(TAILS))
    tails = np.where(beyond >= _LEAST_BEYOND, np.quantile(whole, TAILS, axis=0).T, np.nan)
    return RunStatistics(by_problem.T, mean, np.sqrt(np.maximum(error, 0.0)), tails)


def store(folder: Path, run: Run, found: RunStatistics) -> None:
    """Write what was found; the file is there in whole or not at all."""
    content = io.BytesIO()
    np.savez(content, **found._asdict())
    write_atomically(folder / run.file_name, content.getvalue())


def stored(folder: Path, run: Run) -> RunStatistics | None:
    """What the folder holds of the run; None if that is nothing, or damaged."""
    try:
        content = io.BytesIO((folder / run.file_name).read_bytes())
        with np.load(content) as data:
            return RunStatistics(*(data[name] for name in RunStatistics._fields))
    except (OSError, *DAMAGED):
        return None


def play(
    runs: Sequence[Run],
    folder: Path,
    device: str = "cpu",
    threads: int | None = None,
    processes: int | None = None,
    tell: Tell | None = None,
) -> None:
    """Play the runs that the folder does not hold yet, and store each.

    device, threads: as in `simulate`. processes: how many compile and play at once. By default five
    on a GPU, where some compile while one plays, and only this process on the CPU.
    tell: called with a line for each finished job.
    """
    check_device("atlas", device)
    if threads is not None:
        threads = integer("atlas", "threads", threads, "[1, inf)")
    if processes is not None:
        processes = integer("atlas", "processes", processes, "[1, inf)")
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    tell = tell or (lambda _: None)
    jobs = _jobs([each for each in runs if stored(folder, each) is None])
    if device == "cpu" and processes is None:
        for job in jobs:
            tell(_play_job(job, folder, device, threads))
        return
    count = min(processes or _PROCESSES, max(len(jobs), 1))
    pool = ProcessPoolExecutor(count, get_context("spawn"))
    try:
        waiting = {pool.submit(_play_job, job, folder, device, threads) for job in jobs}
        while waiting:
            done, waiting = wait(waiting, _SECONDS_A_WAIT, FIRST_COMPLETED)
            for each in done:
                tell(each.result())
    except BrokenExecutor:
        raise RunError(
            "atlas: a process died, perhaps for want of memory; what was finished is kept, and the "
            "same atlas goes on from there."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The items with each key."""
    found: dict[K, list[T]] = {}
    for each in items:
        found.setdefault(key(each), []).append(each)
    return found


def _jobs(runs: Iterable[Run]) -> list[list[Run]]:
    """The runs, those with the same compiled code together, the longest first."""

    def code(run: Run) -> Hashable:
        fields = map(type, run.policy._asdict().values())
        return type(run.policy), *fields, run.where.family, run.where.law

    return sorted(grouped(runs, code).values(), key=lambda job: -sum(map(_cost, job)))


def _cost(run: Run) -> float:
    return run.rounds() * run.where.arms


def _calls(job: Sequence[Run]) -> list[list[list[Run]]]:
    """The job cut into calls of `simulate_many`, each a list of runs for each of its policies.

    Sets with the same number of arms, and policies that lack the same of them, go together.
    """

    def size(run: Run) -> tuple[object, ...]:
        return run.where.arms, run.problems, run.replications, run.checkpoints

    def sets(runs: list[Run]) -> tuple[object, ...]:
        return *size(runs[0]), *(run.where.label for run in runs)

    cut = []
    alike = grouped(job, lambda run: (*size(run), run.label, run.policy))
    for rows in grouped(alike.values(), sets).values():
        step = max(1, min(_AT_ONCE, int(_MOST // sum(map(_cost, rows[0])))))
        cut += [rows[k : k + step] for k in range(0, len(rows), step)]
    return cut


def _play_job(job: Sequence[Run], folder: Path, device: str, threads: int | None = None) -> str:
    """Play and store the runs of a job; a line that says what it was."""
    for rows in _calls(job):
        first = rows[0][0]
        sets = [each.where.problems(first.problems) for each in rows[0]]
        results = simulate_many(
            [problem for each in sets for problem in each],
            [runs[0].policy for runs in rows],
            horizon=first.horizon,
            replications=first.replications,
            family=as_family(first.where.family),
            checkpoints=first.checkpoints,
            seed=first.where.rewards_seed(),
            threads=threads,
            device=device,
            progress=False,  # `tell` is called for each job
        )
        for place, runs in enumerate(rows):
            left = iter(results)
            for run, problems in zip(runs, sets, strict=True):
                regret = np.array([next(left).regret[place] for _ in problems])
                store(folder, run, run_statistics(regret))
    kind = type(job[0].policy).__name__
    rounds = sum(each.rounds() for each in job)
    return f"{job[0].where.law}: {kind}, {count_text(len(job), 'run')}, {rounds:.2g} rounds"
