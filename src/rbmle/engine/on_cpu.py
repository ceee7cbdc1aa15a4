"""The CPU as a place: threads that play the batches of a plan."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .cpu_kernel import Filled, arguments, play
from .plan import Plan

Progress = Callable[[int, int], None]

# A batch for a thread has about this many decisions. Measured: the quickest policy (UCB, two arms)
# takes 26 ns for one, 5 ms for a batch; preparing a batch and handing it over takes 0.2 ms.
DECISIONS_A_BATCH = 200_000
_SECONDS_A_WAIT = 0.2  # waits are short, because on Windows Ctrl-C does not interrupt them


class Batch(NamedTuple):
    """Replications begin, ..., end - 1 of one player on problem p, with their rewards."""

    p: int
    player: int
    source: Any
    begin: int
    end: int


def play_on_cpu(
    plan: Plan,
    threads: int | None = None,
    progress: Progress | None = None,
    stop: NDArray[np.int64] | None = None,
) -> list[Filled]:
    """Play the plan in a pool of threads; results do not depend on their number.

    The calling thread only waits, for short times, so that Ctrl-C is noticed; any exception in it
    stops the kernels too.
    """
    filled = plan.fresh()
    stop = np.zeros(1, np.int64) if stop is None else stop
    threads = threads or os.cpu_count() or 1
    pool = ThreadPoolExecutor(threads)
    waiting: set[Future[None]] = set()
    draws: dict[tuple[int, int], Any] = {}
    compiled: set[Any] = set()

    def run(work: tuple[Any, ...], batch: Batch) -> None:
        play(*work)
        if progress is not None:
            progress(batch.player, batch.end - batch.begin)

    try:
        for batch in _batches(plan):
            p, index, source, begin, end = batch
            if (p, index) not in draws:
                draws[p, index] = plan.draws(p, index)
            rows = slice(begin - plan.first, end - plan.first)
            regret, best_pulls, pulls = (each[index, rows] for each in filled[p])
            pair, problem = plan.players[p][index], plan.problems[p]
            work = arguments(
                pair, problem, plan.horizon, source, draws[p, index], begin,
                plan.rounds, (regret, best_pulls, pulls), stop, plan.evidence,
                plan.waiting(p, index),
            )  # fmt: skip
            kinds = (type(pair[0]), type(pair[1]), index, problem.kind())
            if kinds not in compiled:  # compile once, not in every thread
                play.specialised(*work)
                compiled.add(kinds)
            task = pool.submit(run, work, batch)
            if plan.rewards.one_generator and plan.draws_numbers(p, index):
                _finish({task}, most=0)  # its batches draw from one stream, one after the other
            else:
                waiting.add(task)
            waiting = _finish(waiting, most=2 * threads * len(plan.players[p]))
        _finish(waiting, most=0)
    except BaseException:
        stop[0] = 1
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return filled


def _batches(plan: Plan) -> Iterator[Batch]:
    """All batches, few of them in memory at a time: all policies play one before the next."""
    size = max(1, DECISIONS_A_BATCH // plan.horizon)
    for p, problem in enumerate(plan.problems):
        pieces = plan.rewards.batches(problem, plan.horizon, plan.first, plan.last, size)
        for source, begin, end in pieces:
            for index in range(len(plan.players[p])):
                yield Batch(p, index, source, begin, end)


def _finish(tasks: set[Future[None]], most: int) -> set[Future[None]]:
    """Wait until at most `most` tasks are left; an exception in a finished task is raised here."""
    while len(tasks) > most:
        done, tasks = wait(tasks, timeout=_SECONDS_A_WAIT, return_when=FIRST_COMPLETED)
        for each in done:
            each.result()
    return tasks
