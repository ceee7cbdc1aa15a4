"""Play the atlas: runs that need the same compiled code make a job, and jobs go to processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._io.files import sweep
from .._io.text import count_text
from ..engine import simulate_many
from ..engine.devices import check_device
from ..errors import RunError, integer
from ..policies.fit import as_family
from .runs import Run, store, stored, told

Tell = Callable[[str], None]

PROCESSES = 5
_AT_ONCE = 8  # policies of one call on a device: as many as it plays side by side
_MOST = 2e11  # rounds of one call, times arms: some seconds, which is what a kill can lose
_SECONDS_A_WAIT = 0.2  # short waits, so that Ctrl-C is noticed on every system


def play(
    runs: Sequence[Run],
    folder: Path,
    device: str = "cpu",
    threads: int | None = None,
    processes: int | None = None,
    tell: Tell | None = None,
) -> None:
    """Play the runs that the folder does not hold yet, and store each.

    device, threads: as in `simulate`. processes: how many compile and play at once. By default
    five on a GPU: while one plays, others compile; and only this process, with its threads, on the
    CPU.
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
    count = min(processes or PROCESSES, max(len(jobs), 1))
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


def _kind(run: Run) -> Any:
    """What the compiled code depends on."""
    policy = run.policy
    return type(policy), *(type(each) for each in policy), run.where.family, run.where.law


def _jobs(runs: Iterable[Run]) -> list[list[Run]]:
    """The runs, those with the same compiled code together, the longest first."""
    alike: dict[Any, list[Run]] = {}
    for each in runs:
        alike.setdefault(_kind(each), []).append(each)
    return sorted(alike.values(), key=lambda job: -sum(_cost(each) for each in job))


def _cost(run: Run) -> float:
    return run.rounds() * run.where.arms


class Batch(NamedTuple):
    """What one call of `simulate_many` plays: each of some policies on each of some sets."""

    policies: list[Any]
    runs: list[list[Run]]  # for each policy, its run on each set


def _batches(job: Sequence[Run]) -> list[Batch]:
    """The job cut into calls: sets with the same number of arms, and policies that lack the same of
    them, go together."""
    mine: dict[Any, list[Run]] = {}
    for each in job:
        size = each.where.arms, each.problems, each.replications, each.checkpoints
        mine.setdefault((size, each.label, each.policy), []).append(each)
    alike: dict[Any, Batch] = {}
    for (size, _, policy), runs in mine.items():
        batch = alike.setdefault((size, tuple(r.where.label for r in runs)), Batch([], []))
        batch.policies.append(policy)
        batch.runs.append(runs)
    cut: list[Batch] = []
    for policies, rows in alike.values():
        step = max(1, min(_AT_ONCE, int(_MOST // sum(_cost(each) for each in rows[0]))))
        cut += [
            Batch(policies[k : k + step], rows[k : k + step]) for k in range(0, len(rows), step)
        ]
    return cut


def _play_job(job: Sequence[Run], folder: Path, device: str, threads: int | None = None) -> str:
    """Play and store the runs of a job; a line that says what it was."""
    for batch in _batches(job):
        first = batch.runs[0][0]
        sets = [each.where.problems(first.problems) for each in batch.runs[0]]
        results = simulate_many(
            [problem for each in sets for problem in each],
            batch.policies,
            horizon=first.horizon,
            replications=first.replications,
            family=as_family(first.where.family),
            checkpoints=first.checkpoints,
            seed=first.where.rewards_seed(),
            threads=threads,
            device=device,
        )
        for place, runs in enumerate(batch.runs):
            left = iter(results)
            for run, problems in zip(runs, sets, strict=True):
                regret = np.array([next(left).regret[place] for _ in problems])
                store(folder, run, told(regret))
    kind = type(job[0].policy).__name__
    rounds = sum(each.rounds() for each in job)
    return f"{job[0].where.law}: {kind}, {count_text(len(job), 'run')}, {rounds:.2g} rounds"
