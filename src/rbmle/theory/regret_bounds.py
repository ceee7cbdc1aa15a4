"""Regret bounds of Propositions 2 to 6, and the lower bound of Lai and Robbins (1985)."""

from __future__ import annotations

from math import exp, inf, log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._numba.compile import Floats
from ..errors import ParameterError, integer, number
from ..rewards.problems import Problem
from . import close_means
from .c_alpha import least_c_alpha
from .setting import PROPOSITIONS, Setting, a_problem, assumed, inside, setting


class Bound(NamedTuple):
    """A bound on the regret, term by term. Arrays have an entry for each arm; the best arm's is 0.

    In T rounds the expected number of pulls of arm a is at most

        max(coefficients[a] log T, wait) + constants[a],

    and the regret is the sum of this times the gap over the arms. `wait` is T_0 of Proposition 6
    and 0 for the other propositions; `log_wait` is its logarithm, because T_0 soon exceeds any
    float.
    """

    proposition: int
    horizon: int
    c_alpha: float
    gaps: Floats
    coefficients: Floats
    constants: Floats
    wait: float = 0.0
    log_wait: float = -inf

    @property
    def pulls(self) -> Floats:
        """The bound on the pulls of each arm; 0 for the best arm, which has no bound."""
        most = np.maximum(self.coefficients * log(self.horizon), self.wait) + self.constants
        return np.where(self.gaps > 0.0, most, 0.0)

    @property
    def slope(self) -> float:
        """The factor of log T in the regret."""
        return float(self.gaps @ self.coefficients)

    @property
    def constant(self) -> float:
        """The part of the bound on the regret that does not depend on T, without T_0."""
        return float(self.gaps @ self.constants)

    @property
    def total(self) -> float:
        """The bound on the regret of T rounds."""
        return float(self.gaps @ self.pulls)

    @property
    def informative(self) -> bool:
        """Whether the bound is below the trivial one, T times the largest gap."""
        return self.total < self.horizon * float(self.gaps.max())

    def at(self, rounds: ArrayLike) -> Floats:
        """The bound on the regret at each of these rounds, to draw beside measured regret."""
        times = np.atleast_1d(np.asarray(rounds))
        return np.array([self._replace(horizon=int(t)).total for t in times])


def regret_bound(
    problem: Problem,
    horizon: int,
    proposition: int,
    c_alpha: float | None = None,
    epsilon: float = 0.5,
    lower: float | None = None,
    family: object = None,
    power: float = 0.5,
    sharp: bool = False,
) -> Bound:
    """A proposition's bound on the regret of RBMLE in T rounds.

    horizon: the number of rounds T.
    proposition: 2, 3, 4 or 5, for alpha(t) = C_alpha log t; or 6, for Algorithm 1.
    c_alpha: by default the smallest that the proposition allows; a smaller one is refused.
    epsilon, lower, family, sharp: as in `smallest_c_alpha`.
    power: of beta(t) = (log t)^power, for Proposition 6, where C_alpha is estimated.

    Deviation from the paper: Proposition 5's first coefficient is printed with the smallest gap in
    its numerator, but the proof needs the arm's own gap, which is used here. With the printed
    C_alpha or a larger one this changes nothing, because the second coefficient is larger than
    both; with `sharp` it can.

    >>> from rbmle import Gaussian
    >>> bound = regret_bound(Problem(Gaussian(0.1), [0.5, 1.0]), 10_000, 3)
    >>> round(bound.slope, 6), round(bound.constant, 6), round(bound.total, 3), bound.informative
    (10.24, 3.289868, 97.604, True)
    """
    given = setting(problem, proposition, epsilon, lower, family)
    horizon = integer(f"Proposition {proposition}", "horizon", horizon, "[2, inf)")
    if given.proposition == 6:
        if c_alpha is not None:
            raise ParameterError(
                "Proposition 6", "c_alpha", "left out, as Algorithm 1 estimates it", c_alpha
            )
        power = number("Proposition 6", "power", power, "(0, inf)")
        return _adaptive(given, horizon, power)
    c = _admissible(given, c_alpha, sharp)
    suboptimal = given.gaps > 0.0
    if given.proposition in (3, 4):
        each, constant = [2.0 * c / gap if gap > 0.0 else 0.0 for gap in given.gaps], 2 * pi**2 / 3
    else:
        each, constant = [_coefficient(given, c, a) for a in range(problem.n_arms)], 1 + pi**2 / 3
    constants = np.where(suboptimal, constant, 0.0)
    return Bound(given.proposition, horizon, c, given.gaps, np.array(each), constants)


def applicable(problem: Problem, family: object = None) -> dict[int, str]:
    """For each proposition, why it gives no bound for the problem; "" if it gives one.

    >>> from rbmle import Bernoulli
    >>> [n for n, why in applicable(Problem(Bernoulli(), [0.2, 0.7])).items() if not why]
    [2, 4, 5, 6]
    """
    obstacles = {}
    for proposition in PROPOSITIONS:
        model = family if proposition == 5 else None
        try:
            regret_bound(problem, 2, proposition, family=model)
            obstacles[proposition] = ""
        except ParameterError as obstacle:
            obstacles[proposition] = str(obstacle)
    return obstacles


