"""How a plan is cut for a CUDA device: into tasks of one policy that fit in its memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..choosers.selection import chooser_on_device
from ..policies.arms import Arms
from ..policies.base import fresh_state
from ..rewards.sources import RewardStream
from .calendar import calendar_for
from .cuda_rows import bytes_of
from .imputation import pending_for
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
    policy, family = plan.players[task.problem][task.policy]
    records = (
        Arms.fresh(problem.n_arms),
        fresh_state(policy, family, problem.n_arms),
        chooser_on_device(policy, family, problem.n_arms, plan.evidence),
        pending_for(policy, plan.evidence, problem.n_arms, plan.delay),
        calendar_for(plan.delay, plan.horizon, plan.rewards.seed),
    )
    numbers = max(plan.evidence.memory_size(problem.n_arms), 2) + 2 * max(plan.rounds.size, 2)
    numbers += 4 + problem.n_arms * (6 + problem.dimension)  # counters, features, means, `known`
    if not isinstance(plan.rewards, RewardStream):
        numbers += plan.horizon * problem.n_arms
    return int(8 * numbers + bytes_of(records))
