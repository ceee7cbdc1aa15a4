"""The smallest C_alpha that Propositions 2 to 5 allow, as printed and as their proofs allow it."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..policies import RBMLE, LogBias
from ..problems import Problem
from .setting import Setting, setting


def smallest_c_alpha(
    problem: Problem,
    proposition: int,
    epsilon: float = 0.5,
    lower: float | None = None,
    family: Any = None,
    sharp: bool = False,
) -> float:
    """The least C_alpha with which alpha(t) = C_alpha log t has the proposition's regret bound.

    | proposition | rewards | C_alpha, with theta' = theta_1 - epsilon Delta / 2 |
    |---|---|---|
    | 2 | the assumed family | 4 / (D(theta', theta_1) K*(theta', lower)) |
    | 3, 4 | (sub-)Gaussian, Gaussian index | 256 sigma^2 / Delta |
    | 5 | sub-Exponential, e = epsilon Delta | 16 (kappa e + 2 rho^2) / (e^2 K*(theta', lower)) |

    epsilon: in (0, 1), for Propositions 2 and 5.
    lower: the known lower bound on the means, by default the end of the family's range.
    family: the one the index is of, for Proposition 5; by default the problem's own.

    Infinite where K* is 0: no C_alpha is enough for exponential and gamma rewards with lower = 0.
    The proofs use `lower` as a bound on the *empirical* mean of the best arm; a larger one is
    taken as printed, though nothing proves it (docs/theory.md has a counterexample to 5).

    sharp: what the proofs support without that assumption. For 3 and 4 any C_alpha above
    16 sigma^2 / Delta; for 2 and 5 the supremum of 4 / (d(nu) K*(theta', nu)) over the empirical
    means nu < theta' that rewards allow, d(nu) the exponent of the best arm's tail bound. It is
    at most the printed value for `lower` at the end of the rewards, and finite for exponential
    rewards, and for Gaussian ones, 8 sigma^2 / (epsilon Delta).

    >>> from rbmle import Bernoulli, Exponential, Gaussian
    >>> smallest_c_alpha(Problem(Gaussian(0.1), [0.5, 1.0]), 3)
    5.12
    >>> problem = Problem(Exponential(), [0.2, 1.0])
    >>> smallest_c_alpha(problem, 2), round(smallest_c_alpha(problem, 2, sharp=True), 2)
    (inf, 7.23)
    """
    if proposition == 6:
        raise ParameterError.of("theory", "proposition", "one of 2, 3, 4, 5", proposition)
    return least(setting(problem, proposition, epsilon, lower, family), sharp)


def least(given: Setting, sharp: bool) -> float:
    """`smallest_c_alpha` of a setting."""
    if given.proposition in (3, 4):
        return (16.0 if sharp else 256.0) * given.sigma * given.sigma / given.gap
    if sharp:
        return _supremum(given)
    if given.lower == -inf:
        raise ParameterError.of(
            f"Proposition {given.proposition}", "lower",
            f"given, as {type(given.family).__name__} means have no lower bound", None,
        )  # fmt: skip
    shift = 0.5 * given.epsilon * given.gap
    k = given.family.k_star(given.best - shift, given.lower)
    return 4.0 / (given.exponent(shift) * k) if k > 0.0 else inf


def _supremum(given: Setting) -> float:
    """sup of 4 / (d(nu) K*(theta', nu)) over nu in (the least reward, theta')."""
    shift = 0.5 * given.epsilon * given.gap
    target, floor = given.best - shift, given.law.reward_interval().low

    def value(nu: float) -> float:
        k, exponent = given.family.k_star(target, nu), given.exponent(given.best - nu)
        return 4.0 / (exponent * k) if exponent * k > 0.0 else inf

    if floor == -inf:
        nus = target - shift * np.geomspace(1e-3, 1e6, 400)
    else:
        depth = target - floor
        near_end, near_target = np.geomspace(1e-12, 0.5, 200), np.geomspace(1e-3, 0.5, 200)
        nus = np.sort(np.concatenate([floor + depth * near_end, target - depth * near_target]))
        finite_exponent = given.proposition != 2 or given.family.kl(floor, given.best) < inf
        if finite_exponent and given.family.k_star(target, floor) == 0.0:
            return inf  # an empirical mean there is not rare enough for what it costs
        if finite_exponent:
            nus = np.append(nus, floor)
    values = [value(float(nu)) for nu in nus]
    best = int(np.argmax(values))
    low, high = float(nus.min()), float(target)
    below, above = nus[nus < nus[best]], nus[nus > nus[best]]
    low = float(below.max()) if below.size else low
    high = float(above.min()) if above.size else high
    largest = values[best]
    for _ in range(60):  # golden-section search between the neighbours of the largest on the grid
        a, b = high - 0.6180339887498949 * (high - low), low + 0.6180339887498949 * (high - low)
        left, right = value(a), value(b)
        largest = max(largest, left, right)
        low, high = (low, b) if left > right else (a, high)
    return largest


def theoretical_rbmle(
    problem: Problem,
    proposition: int,
    epsilon: float = 0.5,
    lower: float | None = None,
    family: Any = None,
    sharp: bool = False,
) -> RBMLE:
    """RBMLE with alpha(t) = C_alpha log t and the proposition's smallest C_alpha for the problem.

    For Propositions 3 and 4 it is the Gaussian index that has the bound: where rewards are not
    Gaussian, play `Assuming(policy, Gaussian())`.

    >>> from rbmle import Gaussian
    >>> theoretical_rbmle(Problem(Gaussian(0.1), [0.5, 1.0]), 3).alpha
    LogBias(c=5.12)
    """
    c = smallest_c_alpha(problem, proposition, epsilon, lower, family, sharp)
    if c == inf:
        raise ParameterError.of(
            f"Proposition {proposition}", "lower", "above the mean at which K* is 0", lower
        )
    return RBMLE(LogBias(c))
