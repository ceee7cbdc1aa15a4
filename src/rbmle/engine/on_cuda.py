"""A CUDA device as a place: it plays the whole plan, or as much at a time as its memory holds.

Rounds are played in slices of a tenth of a second: between two of them Ctrl-C is noticed. Several
policies are played at once, each in a stream of its own, so that few replications fill the device.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from numba import cuda
from numpy.typing import NDArray

from .._io.memory import size_text
from .._numba.compile import Floats
from .._numba.cuda import DeviceKernel, free_memory
from ..errors import ParameterError, RbmleError
from .cpu_kernel import Filled
from .cuda_kernel import play_thread
from .cuda_memory import Given, arguments, example
from .cuda_parts import Group, Part, bytes_a_thread, groups, parts
from .plan import Plan

kernel = DeviceKernel(play_thread)

_AT_ONCE = 8  # groups in flight; more would only divide the memory into smaller parts
_MOST_AT_ONCE = 32  # where groups are so small that 8 of them do not fill a device
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
    played = list(groups(plan))
    for group in played:
        _check(owner, plan, group)
    at_once = _groups_at_once(plan, played)
    memory = int(_SHARE * free_memory() / min(len(played), at_once))
    for group in played:
        needed = bytes_a_thread(plan, group)
        if needed > memory:
            raise RbmleError(
                f"{owner}: 'device' must have more memory: one replication needs "
                f"{size_text(needed)}, and {size_text(memory)} are free for it."
            )
    compile_for_cuda(plan)
    filled = plan.fresh()
    waiting = [_play(plan, group, memory, filled, progress) for group in played]
    playing: list[Iterator[None]] = []
    while (waiting or playing) and (stop is None or stop[0] == 0):
        while waiting and len(playing) < at_once:
            playing.append(waiting.pop(0))
        playing = [each for each in playing if next(each, _DONE) is not _DONE]
    return filled


def _groups_at_once(plan: Plan, played: list[Group]) -> int:
    """How many groups are in flight: enough of them to fill the device."""
    threads = (plan.last - plan.first) * sum(len(each.problems) for each in played) / len(played)
    return max(_AT_ONCE, min(_MOST_AT_ONCE, int(_FULL / threads)))


def compile_for_cuda(plan: Plan) -> None:
    """Compile the code that the plan needs."""
    for group in groups(plan):
        kernel.prepare(*example(plan, group))


def _check(owner: str, plan: Plan, group: Group) -> None:
    """Refuse what draws from a generator that is not a pure function: it has one state for all."""
    policy, _ = plan.players[group.problems[0]][group.player]
    if plan.rewards.one_generator and plan.draws_numbers(group.problems[0], group.player):
        raise ParameterError(
            owner,
            "device",
            f"'cpu' for {type(policy).__name__} on {plan.rewards!r}: "
            "it draws from NumPy's legacy generator, which cannot run on a device",
        )


def _play(
    plan: Plan, group: Group, memory: int, filled: list[Filled],
    progress: Callable[[int, int], None] | None,
) -> Iterator[None]:  # fmt: skip
    """Play a group, part by part and slice by slice; yields while a slice is being played."""
    stream = cuda.stream()
    for part in parts(plan, group, memory):
        count = part.end - part.begin
        threads = len(part.problems) * count
        given = arguments(plan, group, part, cuda.to_device, threads)
        begin, size = 1, _FIRST_SLICE
        while begin <= plan.horizon:
            given = given._replace(begin=begin, end=min(begin + size, plan.horizon + 1))
            began = time.perf_counter()
            kernel.launch(threads, stream, *given)
            yield
            stream.synchronize()
            spent = max(time.perf_counter() - began, 1e-6)
            begin = given.end
            size = max(1, int(size * min(_SECONDS_A_SLICE / spent, 8.0)))
        _collect(plan, group, part, given, filled)
        if progress is not None:
            progress(group.player, count)


def _collect(plan: Plan, group: Group, part: Part, given: Given, filled: list[Filled]) -> None:
    """Copy the results of a part from the device to their places."""
    count, rows = part.end - part.begin, slice(part.begin - plan.first, part.end - plan.first)
    pulls = given.tally.counts if hasattr(given.tally, "counts") else given.arms.pulls
    arrays: list[NDArray[np.float64]] = [
        each.copy_to_host() for each in (given.regret, given.best_pulls, pulls)
    ]
    for place, p in enumerate(part.problems):
        threads = slice(place * count, (place + 1) * count)
        for target, found in zip(filled[p], arrays, strict=True):
            columns: Floats = target[group.player, rows]
            columns[:] = found[threads, : columns.shape[1]]
