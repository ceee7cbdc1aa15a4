"""Traces of the adaptive schemes, Algorithms 1 to 3: beta(t) and the estimate of C_alpha."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, kernel
from ..errors import ParameterError, integer
from ..families import Family
from ..policies import RBMLE
from ..policies.alpha import BIASES, Adaptive
from ..policies.arms import Arms, Clock
from ..policies.fit import player
from ..random import MAX_REPLICATIONS, MAX_ROUNDS, Counter, key
from ..rewards.problems import Pays, Problem
from ..rewards.sources import RewardStream
from .setting import inside, unique_best

_KNOWN_MEAN_PULLS = 1e300  # pulls from which an arm's mean counts as known
_UNCAPPED = 1e300  # in place of beta(t), so that the estimate is computed even if it is larger
_CLOCK = Clock(1000, 0)  # any round gives the same estimate if pulls are proportional to log t


class AdaptiveTrace(NamedTuple):
    """One replication of RBMLE with an adaptive scheme, after each arm was pulled once.

    rounds: t = N + 1, ..., T.
    beta, c_alpha: beta(t) and the estimate of C_alpha, which is infinite while the estimated gap is
    0. alpha(t) = min(beta(t), c_alpha(t)) log t.
    target: the estimate if means and gap were known.
    limit: the limit of the estimate, see `adaptive_limit`.
    pulls: of each arm, in all rounds.
    """

    rounds: NDArray[np.int64]
    beta: Floats
    c_alpha: Floats
    target: float
    limit: float
    pulls: Floats

    @property
    def takes_over(self) -> int | None:
        """The first round in which the estimate is below beta(t), or None."""
        below = np.flatnonzero(self.c_alpha < self.beta)
        return int(self.rounds[below[0]]) if below.size else None


@kernel
def _watch(
    policy: Any, family: Family, source: Pays, draws: Counter, arms: Arms, noted: Floats,
    number: int,
) -> None:  # fmt: skip
    """Play one replication as `engine.play` does, and note beta(t) and C_alpha in each round."""
    n_arms, state = arms.n_arms(), np.zeros(0)  # RBMLE needs no work space
    for t in range(1, n_arms + noted.shape[1] + 1):
        clock = Clock(t, 0)
        if t > n_arms:
            noted[0, t - n_arms - 1] = policy.alpha.beta_at(clock)
            noted[1, t - n_arms - 1] = policy.alpha.c_alpha(family, arms, clock, _UNCAPPED)
        i = policy.choose(state, family, arms, clock, draws.at(number, t))
        arms.learn(i, source.reward(number, t, i))


def adaptive_trace(
    problem: Problem,
    bias: Adaptive,
    horizon: int,
    seed: int = 0,
    replication: int = 0,
    family: object = None,
) -> AdaptiveTrace:
    """Play RBMLE(bias), and record beta(t) and the estimate of C_alpha in each round.

    bias: the scheme, such as `AdaptiveGaussian(sigma)`. replication: the number of the one to play.
    The choices equal those of `simulate` with the same seed, in this replication.

    >>> from rbmle import AdaptiveGaussian, Gaussian
    >>> trace = adaptive_trace(Problem(Gaussian(0.05), [0.5, 1.0]), AdaptiveGaussian(0.05), 5000)
    >>> trace.takes_over, round(trace.target, 6), round(trace.limit, 3)
    (40, 1.28, 1.642)
    """
    target = adaptive_target(problem, bias, family)
    policy, model = player(RBMLE(bias), problem, family)
    n_arms = problem.n_arms
    horizon = integer("adaptive_trace", "horizon", horizon, f"[{n_arms + 1}, {MAX_ROUNDS}]")
    number = integer("adaptive_trace", "replication", replication, f"[0, {MAX_REPLICATIONS - 1}]")
    rewards = RewardStream(seed)
    source, _, _ = next(rewards.batches(problem, horizon, number, number + 1, 1))
    rounds = np.arange(n_arms + 1, horizon + 1)
    arms, noted = Arms.fresh(n_arms), np.zeros((2, rounds.size))
    _watch(policy, model, source, Counter(*key(rewards.seed), True), arms, noted, number)
    limit = adaptive_limit(problem, bias, family)
    return AdaptiveTrace(rounds, noted[0], noted[1], target, limit, arms.pulls)


def adaptive_target(problem: Problem, bias: Adaptive, family: object = None) -> float:
    """What the scheme's estimate of C_alpha would be if the means were known.

    For Algorithm 1 it is 256 sigma^2 / Delta, the smallest C_alpha of Proposition 4. For Algorithm
    2 it is not the smallest of Proposition 2, see docs/explanation/theory.md. It is infinite where
    K* is 0.
    """
    model = _scheme("adaptive_target", problem, bias, family)
    return _estimate(problem, bias, model, np.full(problem.n_arms, _KNOWN_MEAN_PULLS))


def adaptive_limit(problem: Problem, bias: Adaptive, family: object = None) -> float:
    """The limit of the estimate of C_alpha once it is below beta(t). It is above the target.

    A suboptimal arm is pulled about K* C_alpha log t times. Its confidence width contains log t /
    pulls, so the width does not shrink, and C_alpha(t) tends to the solution of
    C = estimate(pulls = K* C log t) instead of the target. The limit is infinite where no C solves
    this; then beta(t) stays the smaller one for ever.

    >>> from rbmle import AdaptiveGaussian, Gaussian
    >>> problem = Problem(Gaussian(0.05), [0.5, 1.0])
    >>> ratio = adaptive_limit(problem, AdaptiveGaussian(0.05)) / 1.28
    >>> round(ratio, 4)  # 1/y^2, y^2 + y/4 = 1
    1.2832
    """
    model = _scheme("adaptive_limit", problem, bias, family)
    low = _estimate(problem, bias, model, np.full(problem.n_arms, _KNOWN_MEAN_PULLS))
    if low == inf:
        return inf
    best = problem.means.max()
    need = [model.k_star(best, mean) for mean in problem.means.tolist()]

    def too_small(c: float) -> bool:
        pulls = np.array([min(k * c * _CLOCK.log_t(), _KNOWN_MEAN_PULLS) for k in need])
        return _estimate(problem, bias, model, pulls) > c

    high = 2.0 * low
    while too_small(high):
        high *= 2.0
        if high > _KNOWN_MEAN_PULLS:
            return inf
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if too_small(middle) else (low, middle)
    return high


def _estimate(problem: Problem, bias: Adaptive, family: Family, pulls: Floats) -> float:
    arms = Arms(pulls, pulls * problem.means, pulls)
    return bias.c_alpha(family, arms, _CLOCK, _UNCAPPED)


def _scheme(owner: str, problem: Problem, bias: Adaptive, family: object) -> Family:
    """The family that the index assumes. A problem or scheme that does not fit is refused."""
    unique_best(owner, problem)
    if type(bias) not in BIASES.values() or not hasattr(bias, "c_alpha"):
        names = ", ".join(f"{name}()" for name, cls in BIASES.items() if hasattr(cls, "c_alpha"))
        raise ParameterError(owner, "bias", f"one of {names}", bias)
    if getattr(bias, "constant", None) == 2:
        raise ParameterError(
            owner, "bias", "one that compares beta(t) with C_alpha, not 'script'", bias
        )
    _, model = player(RBMLE(bias), problem, family)
    inside(owner, model, problem.means)
    return model
