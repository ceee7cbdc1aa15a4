"""What the kernel of a CUDA device is given: records whose arrays have a row for each thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numba import cuda

from ..choosers.selection import chooser_on_device
from .cpu_kernel import course_for, rules_and_game
from .cuda_kernel import Slice
from .cuda_launches import Launch, launches
from .cuda_rows import add_rows, spread
from .floors import FlooredRules
from .game import Game, Rules
from .plan import Plan, Task
from .rounds import Checkpoints, Course


class Given(NamedTuple):
    """The arguments of `play_thread`, in its order."""

    rules: Rules
    game: Game
    course: Course
    kept: Checkpoints
    part: Slice
    stop: Any


def example(plan: Plan, tasks: tuple[Task, ...]) -> Given:
    """Arguments of the kernel with the types of all launches of the tasks, to compile for."""
    launch = next(launches(plan._replace(last=plan.first + 1), tasks, 1))
    return arguments(plan, launch, _alike, 2)


def _alike(array: Any) -> Any:
    """A small array of the type that the array has on the device."""
    return np.zeros((2,) * array.ndim, array.dtype)


def arguments(plan: Plan, launch: Launch, bring: Callable[[Any], Any], threads: int) -> Given:
    """The arguments of the kernel, for rounds from 1 on; `bring` moves an array to the device."""
    p, index, first, last = launch.tasks[0]
    policy, family = plan.players[p][index]
    n_arms, worlds = plan.problems[p].n_arms, [plan.problems[each.problem] for each in launch.tasks]

    def room(shape: tuple[int, ...], kind: Any = np.float64, order: Literal["C", "F"] = "F") -> Any:
        if bring is _alike:
            return np.zeros(shape, kind, order=order)
        return cuda.device_array(shape, kind, order=order)

    def rows(*shape: int) -> Any:
        """Room for an array of this shape for each thread."""
        return room((max(threads, 2), *(max(each, 2) for each in shape)))

    chooser = chooser_on_device(policy, family, n_arms, plan.evidence)
    rules, game = rules_and_game(plan, p, index, launch.source, chooser)
    course = course_for(plan, p, index, plan.draws(p, index))
    arms = spread(game.arms, room, bring, threads)
    game = Game(
        arms, arms if game.known is game.arms else spread(game.known, room, bring, threads),
        rows(game.state.size), rows(game.memory.size), launch.source.on_device(bring, rows),
        spread(game.pending, room, bring, threads),
    )  # fmt: skip
    rules = rules._replace(chooser=spread(chooser, room, bring, threads))
    if isinstance(rules, FlooredRules):
        rules = rules._replace(shares=bring(rules.shares))
    given = Given(
        rules, game,
        _course(course, worlds, bring, room, threads),
        Checkpoints(bring(plan.rounds), rows(plan.rounds.size), rows(plan.rounds.size)),
        Slice(len(worlds), first, last - first, 1, 1), bring(np.zeros(1, np.int64)),
    )  # fmt: skip
    for each in (given.rules, given.game, given.course):
        add_rows(each)
    return given


def _course(
    course: Course, worlds: list[Any], bring: Callable[[Any], Any], room: Any, threads: int
) -> Course:
    """The course of all threads: gaps have a row for each problem."""
    counters = spread(course.counters, room, bring, threads)
    if hasattr(counters, "gaps"):
        counters = counters._replace(gaps=bring(np.array([each.fixed_gaps for each in worlds])))
    calendar = spread(course.calendar, room, bring, threads)
    return course._replace(calendar=calendar, counters=counters)
