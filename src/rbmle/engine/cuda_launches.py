"""How a plan is cut for a CUDA device: into tasks of one policy that fit in its memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..choosers.selection import chooser_on_device
from ..rewards.sources import RewardStream
from .plan import Plan, Task


class Launch(NamedTuple):
    """Tasks that the device plays at the same time: the same replications of one policy, on
    problems of the same kind. source: their rewards."""

    tasks: tuple[Task, ...]
    source: Any


def alike(plan: Plan) -> list[tuple[Task, ...]]:
    """All tasks of a policy on problems of the same kind, for every policy and kind."""
    kinds: dict[object, list[int]] = {}
    for p, problem in enumerate(plan.problems):
        kinds.setdefault(problem.kind(), []).append(p)
    return [
        tuple(Task(p, index, plan.first, plan.last) for p in problems)
        for index in range(len(plan.players[0]))
        for problems in kinds.values()
    ]


def launches(plan: Plan, tasks: tuple[Task, ...], memory: int) -> Iterator[Launch]:
    """The tasks cut into what the memory holds."""
    one = tasks[0]
    most = max(1, memory // bytes_a_thread(plan, one))
    if not isinstance(plan.rewards, RewardStream):
        for source, first, last in plan.rewards.batches(
            plan.problems[one.problem], plan.horizon, plan.first, plan.last, most
        ):
            yield Launch((one._replace(first=first, last=last),), source)
        return
    rows = min(one.size, most)
    columns = max(1, most // rows)
    for start in range(0, len(tasks), columns):
        some = tasks[start : start + columns]
        worlds = [plan.problems[each.problem] for each in some]
        source = worlds[0].sources(worlds, plan.rewards.seed, plan.horizon)
        for first in range(plan.first, plan.last, rows):
            last = min(first + rows, plan.last)
            yield Launch(tuple(each._replace(first=first, last=last) for each in some), source)


def bytes_a_thread(plan: Plan, task: Task) -> int:
    """The memory of the device that one replication of the task takes."""
    problem = plan.problems[task.problem]
    policy, model = plan.players[task.problem][task.policy]
    state = policy.remembers() + policy.scratch(model, problem.n_arms)
    chooser: Any = chooser_on_device(policy, model, problem.n_arms, plan.evidence)
    kept = sum(max(each.size, 2) for each in chooser if isinstance(each, np.ndarray))
    kept += max(plan.evidence.memory_size(problem.n_arms), 2)
    kept += 4 + problem.n_arms * (2 + problem.dimension)  # the tally, features and means
    kept += _numbers(plan.waiting(task.problem, task.policy))
    numbers = 4 * problem.n_arms + max(state, 2) + kept + 2 * max(plan.rounds.size, 2)
    if not isinstance(plan.rewards, RewardStream):
        numbers += plan.horizon * problem.n_arms
    return int(8 * numbers)


def _numbers(record: Any) -> int:
    """How many numbers the arrays of a record have, and those of the records in it."""
    inside = [each for each in record if isinstance(each, (tuple, np.ndarray))]
    return sum(each.size if isinstance(each, np.ndarray) else _numbers(each) for each in inside)
