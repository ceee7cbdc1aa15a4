"""How a plan is cut for a CUDA device: into groups of one policy, and into what memory holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..choosers.selection import chooser_on_device
from ..rewards.sources import RewardStream
from .plan import Plan


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


def groups(plan: Plan) -> Iterator[Group]:
    """Every policy with all problems of a kind."""
    alike: dict[Any, list[int]] = {}
    for p, problem in enumerate(plan.problems):
        alike.setdefault(problem.kind(), []).append(p)
    for index in range(len(plan.players[0])):
        for problems in alike.values():
            yield Group(index, tuple(problems))


def bytes_a_thread(plan: Plan, group: Group) -> int:
    """The memory of the device that one replication on one problem takes."""
    problem = plan.problems[group.problems[0]]
    policy, model = plan.players[group.problems[0]][group.player]
    state = policy.remembers() + policy.scratch(model, problem.n_arms)
    chooser: Any = chooser_on_device(policy, model, problem.n_arms, plan.evidence)
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


def parts(plan: Plan, group: Group, memory: int) -> Iterator[Part]:
    """The group cut into what the memory holds."""
    most = max(1, memory // bytes_a_thread(plan, group))
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
