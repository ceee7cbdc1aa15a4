"""The engine: `play`, a compiled loop that plays any policy on any problem, and `simulate`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._compile import Floats, kernel
from ._memory import check_memory
from .choosers import Chooser, chooser_for
from .errors import ParameterError, integer, one_of
from .families import Family
from .policies.arms import Arms, Clock
from .policies.base import Policy, fresh_state
from .policies.fit import player
from .random import MAX_REPLICATIONS, MAX_ROUNDS, Counter, key
from .result import Result
from .rewards.problems import Problem
from .rewards.sources import Rewards, RewardStream

Filled = tuple[Floats, Floats, Floats]  # regret, best_pulls and pulls, which `play` fills

# A batch for a thread has about this many decisions. Measured: the quickest policy (UCB, two arms)
# takes 26 ns for one, 5 ms for a batch; preparing a batch and handing it over takes 0.2 ms.
DECISIONS_A_BATCH = 200_000
_SECONDS_A_WAIT = 0.2  # waits are short, because on Windows Ctrl-C does not interrupt them


@kernel
def play(
    policy: Policy,
    family: Family,
    chooser: Chooser,
    arms: Arms,
    state: Floats,
    source: Any,
    gaps: Floats,
    horizon: int,
    known_horizon: int,
    randomness: Any,
    first: int,
    checkpoints: NDArray[np.int64],
    regret: NDArray[np.float64],
    best_pulls: NDArray[np.float64],
    pulls: NDArray[np.float64],
    stop: NDArray[np.int64],
) -> None:
    """Play replications first, first + 1, ... and fill their rows of regret, best_pulls and pulls.

    Rounds are not stored: what remains of them are the arms' statistics and the chooser's memory.
    Regret is pseudo-regret, the sum of the gaps of the arms played. At a checkpoint it is computed
    from the numbers of pulls times the gaps, so that rounding errors do not add up.
    If another thread sets stop[0] to anything but 0, the function returns early, and its rows are
    unfinished.
    """
    n_arms = gaps.size
    for row in range(regret.shape[0]):
        replication = first + row
        arms.restart()
        chooser.restart()
        state[:] = 0.0
        reached = 0
        for t in range(1, horizon + 1):
            # Every 64 rounds: the slowest policies take milliseconds a round, and Ctrl-C must be
            # obeyed within two seconds.
            if t & 63 == 0 and stop[0] != 0:
                return
            rng = randomness.at(replication, t)
            i = chooser.pick(policy, state, family, arms, Clock(t, known_horizon), rng)
            arms.learn(i, source.reward(replication, t, i))
            chooser.changed(i)
            if t == checkpoints[reached]:
                total = best = 0.0
                for j in range(n_arms):
                    total += arms.pulls[j] * gaps[j]
                    if gaps[j] == 0.0:
                        best += arms.pulls[j]
                regret[row, reached], best_pulls[row, reached] = total, best
                reached += 1
        for j in range(n_arms):
            pulls[row, j] = arms.pulls[j]


def simulate(
    problem: Problem,
    policies: Sequence[Any] | Mapping[str, Any],
    horizon: int,
    replications: int,
    rewards: Rewards | None = None,
    ties: str = "random",
    family: Any = None,
    checkpoints: ArrayLike | None = None,
    first_replication: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    seed: int | None = None,
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
    non-parametric law needs one of them.
    checkpoints: the rounds at which regret is kept. By default about 200: half of them evenly
    spaced in t, half in log t. The horizon is always the last.
    first_replication: the number of the first replication, to continue where another run ended.
    threads: how many to use, by default one for each processor. Results do not depend on it.
    progress: a function that is called with (the policy's place in the list, the number of
    replications just played), from any thread.
    """
    if not isinstance(problem, Problem):
        raise ParameterError.of("simulate", "problem", "a Problem", problem)
    horizon = integer("simulate", "horizon", horizon, f"[{problem.n_arms}, {MAX_ROUNDS}]")
    count = integer("simulate", "replications", replications, f"[1, {MAX_REPLICATIONS}]")
    first = integer("simulate", "first_replication", first_replication, "[0, inf)")
    last = first + count
    if last > MAX_REPLICATIONS:
        raise ParameterError.of("simulate", "replications", f"below {MAX_REPLICATIONS}", last)
    if threads is not None:
        threads = integer("simulate", "threads", threads, "[1, inf)")
    one_of("simulate", "ties", ties, ("random", "first"))
    if seed is not None:
        if rewards is not None:
            raise ParameterError.of("simulate", "seed", "left out where rewards are given", seed)
        rewards = RewardStream(seed)
    rewards = RewardStream() if rewards is None else rewards
    if not isinstance(rewards, Rewards):
        raise ParameterError.of(
            "simulate", "rewards", "a source of rewards, as in RewardStream(7)", rewards
        )
    rewards.check(problem, horizon, last)
    labels: tuple[str, ...] = ()
    if isinstance(policies, Mapping):
        labels, policies = tuple(policies), list(policies.values())
        for label in labels:
            if not isinstance(label, str) or not label.strip() or not label.isprintable():
                raise ParameterError.of("simulate", "policies", "labelled by words", label)
    if not isinstance(policies, (list, tuple)) or hasattr(policies, "_fields") or not policies:
        raise ParameterError.of("simulate", "policies", "a list of at least one policy", policies)
    players = [player(each, problem, family) for each in policies]
    rounds = rounds_kept(checkpoints, horizon)
    # best_pulls and pulls are held twice at the end: as floats, and converted to whole numbers.
    numbers = len(players) * count * (3 * rounds.size + 2 * problem.n_arms)
    check_memory("simulate", count, 8 * numbers)
    regret = np.zeros((len(players), count, rounds.size))
    best_pulls = np.zeros((len(players), count, rounds.size))
    pulls = np.zeros((len(players), count, problem.n_arms))
    stop = np.zeros(1, np.int64)
    drawing = [ties == "random" or bool(policy.samples_posteriors()) for policy, _ in players]
    draws = [
        rewards.draws(problem, horizon, first, last, ties == "random")
        if needed
        else Counter(*key(rewards.seed), random_ties=False)
        for needed in drawing
    ]

    def work(index: int, source: Any, begin: int, end: int) -> tuple[Any, ...]:
        rows = slice(begin - first, end - first)
        filled = regret[index, rows], best_pulls[index, rows], pulls[index, rows]
        return arguments(
            players[index], problem, horizon, source, draws[index], begin, rounds, filled, stop
        )

    def run(index: int, source: Any, begin: int, end: int) -> None:
        play(*work(index, source, begin, end))
        if progress is not None:
            progress(index, end - begin)

    def prepare(index: int, source: Any, begin: int, end: int) -> None:
        play.specialised(*work(index, source, begin, end))

    size = max(1, DECISIONS_A_BATCH // horizon)
    batches = rewards.batches(problem, horizon, first, last, size)
    in_order = [rewards.one_generator and each for each in drawing]
    _run_all(prepare, run, in_order, batches, threads or os.cpu_count() or 1, stop)
    return Result(
        problem=problem,
        policies=tuple(policy for policy, _ in players),
        families=tuple(model for _, model in players),
        horizon=horizon,
        checkpoints=rounds,
        regret=regret,
        best_pulls=best_pulls.astype(np.int64),
        pulls=pulls.astype(np.int64),
        labels=labels,
        rewards=repr(rewards),
        first_replication=first,
    )


def arguments(
    pair: tuple[Any, Any], problem: Problem, horizon: int, source: Any, draws: Any, first: int,
    rounds: NDArray[np.int64], filled: Filled, stop: NDArray[np.int64],
) -> tuple[Any, ...]:  # fmt: skip
    """The arguments of `play` for the replications from `first` on.

    pair: the policy and the family that it assumes. rounds: the checkpoints.
    """
    policy, model = pair
    n_arms, known = problem.n_arms, horizon if policy.needs_horizon() else 0
    return (
        policy, model, chooser_for(policy, model, n_arms), Arms.fresh(n_arms),
        fresh_state(policy, model, n_arms), source,
        problem.gaps, horizon, known, draws, first, rounds, *filled, stop,
    )  # fmt: skip


def rounds_kept(given: ArrayLike | None, horizon: int) -> NDArray[np.int64]:
    """The checkpoints: those given, or about 200 by default; the horizon is always the last."""
    if given is None:
        even = np.linspace(1, horizon, 100)
        even_in_log = np.geomspace(1, horizon, 100)
        rounds = np.rint(np.concatenate([even, even_in_log])).astype(np.int64)
    else:
        try:
            rounds = np.atleast_1d(np.asarray(given))
        except ValueError:
            rounds = np.full(1, np.nan)
        whole = rounds.ndim == 1 and (not rounds.size or np.issubdtype(rounds.dtype, np.integer))
        if not whole or (rounds.size and (rounds.min() < 1 or rounds.max() > horizon)):
            raise ParameterError.of(
                "simulate", "checkpoints", f"whole numbers in [1, {horizon}]", given
            )
    return np.unique(np.append(rounds, horizon)).astype(np.int64)


def _run_all(
    prepare: Any,
    run: Any,
    in_order: Sequence[bool],
    batches: Any,
    threads: int,
    stop: NDArray[np.int64],
) -> None:
    """Run every player on every batch in a pool of threads, with few batches in memory at a time.

    in_order: for each player, whether its batches must run one after the other, because it draws
    from a stream. The calling thread only waits, for short times, so that Ctrl-C is noticed; any
    exception in it stops the kernels too.
    """
    pool = ThreadPoolExecutor(threads)
    waiting: set[Future[None]] = set()
    try:
        for number, (source, begin, end) in enumerate(batches):
            for index, ordered in enumerate(in_order):
                if number == 0:  # compile once, not in every thread
                    prepare(index, source, begin, end)
                task = pool.submit(run, index, source, begin, end)
                if ordered:
                    _finish({task}, most=0)
                else:
                    waiting.add(task)
            waiting = _finish(waiting, most=2 * threads * len(in_order))
        _finish(waiting, most=0)
    except BaseException:
        stop[0] = 1
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _finish(tasks: set[Future[None]], most: int) -> set[Future[None]]:
    """Wait until at most `most` tasks are left; an exception in a finished task is raised here."""
    while len(tasks) > most:
        done, tasks = wait(tasks, timeout=_SECONDS_A_WAIT, return_when=FIRST_COMPLETED)
        for each in done:
            each.result()
    return tasks
