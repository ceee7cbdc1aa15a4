"""`atlas`: play the sets of problems, and write what the policies did on them.

Runs that need the same compiled code make a job, and jobs go to processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from .._io.files import sweep
from .._io.text import count_text
from ..engine import simulate_many
from ..engine.devices import check_device
from ..errors import ParameterError, RunError, integer, one_of
from ..policies.fit import as_family
from .efforts import FULL, QUICK, QUICK_POLICIES, QUICK_SETS, TRAINING, atlas_runs
from .runs import Run, store, stored, told
from .sets import GROUPS
from .verdicts import AtlasRow, cells_of, write_atlas

Tell = Callable[[str], None]

PROCESSES = 5
_AT_ONCE = 8  # policies of one call on a device: as many as it plays side by side
_MOST = 2e11  # rounds of one call, times arms: some seconds, which is what a kill can lose
_SECONDS_A_WAIT = 0.2  # short waits, so that Ctrl-C is noticed on every system


def atlas(
    folder: str | os.PathLike[str] = "rbmle-atlas",
    group: str = "report",
    only: Sequence[str] = (),
    quick: bool = False,
    device: str = "cpu",
    threads: int | None = None,
    processes: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[AtlasRow]:
    """Play the atlas into the folder, and return a row for each policy, set and horizon.

    A later call goes on where an earlier one was stopped. The folder gets atlas.csv and atlas.npz,
    and runs/, a small file for each run.
    group: "report", or "training" for the sets on which the recommended forms were chosen.
    only: families or sets, as in "bernoulli" or "bernoulli: near 0"; all by default.
    quick: ten sets (three of "training"), the fast policies, 1,000 rounds, few replications.
    device, threads: as in `simulate`. processes: see `play`.
    tell: called with a line about each job that is done.
    """
    if isinstance(only, str):
        raise ParameterError("atlas", "only", "a list of names", only)
    one_of("atlas", "group", group, GROUPS)
    if quick:
        runs = atlas_runs(group, list(only) or QUICK_SETS[group], QUICK)
        runs = [each for each in runs if each.label in QUICK_POLICIES]
        played = {name for each in runs for name in (each.where.family, each.where.label)}
        for name in only:
            if name not in played:
                allowed = f"sets of at most {max(QUICK.arms.values())} arms with quick"
                raise ParameterError("atlas", "only", allowed, name)
    else:
        runs = atlas_runs(group, list(only), TRAINING if group == "training" else FULL)
    target = Path(folder)
    play(runs, target / "runs", device, threads, processes, tell)
    return write_atlas(cells_of(runs, target / "runs"), target)


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


def _jobs(runs: Iterable[Run]) -> list[list[Run]]:
    """The runs, those with the same compiled code together, the longest first."""
    alike: dict[object, list[Run]] = {}
    for each in runs:
        kinds = (
            type(each.policy),
            *map(type, each.policy._asdict().values()),
            each.where.family,
            each.where.law,
        )
        alike.setdefault(kinds, []).append(each)
    return sorted(alike.values(), key=lambda job: -sum(map(_cost, job)))


def _cost(run: Run) -> float:
    return run.rounds() * run.where.arms


def _calls(job: Sequence[Run]) -> list[list[list[Run]]]:
    """The job cut into calls of `simulate_many`, each a list of runs for each of its policies.

    Sets with the same number of arms, and policies that lack the same of them, go together.
    """
    mine: dict[tuple[object, ...], list[Run]] = {}
    for each in job:
        size = each.where.arms, each.problems, each.replications, each.checkpoints
        mine.setdefault((size, each.label, each.policy), []).append(each)
    alike: dict[object, list[list[Run]]] = {}
    for (alike_in, *_), runs in mine.items():
        sets = tuple(run.where.label for run in runs)
        alike.setdefault((alike_in, sets), []).append(runs)
    cut = []
    for rows in alike.values():
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
        )
        for place, runs in enumerate(rows):
            left = iter(results)
            for run, problems in zip(runs, sets, strict=True):
                regret = np.array([next(left).regret[place] for _ in problems])
                store(folder, run, told(regret))
    kind = type(job[0].policy).__name__
    rounds = sum(each.rounds() for each in job)
    return f"{job[0].where.law}: {kind}, {count_text(len(job), 'run')}, {rounds:.2g} rounds"
