"""A CUDA device as a place: it plays the whole plan, or as much at a time as its memory holds.

Rounds are played in slices of a tenth of a second: between two of them Ctrl-C is noticed. Several
policies are played at once, each in a stream of its own, so that few replications fill the device.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import cuda
from numpy.typing import NDArray

from .._io.machine import size_text
from .._numba.compile import Floats
from .._numba.for_cuda import DeviceKernel, free_memory
from ..errors import ParameterError, RbmleError
from .cuda_kernel import play_thread
from .cuda_launches import Launch, alike, bytes_a_thread, launches
from .cuda_memory import Given, arguments, example
from .plan import Filled, Plan, Task
from .regret_counters import ByPulls

kernel = DeviceKernel(play_thread)

_AT_ONCE = 8  # policies in flight; more would only divide the memory into smaller parts
_MOST_AT_ONCE = 32  # where launches are so small that 8 of them do not fill a device
_FULL = 262_144  # threads: an H200 holds 132 x 2,048 at once
_SECONDS_A_SLICE = 0.1  # short enough for Ctrl-C, long against the 10 microseconds of a launch
_FIRST_SLICE = 32  # rounds; the time that they take tells the length of the next slice
_SHARE = 0.9  # of the free memory; the rest is for the driver
_DONE = object()


def play_on_cuda(
    owner: str,
    plan: Plan,
    progress: Callable[[int, int], None] | None = None,
    stop: NDArray[np.int64] | None = None,
) -> list[Filled]:
    """Play the plan on the current CUDA device.

    stop: if another thread sets stop[0] to anything but 0, the function returns soon, and its
    results are unfinished.
    """
    every = alike(plan)
    for tasks in every:
        _check(owner, plan, tasks[0])
    at_once = _at_once(every)
    memory = int(_SHARE * free_memory() / min(len(every), at_once))
    for tasks in every:
        needed = bytes_a_thread(plan, tasks[0])
        if needed > memory:
            raise RbmleError(
                f"{owner}: 'device' must have more memory: one replication needs "
                f"{size_text(needed)}, and {size_text(memory)} are free for it."
            )
    compile_for_cuda(plan)
    filled = plan.fresh()
    waiting = [_play(plan, tasks, memory, filled, progress) for tasks in every]
    playing: list[Iterator[None]] = []
    while (waiting or playing) and (stop is None or stop[0] == 0):
        while waiting and len(playing) < at_once:
            playing.append(waiting.pop(0))
        playing = [each for each in playing if next(each, _DONE) is not _DONE]
    return filled


def _at_once(every: list[tuple[Task, ...]]) -> int:
    """How many policies are in flight: enough of them to fill the device."""
    threads = sum(each.size for tasks in every for each in tasks) / len(every)
    return max(_AT_ONCE, min(_MOST_AT_ONCE, int(_FULL / threads)))


def compile_for_cuda(plan: Plan) -> None:
    """Compile the code that the plan needs."""
    for tasks in alike(plan):
        kernel.prepare(*example(plan, tasks))


def _check(owner: str, plan: Plan, task: Task) -> None:
    """Refuse what draws from a generator that is not a pure function: it has one state for all."""
    if plan.rewards.one_generator and plan.draws_numbers(task.problem, task.policy):
        policy, _ = plan.players[task.problem][task.policy]
        raise ParameterError(
            owner,
            "device",
            f"'cpu' for {type(policy).__name__} on {plan.rewards!r}: "
            "it draws from NumPy's legacy generator, which cannot run on a device",
        )


def _play(
    plan: Plan, tasks: tuple[Task, ...], memory: int, filled: list[Filled],
    progress: Callable[[int, int], None] | None,
) -> Iterator[None]:  # fmt: skip
    """Play the tasks, launch by launch and slice by slice; yields while a slice is played."""
    stream = cuda.stream()
    for launch in launches(plan, tasks, memory):
        count = launch.tasks[0].size
        threads = len(launch.tasks) * count
        given = arguments(plan, launch, cuda.to_device, threads)
        begin, size = 1, _FIRST_SLICE
        while begin <= plan.horizon:
            end = min(begin + size, plan.horizon + 1)
            given = given._replace(part=given.part._replace(begin=begin, end=end))
            began = time.perf_counter()
            kernel.launch(threads, stream, *given)
            yield
            stream.synchronize()
            spent = max(time.perf_counter() - began, 1e-6)
            begin = end
            size = max(1, int(size * min(_SECONDS_A_SLICE / spent, 8.0)))
        _collect(plan, launch, given, filled)
        if progress is not None:
            progress(tasks[0].policy, count)


def _collect(plan: Plan, launch: Launch, given: Given, filled: list[Filled]) -> None:
    """Copy the results of a launch from the device to their places."""
    counters, kept = given.course.counters, given.kept
    pulls = given.game.arms.pulls if isinstance(counters, ByPulls) else counters.counts
    on_device: tuple[Any, ...] = kept.regret, kept.best_pulls, pulls
    arrays: list[Floats] = [each.copy_to_host() for each in on_device]
    for place, task in enumerate(launch.tasks):
        threads = slice(place * task.size, (place + 1) * task.size)
        rows = slice(task.first - plan.first, task.last - plan.first)
        for target, found in zip(filled[task.problem], arrays, strict=True):
            columns: Floats = target[task.policy, rows]
            columns[:] = found[threads, : columns.shape[1]]
