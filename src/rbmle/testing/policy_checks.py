"""The laws that every policy obeys, on every family that it fits."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from itertools import combinations
from math import inf
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..choosers import CachedBounds, Chooser, Tournament, facts_for
from ..choosers.scan import scan_for
from ..engine import simulate
from ..engine.cpu_kernel import course_for, play, rules_and_game
from ..engine.plan import Filled, Setup, plan
from ..engine.rounds import Checkpoints, Span
from ..errors import ParameterError
from ..families import Family
from ..live.decider import Decider
from ..policies.arms import Arms, Clock
from ..policies.base import Policy, fresh_state, ranks_only, share_ties
from ..policies.propensities import propensities_of
from ..random import Draws, key
from ..rewards.problems import Problem
from ..rewards.sources import RewardStream, Stream
from .checking import SEED, Checks, NotApplicable, require, require_close, require_equal

_STREAM = RewardStream(SEED)
POLICY_CHECKS = Checks()

HORIZON, REPLICATIONS = 4000, 32  # of `regret_is_sublinear`, in each order of the two arms

_CHOICES = 400  # of `probabilities_are_those_of_its_choices`, by the interpreter: 0.1 s or less

# The regret per round, as a share of uniform play's, below which a policy passes. A policy that
# plays uniformly in a share p of the rounds has p. Measured at the end of the horizon, all policies
# of the package that settle have less than 0.0035 (RBMLE on coins has the most).
_SETTLED = 0.005

# The regret per round in rounds T/2..T, over that in rounds T/16..T/8, below which a policy passes.
# It is 1 for linear regret, 0.35 for sqrt(t), 0.13 for log t^1.5 and 0.125 for log t.
_FALLEN = 0.5


def easy_problem(family: Family) -> Problem:
    """Three arms, well apart, inside the family's range of means."""
    low, high = family.mean_range()
    if high < inf:
        return Problem(family, [low + x * (high - low) for x in (0.2, 0.8, 0.5)])
    return Problem(family, [0.4, 2.0, 1.0] if low > -inf else [-0.5, 1.0, 0.0])


def _played(
    policy: Policy, problem: Problem, horizon: int, replications: int, chooser: Chooser | None,
    loop: Callable[..., None] = play,
) -> Filled:  # fmt: skip
    """Regret and pulls of a best arm in every round, and the pulls, by this chooser and loop."""
    rounds = np.arange(1, horizon + 1)
    setup = Setup("check", [problem], [policy], horizon, replications, _STREAM, checkpoints=rounds)
    planned = plan(setup)
    [(regret, best_pulls, pulls)] = planned.fresh()
    loop(
        *rules_and_game(planned, 0, 0, problem.source(SEED, horizon), chooser),
        course_for(planned, 0, 0, planned.draws(0, 0)),
        Checkpoints(rounds, regret[0], best_pulls[0]),
        pulls[0],
        Span(0, 1, horizon + 1),
        np.zeros(1, np.int64),
    )
    return regret[0], best_pulls[0], pulls[0]


@POLICY_CHECKS
def compiled_equals_interpreted(policy: Policy, family: Family) -> None:
    """The compiled loop and the interpreter give the same regret, bit for bit."""
    problem = easy_problem(family)
    scan = scan_for(policy, problem.n_arms)
    regret, best, _ = _played(policy, problem, 40, 1, None)
    interpreted = _played(policy, problem, 40, 1, scan, play.interpreted)
    require_equal(interpreted[0], regret, "interpreted and compiled regret")
    require_equal(interpreted[1], best, "interpreted and compiled pulls of the best arm")


def makers_of_choosers(policy: Policy, family: Family) -> list[Callable[[int], Chooser]]:
    """For each chooser that the facts about the policy allow, a function of the number of arms
    that makes it; the scan's is the first."""
    makers: list[Callable[[int], Chooser]] = [partial(scan_for, policy)]
    facts = facts_for(policy, family)
    if facts is not None and facts.rises(family):
        makers.append(partial(CachedBounds.of, facts))
        makers.append(partial(CachedBounds.of, facts, keeps=False))
    if facts is not None and facts.tournament_from(family) < inf:
        makers.append(partial(Tournament.of, facts))
    return makers


@POLICY_CHECKS
def every_chooser_equals_the_scan(policy: Policy, family: Family) -> None:
    """Every chooser that the facts about the policy allow makes the scan's choices."""
    makers = makers_of_choosers(policy, family)
    if len(makers) == 1:
        raise NotApplicable(f"{type(policy).__name__} is always played by a scan")
    means = easy_problem(family).means
    problem = Problem(family, np.linspace(means.min(), means.max(), 70))
    choosers = [make(problem.n_arms) for make in makers]
    scanned = _played(policy, problem, 1500, 3, choosers[0])
    for chooser in choosers[1:]:
        found, name = _played(policy, problem, 1500, 3, chooser), type(chooser).__name__
        require_equal(found[0], scanned[0], f"regret by a {name} and by a scan")
        require_equal(found[2], scanned[2], f"pulls by a {name} and by a scan")


