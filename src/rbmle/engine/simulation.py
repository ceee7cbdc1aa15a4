"""`simulate` and `simulate_many`: policies play problems, on the CPU or on a CUDA device."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .._io.machine import log
from .._io.progress import shown
from ..errors import FamilyWarning, ParameterError, integer
from ..policies.misfit import misfit
from ..result import Result
from ..rewards.problems import World
from ..rewards.sources import Rewards, RewardStream, Table
from .devices import check_device, compile_plan, device_name, play_plan
from .plan import Listed, Plan, Setup, plan

Progress: TypeAlias = Callable[[int, int], None] | bool | None  # as users give it


def simulate(
    problem: World,
    policies: Listed,
    horizon: int,
    replications: int,
    rewards: Rewards | None = None,
    ties: str = "random",
    family: object = None,
    checkpoints: ArrayLike | None = None,
    first_replication: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    seed: int | None = None,
    device: str = "cpu",
    evidence: object = None,
    delay: object = None,
) -> Result:
    """Play each policy on the problem for `replications` x `horizon` rounds.

    policies: a list of policies, or a mapping of labels to policies. A policy may be given by name,
    as at the command line: "rbmle", "ts", "ucb(alpha=1)".
    horizon: the number of rounds T; at least the number of arms.
    rewards: `RewardStream(seed)` (the default, with seed 0), a `Table`, or the paper's
    `PublishedTable(seed)`.
    seed: short for rewards=RewardStream(seed).
    ties: which of several arms with equal indices is played: "random", or the "first".
    family: what the policies assume, or its name, as in "gaussian(sigma=2)"; the problem's own
    family by default. `Assuming(policy, family)` sets it for one policy. A problem with a
    non-parametric law needs one of them. A `FamilyWarning` says if the problem's rewards have more
    than four times the variance that a family assumes, or less than a quarter.
    checkpoints: the rounds at which regret is kept. By default about 200: half of them evenly
    spaced in t, half in log t. The horizon is always the last.
    first_replication: the number of the first replication, to continue where another run ended.
    threads: how many to use, by default one for each processor. Results do not depend on it.
    progress: whether to show on stderr what is being compiled, and a bar if playing takes more than
    two seconds; by default, if stderr is a terminal or a notebook. Or a function that is called
    instead, with (the policy's place in the list, the number of replications just played), from any
    thread.
    device: "cpu", or "cuda" for a GPU, which needs the extra `gpu`. Results are the
    same; docs/howto/devices.md says how far.
    evidence: what an arm's past is worth: `Counting()` by default, `Discounted(gamma)`,
    `Window(size)`, `Linear(dimension)`, `Logistic(dimension)`; or its name, "window(size=500)".
    delay: when rewards come: `FixedDelay(rounds)`, `GeometricDelay(mean)`, `BatchDelay(every)`,
    `TableDelay(rounds)`, or its name, as in "fixeddelay(100)"; by default at once. Policies see a
    pull whose reward has not come as `Decider` does, as if it had paid the arm's mean so far; with
    FixedDelay(100, pending="ignored") as if it had not happened.

    >>> from rbmle import Problem
    >>> result = simulate(Problem("bernoulli", [0.4, 0.6]), ["ucb"], horizon=100, replications=2)
    >>> result.regret.shape[:2], int(result.pulls.sum())
    ((1, 2), 200)
    """
    if not isinstance(problem, World):
        raise ParameterError("simulate", "problem", "a Problem", problem)
    check_device("simulate", device)
    if seed is not None and rewards is not None:
        raise ParameterError("simulate", "seed", "left out where rewards are given", seed)
    seed = integer("simulate", "seed", 0 if seed is None else seed, RewardStream.seeds)
    source = RewardStream(seed) if rewards is None else rewards
    given = Setup(
        "simulate", [problem], policies, horizon, replications, source, ties, family, checkpoints,
        first_replication, evidence, delay,
    )  # fmt: skip
    planned = plan(given)
    for warning in _misfits(planned):
        warnings.warn(FamilyWarning(warning), stacklevel=2)
    [result] = _results("simulate", planned, device, threads, progress)
    return result


def _misfits(planned: Plan) -> list[str]:
    """What the rewards of the first problem say against the families that policies assume."""
    [problem, *_], [players, *_], rewards = planned.problems, planned.players, planned.rewards
    table = isinstance(rewards, Table)
    others = [each for each in players if table or each[1] is not problem.law]
    means, variances = rewards.moments(problem) if others else (np.zeros(0), np.zeros(0))
    sentences = (misfit(*each, means, variances, np.ones(means.size)) for each in others)
    return list(dict.fromkeys(each for each in sentences if each is not None))


def simulate_many(
    problems: Sequence[World],
    policies: Listed,
    *,
    horizon: int,
    replications: int,
    ties: str = "random",
    family: object = None,
    checkpoints: ArrayLike = (),
    first_replication: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    seed: int = 0,
    device: str = "cpu",
    evidence: object = None,
    delay: object = None,
) -> list[Result]:
    """Play each policy on each problem: the results of `simulate` for each of the problems.

    It is made for thousands of problems: a GPU plays all problems with the same law and number of
    arms at once, and the threads of a CPU share the problems among them. The parameters are those
    of `simulate`, except that by default regret is kept only at the horizon.

    >>> from rbmle import Problem
    >>> both = [Problem("bernoulli", [0.4, 0.6]), Problem("bernoulli", [0.1, 0.9])]
    >>> [r.final_regret.shape for r in simulate_many(both, ["ucb"], horizon=50, replications=3)]
    [(1, 3), (1, 3)]
    """
    if isinstance(problems, World) or not isinstance(problems, Sequence) or not problems:
        raise ParameterError(
            "simulate_many", "problems", "a list of problems, at least one", problems
        )
    for each in problems:
        if not isinstance(each, World):
            raise ParameterError("simulate_many", "problems", "a list of problems", each)
    check_device("simulate_many", device)
    source = RewardStream(integer("simulate_many", "seed", seed, RewardStream.seeds))
    given = Setup(
        "simulate_many", problems, policies, horizon, replications, source, ties, family,
        checkpoints, first_replication, evidence, delay,
    )  # fmt: skip
    return _results("simulate_many", plan(given), device, threads, progress)


def _results(
    owner: str, planned: Plan, device: str, threads: int | None, progress: Progress
) -> list[Result]:
    """The results of each problem, played on the device."""
    if threads is not None:
        threads = integer(owner, "threads", threads, "[1, inf)")
    if not callable(progress) and progress not in (None, True, False):
        raise ParameterError(owner, "progress", "True, False, None or a function", progress)
    planned.check_memory(owner, copies=2)  # as floats, and converted to whole numbers
    with shown(progress, planned.size(), "rounds") as add:
        tell = progress if callable(progress) else None
        if add is not None:
            tell = lambda _, replications: add(replications * planned.horizon)  # noqa: E731
        # First, so that the time left is that of playing; many problems would take long to look at.
        if device != "cpu" or (add is not None and len(planned.problems) == 1):
            compile_plan(planned, device)
        began = time.perf_counter()
        filled = play_plan(owner, planned, device, threads, tell)
    if device != "cpu":
        spent, name = time.perf_counter() - began, device_name()
        log.info("%.3g rounds on %s: %.2e a second", planned.size(), name, planned.size() / spent)
    return [planned.result(p, each) for p, each in enumerate(filled)]
