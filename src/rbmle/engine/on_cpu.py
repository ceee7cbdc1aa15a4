"""The CPU as a place: threads that play the tasks of a plan."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np
from numpy.typing import NDArray

from .cpu_kernel import arguments, play
from .plan import Filled, Plan, Task

Progress = Callable[[int, int], None]

# A task for a thread has about this many decisions. Measured: the quickest policy (UCB, two arms)
# takes 26 ns for one, 5 ms for a task; preparing a task and handing it over takes 0.2 ms.
DECISIONS_A_TASK = 200_000
_SECONDS_A_WAIT = 0.2  # waits are short, because on Windows Ctrl-C does not interrupt them


def play_on_cpu(
    plan: Plan,
    threads: int | None = None,
    progress: Progress | None = None,
    stop: NDArray[np.int64] | None = None,
) -> list[Filled]:
    """Play the plan in a pool of threads; results do not depend on their number.

    The calling thread only waits, for short times, so that Ctrl-C is noticed; any exception in it
    stops the kernels too. threads: 0 plays all in the calling thread, which then cannot notice it.
    """
    filled = plan.fresh()
    stop = np.zeros(1, np.int64) if stop is None else stop
    if threads == 0:
        for _, work in _tasks(plan, filled, stop):
            play(*work)
        return filled
    threads = threads or os.cpu_count() or 1
    pool = ThreadPoolExecutor(threads)
    waiting: set[Future[None]] = set()
    compiled: set[object] = set()

    def run(task: Task, work: tuple[object, ...]) -> None:
        play(*work)
        if progress is not None:
            progress(task.policy, task.size)

    try:
        for task, work in _tasks(plan, filled, stop):
            policy, model = plan.players[task.problem][task.policy]
            kinds = type(policy), type(model), task.policy, plan.problems[task.problem].kind()
            if kinds not in compiled:  # compile once, not in every thread
                play.specialised(*work)
                compiled.add(kinds)
            future = pool.submit(run, task, work)
            if plan.rewards.one_generator and plan.draws_numbers(task.problem, task.policy):
                _finish({future}, most=0)  # its tasks draw from one stream, one after the other
            else:
                waiting.add(future)
            waiting = _finish(waiting, most=2 * threads * len(plan.players[0]))
        _finish(waiting, most=0)
    except BaseException:
        stop[0] = 1
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return filled


def compile_for_cpu(plan: Plan) -> None:
    """Compile the code that the plan needs, now: in the main thread Ctrl-C is noticed."""
    one = plan._replace(last=plan.first + 1)
    for _, work in _tasks(one, one.fresh(), np.zeros(1, np.int64)):
        play.specialised(*work)


def _tasks(
    plan: Plan, filled: list[Filled], stop: NDArray[np.int64]
) -> Iterator[tuple[Task, tuple[object, ...]]]:
    """All tasks, each with the arguments of `play`, few of them in memory at a time: all policies
    play some replications before the next ones."""
    size = max(1, DECISIONS_A_TASK // plan.horizon)
    for p, problem in enumerate(plan.problems):
        draws = [plan.draws(p, index) for index in range(len(plan.players[p]))]
        for source, first, last in plan.rewards.batches(
            problem, plan.horizon, plan.first, plan.last, size
        ):
            rows = slice(first - plan.first, last - plan.first)
            for index in range(len(plan.players[p])):
                regret, best_pulls, pulls = (each[index, rows] for each in filled[p])
                task = Task(p, index, first, last)
                yield (
                    task,
                    arguments(plan, task, source, draws[index], (regret, best_pulls, pulls), stop),
                )


def _finish(tasks: set[Future[None]], most: int) -> set[Future[None]]:
    """Wait until at most `most` tasks are left; an exception in a finished task is raised here."""
    while len(tasks) > most:
        done, tasks = wait(tasks, timeout=_SECONDS_A_WAIT, return_when=FIRST_COMPLETED)
        for each in done:
            each.result()
    return tasks