@POLICY_CHECKS
def work_can_be_divided(policy: Policy, family: Family) -> None:
    """Results depend neither on the number of threads nor on the replications played together."""
    problem = easy_problem(family)
    whole = simulate(problem, [policy], 150, 5, _STREAM, threads=1).regret
    threaded = simulate(problem, [policy], 150, 5, _STREAM, threads=3).regret
    require_equal(threaded, whole, "regret with three threads and with one")
    alone = simulate(problem, [policy], 150, 1, _STREAM, first_replication=3).regret
    require_equal(alone[:, 0], whole[:, 3], "regret of replication 3 alone and in a batch")


@POLICY_CHECKS
def each_arm_is_played_once_first(policy: Policy, family: Family) -> None:
    """The first K rounds play each of the K arms once, and every round plays one arm."""
    later = simulate(easy_problem(family), [policy], 60, 2, _STREAM).pulls
    require_equal(later.sum(axis=2), np.full((1, 2), 60), "pulls in 60 rounds and 60")
    if not policy.plays_each_first():
        raise NotApplicable(f"{type(policy).__name__} says that it does not play each arm first")
    start = simulate(easy_problem(family), [policy], 3, 2, _STREAM).pulls
    require_equal(start, np.ones((1, 2, 3)), "pulls in the first three rounds and 1 each")


@POLICY_CHECKS
def live_equals_simulated(policy: Policy, family: Family) -> None:
    """A decider that gets the simulator's rewards pulls the simulator's arms, also after it was
    saved and loaded."""
    horizon, problem = 60, easy_problem(family)
    rounds = range(1, horizon + 1)
    simulated = simulate(problem, [policy], horizon, 1, _STREAM, checkpoints=rounds)
    source = Stream(family, np.array(problem.means), *key(SEED))
    decider = Decider(range(3), policy, family, seed=SEED, horizon=horizon)
    total = np.zeros(3)
    for t in rounds:
        if t == horizon // 2:
            with tempfile.TemporaryDirectory() as folder:
                decider.save(Path(folder) / "state.json")
                decider = Decider.load(Path(folder) / "state.json")
        i = int(decider.pull())
        decider.update(i, source.reward(0, t, i))
        total[i] += 1.0
        regret, expected = float(sum(total * problem.gaps)), float(simulated.regret[0, 0, t - 1])
        require_close(regret, expected, f"live regret in round {t}", rel=1e-12)


@POLICY_CHECKS
def an_index_does_not_depend_on_the_arms_place(policy: Policy, family: Family) -> None:
    """Permuting the arms permutes their indices, and `prefer` does not depend on which of two arms
    with equal indices is named first. So the same arm is pulled."""
    if not ranks_only(policy):
        raise NotApplicable(f"{type(policy).__name__} does not rank arms by an index")
    rng = np.random.default_rng(SEED)
    low, high = family.mean_range()
    for _ in range(20):
        n = rng.integers(1, 50, 5).astype(float)
        means = rng.uniform(max(low, -2.0), min(high, 2.0), 5)
        n[1], means[1] = n[0], means[0]  # two arms alike, for a tie
        arms = Arms(n, n * means, n * means * means, np.zeros(5))
        order = rng.permutation(5)
        moved = Arms(*(each[order] for each in arms))
        clock = Clock(int(n.sum()) + 1, 1000)
        plain = _indices(policy, family, arms, clock)
        for place, index in enumerate(_indices(policy, family, moved, clock)):
            # Close, not equal: a level that sums over the arms may round differently in this order.
            what = f"the index of arm {order[place]}, moved to place {place},"
            require_close(index, plain[order[place]], what, rel=1e-9)


def _indices(policy: Policy, family: Family, arms: Arms, clock: Clock) -> list[float]:
    """The index of every arm. Between equal ones `prefer` must change its sign with their order."""
    level = policy.level(family, arms, clock)
    found = [float(policy.index_of(family, arms, i, level)) for i in range(5)]
    for i, j in combinations(range(5), 2):
        if found[i] == found[j]:
            there = policy.prefer(family, arms, i, j, level)
            back = policy.prefer(family, arms, j, i, level)
            require(
                (there > 0.0) == (back < 0.0) and (there < 0.0) == (back > 0.0),
                f"'prefer' must change its sign with the arms exchanged. Got {there} and {back}.",
            )
    return found