def lai_robbins(problem: Problem, family: object = None) -> float:
    """Lai and Robbins' (1985) constant c = sum of Delta_a / D(theta_a, theta_1): the regret of any
    consistent policy grows at least as c log T.

    family: the family that the policy must be prepared for, by default the problem's own. With
    another family it is the constant of the problem of that family that has these means.

    >>> from rbmle import Gaussian
    >>> lai_robbins(Problem(Gaussian(2.0), [0.0, 0.5, 1.0]))
    24.0
    """
    a_problem("lai_robbins", problem)
    model = assumed("lai_robbins", problem, family)
    inside("lai_robbins", model, problem.means)
    best = float(problem.means.max())
    means = problem.means.tolist()
    return sum(((best - m) / close_means.kl(model, m, best) for m in means if m < best), 0.0)


def lower_bound(problem: Problem, rounds: ArrayLike, family: object = None) -> Floats:
    """The lower-bound curve: Lai and Robbins' constant times log t at each of the rounds.

    >>> from rbmle import Gaussian
    >>> lower_bound(Problem(Gaussian(), [0.0, 1.0]), [10, 100]).round(3)
    array([4.605, 9.21 ])
    """
    times = np.atleast_1d(np.asarray(rounds, dtype=float))
    if not (times >= 1.0).all():
        raise ParameterError("lower_bound", "rounds", "numbers from 1 on", rounds)
    return np.asarray(lai_robbins(problem, family) * np.log(times), dtype=float)


def growth_rate(problem: Problem, c_alpha: float, family: object = None) -> float:
    """C_alpha sum of Delta_a K*(theta_1, theta_a): the factor of log T that the regret of RBMLE
    with alpha(t) = C_alpha log t is seen to approach.

    It is Lemmas 2 and 3 with the true means in place of the empirical ones: arm a is pulled
    K* alpha(t) times. It is not a bound.

    >>> from rbmle import Gaussian
    >>> round(growth_rate(Problem(Gaussian(), [0.0, 0.5, 1.0]), 3.0), 12)
    3.0
    """
    a_problem("growth_rate", problem)
    c = number("growth_rate", "c_alpha", c_alpha, "(0, inf)")
    model = assumed("growth_rate", problem, family)
    inside("growth_rate", model, problem.means)
    best = float(problem.means.max())
    costs: list[float] = [
        (best - mean) * close_means.k_star(model, best, mean)
        for mean in problem.means.tolist()
        if mean < best
    ]
    return c * sum(costs)


def _admissible(given: Setting, c_alpha: float | None, sharp: bool) -> float:
    owner = f"Proposition {given.proposition}"
    # A given C_alpha may be below the printed constant, as long as a proof supports it.
    smallest = least_c_alpha(given, sharp) if c_alpha is None else _smallest_known(given)
    if smallest == inf:
        raise ParameterError(owner, "lower", "above the mean at which K* is 0", given.lower)
    if c_alpha is None:
        return smallest
    c = number(owner, "c_alpha", c_alpha, "(0, inf)")
    if c < (1.0 - 1e-12) * smallest:
        raise ParameterError(owner, "c_alpha", f"at least {smallest:g} for this problem", c)
    return c


def _smallest_known(given: Setting) -> float:
    sharp = least_c_alpha(given, sharp=True)
    return sharp if given.lower == -inf else min(sharp, least_c_alpha(given, sharp=False))


def _coefficient(given: Setting, c: float, arm: int) -> float:
    """The factor of log T in the pulls of an arm: max{4 / D(...), C_alpha K*(...)} in Proposition
    2; Proposition 5 has the tail exponent of sub-Exponential rewards in place of D."""
    mean, gap = float(given.means[arm]), float(given.gaps[arm])
    if gap == 0.0:
        return 0.0
    shift = 0.5 * given.epsilon * gap
    if given.proposition == 2:
        first = 4.0 / close_means.kl_from(given.family, mean, shift)
    else:
        first = 4.0 / given.exponent(shift)
    return max(first, c / close_means.reach(given.family, given.best - shift, gap - 2.0 * shift))


def _adaptive(given: Setting, horizon: int, power: float) -> Bound:
    """Proposition 6. T_0 is the first t with beta(t) >= 256 sigma^2 (N + 2) / Delta."""
    n_arms, square = given.means.size, given.sigma * given.sigma
    level = 256.0 * square * (n_arms + 2) / given.gap
    suboptimal = given.gaps > 0.0
    log_wait = level ** (1.0 / power)
    wait = float(np.ceil(exp(log_wait))) if log_wait < 700.0 else inf
    coefficient = 1024.0 * square * (n_arms + 2) / (given.gap * given.gap)
    return Bound(
        6, horizon, level, given.gaps, np.where(suboptimal, coefficient, 0.0),
        np.where(suboptimal, n_arms * pi**2 / 3, 0.0), wait, log_wait,
    )  # fmt: skip
