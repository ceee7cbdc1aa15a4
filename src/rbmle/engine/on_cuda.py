"""A CUDA device as a place: it plays the whole plan, or as much at a time as its memory holds.

Rounds are played in slices of some milliseconds: between two of them Ctrl-C is noticed. Several
policies are played at once, each in a stream of its own, so that few replications fill the device.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import cuda
from numpy.typing import NDArray

from .._compile import Floats
from .._cuda import DeviceKernel, free_memory, side_by_side
from .._memory import size_text
from ..choosers.selection import chooser_of_few
from ..errors import ParameterError, RbmleError
from ..policies.arms import Arms
from ..rewards.sources import RewardStream
from .cpu_kernel import Filled
from .cuda_kernel import play_thread
from .plan import Plan
from .tallies import tally_for

kernel = DeviceKernel(play_thread)

_AT_ONCE = 8  # groups in flight; more would only divide the memory into smaller parts
_MOST_AT_ONCE = 32  # where groups are so small that 8 of them do not fill a device
_FULL = 262_144  # threads: an H200 holds 132 x 2,048 at once
_SECONDS_A_SLICE = 0.1  # short enough for Ctrl-C, long against the 10 microseconds of a launch
_FIRST_SLICE = 32  # rounds; the time that they take tells the length of the next slice
_SHARE = 0.9  # of the free memory; the rest is for the driver


class Group(NamedTuple):
    """Problems of the same kind, which one launch plays with one policy."""

    player: int  # which policy
    problems: tuple[int, ...]


class Part(NamedTuple):
    """What is on the device at one time: some problems, and replications begin, ..., end - 1."""

    problems: tuple[int, ...]
    begin: int
    end: int
    source: Any


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
        needed = _bytes_a_thread(plan, group)
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


_DONE = object()


def groups(plan: Plan) -> Iterator[Group]:
    alike: dict[Any, list[int]] = {}
    for p, problem in enumerate(plan.problems):
        alike.setdefault(problem.kind(), []).append(p)
    for index in range(len(plan.players[0])):
        for problems in alike.values():
            yield Group(index, tuple(problems))


def _check(owner: str, plan: Plan, group: Group) -> None:
    """Refuse what draws from a generator that is not a pure function: it has one state for all."""
    policy, _ = plan.players[group.problems[0]][group.player]
    if plan.rewards.one_generator and plan.draws_numbers(group.problems[0], group.player):
        raise ParameterError(
            f"{owner}: 'device' must be 'cpu' for {type(policy).__name__} on {plan.rewards!r}: "
            f"it draws from NumPy's legacy generator, which cannot run on a device."
        )


def _bytes_a_thread(plan: Plan, group: Group) -> int:
    """The memory of the device that one replication on one problem takes."""
    problem = plan.problems[group.problems[0]]
    policy, model = plan.players[group.problems[0]][group.player]
    state = policy.remembers() + policy.scratch(model, problem.n_arms)
    chooser: Any = chooser_of_few(policy, model, problem.n_arms, plan.evidence)
    kept = sum(max(each.size, 2) for each in chooser if isinstance(each, np.ndarray))
    kept += max(plan.evidence.memory_size(problem.n_arms), 2)
    kept += 4 + problem.n_arms * (2 + problem.dimension)  # the tally, features and means
    kept += _numbers(plan.waiting(group.problems[0], group.player))
    numbers = 4 * problem.n_arms + max(state, 2) + kept + 2 * max(plan.rounds.size, 2)
    if not isinstance(plan.rewards, RewardStream):
        numbers += plan.horizon * problem.n_arms
    return int(8 * numbers)


def _numbers(record: Any) -> int:
    """How many numbers the arrays of a record have, and those of the records in it."""
    inside = [each for each in record if isinstance(each, (tuple, np.ndarray))]
    return sum(each.size if isinstance(each, np.ndarray) else _numbers(each) for each in inside)


def _parts(plan: Plan, group: Group, memory: int) -> Iterator[Part]:
    """The group cut into what the memory holds."""
    most = max(1, memory // _bytes_a_thread(plan, group))
    count = plan.last - plan.first
    if not isinstance(plan.rewards, RewardStream):
        [p] = group.problems
        for source, begin, end in plan.rewards.batches(
            plan.problems[p], plan.horizon, plan.first, plan.last, most
        ):
            yield Part(group.problems, begin, end, source)
        return
    rows = min(count, most)
    columns = max(1, most // rows)
    for start in range(0, len(group.problems), columns):
        problems = group.problems[start : start + columns]
        worlds = [plan.problems[p] for p in problems]
        source = worlds[0].sources(worlds, plan.rewards.seed, plan.horizon)
        for begin in range(plan.first, plan.last, rows):
            yield Part(problems, begin, min(begin + rows, plan.last), source)


def example(plan: Plan, group: Group) -> tuple[Any, ...]:
    """Arguments of the kernel with the types of all parts of a group, to compile for."""
    part = next(_parts(plan._replace(last=plan.first + 1), group, 1))
    return _arguments(plan, group, part, _alike, 2)


def _alike(array: Any) -> Any:
    """A small array of the type that the array has on the device."""
    return np.zeros((2,) * array.ndim, array.dtype)


def _arguments(
    plan: Plan, group: Group, part: Part, bring: Callable[[Any], Any], threads: int
) -> tuple[Any, ...]:
    """The arguments of the kernel, for rounds from 1 on; `bring` moves an array to the device.

    Arrays have at least two rows and columns: otherwise their layout, which is a part of their
    type, would be ambiguous.
    """
    p = part.problems[0]
    policy, model = plan.players[p][group.player]
    n_arms = plan.problems[p].n_arms
    scratch = policy.scratch(model, n_arms)
    numbers = policy.remembers() + scratch
    known = plan.horizon if policy.needs_horizon() else 0

    # Rows of scratch are contiguous, because policies lay out tables in it.
    def room(columns: int, order: str = "F", kind: Any = np.float64) -> Any:
        rows = max(threads, 2)
        if bring is _alike:
            return np.zeros((rows, max(columns, 2)), kind, order=order)  # type: ignore[call-overload]
        return cuda.device_array((rows, max(columns, 2)), kind, order=order)

    def rows(*shape: int) -> Any:
        """Room for an array of this shape for each thread."""
        whole = (max(threads, 2), *(max(each, 2) for each in shape))
        if bring is _alike:
            return np.zeros(whole, order="F")
        return cuda.device_array(whole, order="F")

    def beside(count: int) -> list[Any]:
        """So many arrays with a number for each thread and arm, those of an arm side by side.

        Threads that pull different arms then read and write one sector of memory each, not one for
        each array.
        """
        shape = max(n_arms, 2), max(threads, 2), max(count, 2)
        block = np.zeros(shape) if bring is _alike else cuda.device_array(shape)
        return side_by_side(block)[:count]

    chooser: Any = chooser_of_few(policy, model, n_arms, plan.evidence)
    lines = beside(sum(isinstance(x, np.ndarray) and x.shape == (n_arms,) for x in chooser))
    chooser = _with_arrays(
        chooser,
        lambda each: lines.pop() if each.shape == (n_arms,) else room(each.size, kind=each.dtype),
    )
    worlds = [plan.problems[each] for each in part.problems]
    waiting = plan.waiting(p, group.player)
    tally = tally_for(worlds[0], plan.evidence, waiting)
    return (
        policy, model, plan.evidence, chooser, Arms(*beside(len(Arms._fields))),
        room(numbers, "C" if scratch else "F"), room(plan.evidence.memory_size(n_arms)),
        part.source.on_device(bring, rows), _tally(worlds, tally, bring, rows),
        waiting.on_device(bring, lambda each: room(each.size, kind=each.dtype)),
        len(worlds), 1, 1, known,
        plan.draws(p, group.player), part.begin, part.end - part.begin, bring(plan.rounds),
        room(plan.rounds.size), room(plan.rounds.size), bring(np.zeros(1, np.int64)),
    )  # fmt: skip


def _tally(worlds: Any, tally: Any, bring: Callable[[Any], Any], rows: Any) -> Any:
    """The tally of all threads: gaps have a row for each problem, counts one for each thread."""
    parts = {
        name: bring(np.array([each.fixed_gaps for each in worlds]))
        if name == "gaps"
        else rows(*getattr(tally, name).shape)
        for name in tally._fields
    }
    return type(tally)(**parts)


def _with_arrays(record: Any, change: Callable[[Any], Any]) -> Any:
    """The record with every array changed."""
    return type(record)(*(change(x) if isinstance(x, np.ndarray) else x for x in record))


def _play(
    plan: Plan, group: Group, memory: int, filled: list[Filled],
    progress: Callable[[int, int], None] | None,
) -> Iterator[None]:  # fmt: skip
    """Play a group, part by part and slice by slice; yields while a slice is being played."""
    stream = cuda.stream()
    for part in _parts(plan, group, memory):
        count = part.end - part.begin
        threads = len(part.problems) * count
        given = list(_arguments(plan, group, part, cuda.to_device, threads))
        begin, size = 1, _FIRST_SLICE
        while begin <= plan.horizon:
            given[_BEGIN], given[_END] = begin, min(begin + size, plan.horizon + 1)
            began = time.perf_counter()
            kernel.launch(threads, stream, *given)
            yield
            stream.synchronize()
            spent = max(time.perf_counter() - began, 1e-6)
            begin = given[_END]
            size = max(1, int(size * min(_SECONDS_A_SLICE / spent, 8.0)))
        _collect(plan, group, part, given, filled)
        if progress is not None:
            progress(group.player, count)


# Places in `_arguments`.
_ARMS, _TALLY, _BEGIN, _END, _REGRET, _BEST = 4, 8, 11, 12, 18, 19


def _collect(plan: Plan, group: Group, part: Part, given: list[Any], filled: list[Filled]) -> None:
    """Copy the results of a part from the device to their places."""
    count, rows = part.end - part.begin, slice(part.begin - plan.first, part.end - plan.first)
    tally = given[_TALLY]
    pulls = tally.counts if hasattr(tally, "counts") else given[_ARMS].pulls
    arrays: list[NDArray[np.float64]] = [
        each.copy_to_host() for each in (given[_REGRET], given[_BEST], pulls)
    ]
    for place, p in enumerate(part.problems):
        threads = slice(place * count, (place + 1) * count)
        for target, found in zip(filled[p], arrays, strict=True):
            columns: Floats = target[group.player, rows]
            columns[:] = found[threads, : columns.shape[1]]