@POLICY_CHECKS
def probabilities_are_those_of_its_choices(policy: Policy, family: Family) -> None:
    """What the policy says of its probabilities is how often it chooses each arm, up to five
    standard deviations; it adds up to 1, and does not depend on the places of the arms."""
    arms, clock = _four_arms(family, 8.0), Clock(36, 1000)
    state = fresh_state(policy, family, 4)
    kept = state[: policy.remembers(4)].copy()
    try:
        p = _propensities(policy, state, family, arms, clock)
    except ParameterError as missing:
        raise NotApplicable(str(missing)) from None
    require_close(float(p.sum()), 1.0, "the sum of the probabilities", rel=1e-9)
    require(bool((p >= 0.0).all()), f"probabilities must not be negative. Got {p.tolist()}.")
    apart, order = _four_arms(family, 7.0), np.array([2, 0, 3, 1])  # some rules put the first of
    moved = Arms(*(each[order] for each in apart))  # two equal arms first
    plain, again = (
        _propensities(policy, fresh_state(policy, family, 4), family, each, clock)
        for each in (apart, moved)
    )
    for place, found in zip(order, again, strict=True):
        require_close(found, plain[place], f"the probability of arm {place}, moved,", rel=1e-6)
    counts = np.zeros(4)
    for t in range(1, _CHOICES + 1):
        state[: kept.size] = kept
        counts[policy.choose(state, family, arms, clock, Draws(SEED, 0, 0, t, True))] += 1.0
    away, most = np.abs(counts - _CHOICES * p), 5.0 * np.sqrt(_CHOICES * p * (1.0 - p)) + 1e-6
    require(
        bool((away <= most).all()),
        f"{_CHOICES} choices must have the probabilities {p.tolist()}. Got {counts.tolist()}.",
    )


def _propensities(
    policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock
) -> NDArray[np.float64]:
    """What the policy says; where it ranks arms, by the interpreter: that compiles nothing."""
    if not ranks_only(policy):
        return propensities_of(policy, state, family, arms, clock, True)
    p = np.empty(arms.n_arms())
    share_ties.interpreted(policy, family, arms, clock, True, p)
    return p


def _four_arms(family: Family, pulls_of_third: float) -> Arms:
    """Four arms: the second and third have the largest mean, and tie if both have 8 pulls."""
    low, high = family.mean_range()
    places = np.array([0.45, 0.5, 0.5, 0.4])
    means = low + places * (high - low) if high < inf else places + (low if low > -inf else 0.0)
    pulls = np.array([10.0, 8.0, pulls_of_third, 9.0])
    return Arms(pulls, pulls * means, pulls * (means * means + 0.1), np.zeros(4))


@POLICY_CHECKS
def regret_is_sublinear(policy: Policy, family: Family) -> None:
    """Regret per round is small at the end, or has fallen to half.

    Two arms far apart are played for T = 4000 rounds, 32 times with the better arm first and 32
    times with it last. A policy breaks the law if its regret per round in the last half is both
    more than 0.5 % of uniform play's and more than half of its own in rounds T/16 to T/8.

    The check finds a policy that plays uniformly in 5 % of the rounds or more; that always pulls
    the same arm; or that gets stuck on the worse arm in one replication of 64, as the greedy rule
    does on coins. It misses one that explores for ever in fewer than one round in 200, or that gets
    stuck more rarely. A slow policy with a large constant passes if its rate falls. It does not
    apply to a policy whose `settles` says that it explores for ever.
    """
    if not policy.settles():
        raise NotApplicable(f"{type(policy).__name__} says that it does not settle on an arm")
    means = _two_means(family)
    points = [HORIZON // 16, HORIZON // 8, HORIZON // 2]
    regrets = [
        simulate(
            Problem(family, order), [policy], HORIZON, REPLICATIONS, _STREAM, checkpoints=points
        ).regret[0]
        for order in (means, means[::-1])
    ]
    regret = np.mean(regrets, axis=(0, 1))
    uniform = 0.5 * (means[1] - means[0])
    early = (regret[1] - regret[0]) / (HORIZON / 16) / uniform
    late = (regret[3] - regret[2]) / (HORIZON / 2) / uniform
    require(
        late <= _SETTLED or late <= _FALLEN * early,
        f"regret must grow ever more slowly. Its rate, over that of uniform play, was {early:.3g} "
        f"in rounds {points[0]} to {points[1]} and {late:.3g} in rounds {points[2]} to {HORIZON}.",
    )


def _two_means(family: Family) -> list[float]:
    """A worse and a better mean, far apart: a fifth from the ends of a bounded range; else 1.6
    standard deviations apart, and at least 1.6, for policies that assume a standard deviation of
    1."""
    low, high = family.mean_range()
    if high < inf:
        width = high - low
        return [low + 0.2 * width, low + 0.8 * width] if low > -inf else [high - 2.0, high - 0.4]
    worse, h = low + 0.4 if low > -inf else -0.5, 1e-4
    precision = (family.natural(worse + h) - family.natural(worse - h)) / (2.0 * h)
    return [worse, worse + 1.6 * max(1.0, precision**-0.5)]
