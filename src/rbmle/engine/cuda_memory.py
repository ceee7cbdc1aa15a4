"""What the kernel of a CUDA device is given: records whose arrays have a row for each thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import cuda

from .._numba.for_cuda import side_by_side
from ..choosers.selection import chooser_on_device
from ..policies.arms import Arms
from .cuda_launches import Launch, launches
from .plan import Plan, Task
from .tallies import tally_for


class Given(NamedTuple):
    """The arguments of `play_thread`, in its order."""

    policy: Any
    family: Any
    evidence: Any
    chooser: Any
    arms: Any
    state: Any
    memory: Any
    source: Any
    tally: Any
    waiting: Any
    problems: int
    begin: int
    end: int
    known_horizon: int
    randomness: Any
    first: int
    replications: int
    checkpoints: Any
    regret: Any
    best_pulls: Any
    stop: Any


def example(plan: Plan, tasks: tuple[Task, ...]) -> Given:
    """Arguments of the kernel with the types of all launches of the tasks, to compile for."""
    launch = next(launches(plan._replace(last=plan.first + 1), tasks, 1))
    return arguments(plan, launch, _alike, 2)


def _alike(array: Any) -> Any:
    """A small array of the type that the array has on the device."""
    return np.zeros((2,) * array.ndim, array.dtype)


def arguments(plan: Plan, launch: Launch, bring: Callable[[Any], Any], threads: int) -> Given:
    """The arguments of the kernel, for rounds from 1 on; `bring` moves an array to the device.

    Arrays have at least two rows and columns: otherwise their layout, which is a part of their
    type, would be ambiguous.
    """
    p, index, first, last = launch.tasks[0]
    policy, model = plan.players[p][index]
    n_arms = plan.problems[p].n_arms
    numbers = policy.remembers() + policy.scratch(model, n_arms)
    known = plan.horizon if policy.uses_horizon() else 0

    def room(columns: int, kind: Any = np.float64) -> Any:
        rows = max(threads, 2)
        if bring is _alike:
            return np.zeros((rows, max(columns, 2)), kind, order="F")
        return cuda.device_array((rows, max(columns, 2)), kind, order="F")

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

    chooser: Any = chooser_on_device(policy, model, n_arms, plan.evidence)
    lines = beside(sum(isinstance(x, np.ndarray) and x.shape == (n_arms,) for x in chooser))
    chooser = _with_arrays(
        chooser,
        lambda each: lines.pop() if each.shape == (n_arms,) else room(each.size, kind=each.dtype),
    )
    worlds = [plan.problems[each.problem] for each in launch.tasks]
    waiting = plan.waiting(p, index)
    tally = tally_for(worlds[0], plan.evidence, waiting)
    return Given(
        policy, model, plan.evidence, chooser, Arms(*beside(len(Arms._fields))),
        room(numbers), room(plan.evidence.memory_size(n_arms)),
        launch.source.on_device(bring, rows), _tally(worlds, tally, bring, rows),
        waiting.on_device(bring, lambda each: room(each.size, kind=each.dtype)),
        len(worlds), 1, 1, known,
        plan.draws(p, index), first, last - first, bring(plan.rounds),
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
