"""Regret bounds of Propositions 2 to 6, and the lower bound of Lai and Robbins (1985)."""

from __future__ import annotations

from math import exp, inf, isfinite, log, pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._io.text import without_defaults
from .._numba.compile import Floats
from ..errors import Interval, ParameterError, integer, number
from ..families import Family
from ..rewards.problems import Problem
from .analysis import k_star_of, kl, kl_from, reach
from .c_alpha import least_c_alpha, smallest_c_alpha
from .setting import PROPOSITIONS, Setting, a_problem, assumed, inside, setting, unique_best


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
        return _adaptive(given, horizon, number("Proposition 6", "power", power, "(0, inf)"))
    c = _admissible(given, c_alpha, sharp)
    constant = 2 * pi**2 / 3 if given.proposition in (3, 4) else 1 + pi**2 / 3
    coefficients = np.array([_coefficient(given, c, a) for a in range(problem.n_arms)])
    constants = np.where(problem.gaps > 0.0, constant, 0.0)
    return Bound(given.proposition, horizon, c, problem.gaps, coefficients, constants)


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
    model, best, others = _means("lai_robbins", problem, family)
    return sum(((best - mean) / kl(model, mean, best) for mean in others), 0.0)


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
    c = number("growth_rate", "c_alpha", c_alpha, "(0, inf)")
    model, best, others = _means("growth_rate", problem, family)
    return c * sum((best - mean) * k_star_of(model, best, mean) for mean in others)


def _means(owner: str, problem: Problem, family: object) -> tuple[Family, float, list[float]]:
    """The family of the index, the best mean, and the means below it."""
    a_problem(owner, problem)
    model = assumed(owner, problem, family)
    inside(owner, model, problem.means)
    best = float(problem.means.max())
    return model, best, [mean for mean in problem.means.tolist() if mean < best]


def _admissible(given: Setting, c_alpha: float | None, sharp: bool) -> float:
    owner = f"Proposition {given.proposition}"
    smallest = least_c_alpha(given, sharp or c_alpha is not None)
    if c_alpha is not None and given.lower > -inf:  # any proof that supports it is enough
        smallest = min(smallest, least_c_alpha(given, sharp=False))
    if smallest == inf:
        raise ParameterError(owner, "lower", "above the mean at which K* is 0", given.lower)
    if c_alpha is None:
        return smallest
    c = number(owner, "c_alpha", c_alpha, "(0, inf)")
    if c < (1.0 - 1e-12) * smallest:
        raise ParameterError(owner, "c_alpha", f"at least {smallest:g} for this problem", c)
    return c


def _coefficient(given: Setting, c: float, arm: int) -> float:
    """The factor of log T in the pulls of an arm: 2 C_alpha / Delta_a in Propositions 3 and 4;
    max{4 / D(...), C_alpha K*(...)} in Proposition 2; Proposition 5 has the tail exponent of
    sub-Exponential rewards in place of D."""
    mean, gap = float(given.problem.means[arm]), float(given.problem.gaps[arm])
    if gap == 0.0:
        return 0.0
    if given.proposition in (3, 4):
        return 2.0 * c / gap
    shift = 0.5 * given.epsilon * gap
    second = given.proposition == 2
    decay = kl_from(given.family, mean, shift) if second else given.exponent(shift)
    return max(4.0 / decay, c / reach(given.family, given.best - shift, gap - 2.0 * shift))


def _adaptive(given: Setting, horizon: int, power: float) -> Bound:
    """Proposition 6. T_0 is the first t with beta(t) >= 256 sigma^2 (N + 2) / Delta."""
    gaps, square = given.problem.gaps, given.sigma * given.sigma
    level = 256.0 * square * (gaps.size + 2) / given.gap
    log_wait = level ** (1.0 / power)
    wait = float(np.ceil(exp(log_wait))) if log_wait < 700.0 else inf
    coefficient = 1024.0 * square * (gaps.size + 2) / (given.gap * given.gap)
    coefficients = np.where(gaps > 0.0, coefficient, 0.0)
    constants = np.where(gaps > 0.0, gaps.size * pi**2 / 3, 0.0)
    return Bound(6, horizon, level, gaps, coefficients, constants, wait, log_wait)


def bounds_data(
    problem: Problem,
    horizon: int,
    epsilon: float = 0.5,
    lower: float | None = None,
    family: object = None,
) -> dict[str, Any]:
    """All bounds for one problem as plain data, which `rbmle bounds` shows: Lai and Robbins' lower
    bound, and the upper bound of each proposition, printed and sharp.

    A problem to which no bound applies is refused. Where a single bound does not apply, its entry
    has an `obstacle`, the sentence that says why.
    """
    _, gap = unique_best("bounds", problem)
    if problem.family is not None:
        inside("bounds", problem.family, problem.means)
    horizon = integer("bounds", "horizon", horizon, "[2, inf)")
    epsilon = number("bounds", "epsilon", epsilon, "(0, 1)")
    if lower is not None:
        allowed = problem.law.mean_interval()
        ends = Interval(allowed.low, float(problem.means.min()), allowed.closed_low, True)
        lower = number("bounds", "lower", lower, ends)
    try:
        model = family if problem.family is None else problem.family
        constant = lai_robbins(problem, model)
        least: dict[str, Any] = {
            "family": without_defaults(model),
            "constant": constant,
            "at_horizon": constant * log(horizon),
        }
    except ParameterError as obstacle:
        least = {"obstacle": str(obstacle).removeprefix("lai_robbins: ")}
    asked = {"epsilon": epsilon, "lower": lower, "family": family}
    return {
        "law": without_defaults(problem.law),
        "means": problem.means.tolist(),
        "gap": gap,
        "horizon": horizon,
        "epsilon": epsilon,
        "lower": lower,
        "trivial_bound": horizon * float(problem.gaps.max()),
        "lai_robbins": least,
        "propositions": [
            _entry(problem, horizon, proposition, asked | {"sharp": sharp})
            for proposition in PROPOSITIONS
            for sharp in ((False,) if proposition == 6 else (False, True))
        ],
    }


def _entry(
    problem: Problem, horizon: int, proposition: int, asked: dict[str, Any]
) -> dict[str, Any]:
    """The bound of one proposition; asked: epsilon, lower, family and sharp."""
    if proposition not in (2, 5):  # the others are about the Gaussian index
        asked["family"] = None
    entry: dict[str, Any] = {"proposition": proposition, "sharp": asked["sharp"]}
    try:
        if proposition != 6:
            entry["c_alpha"] = _plain(smallest_c_alpha(problem, proposition, **asked))
        bound = regret_bound(problem, horizon, proposition, **asked)
    except ParameterError as obstacle:
        return {**entry, "obstacle": str(obstacle)}
    entry |= {"slope": bound.slope, "constant": bound.constant}
    if proposition == 6:
        entry |= {"wait": _plain(bound.wait), "log_wait": bound.log_wait}
    lower = asked["lower"]
    if proposition == 5 and lower is not None and lower > problem.law.reward_interval().low:
        entry["caution"] = "Proposition 5 can fail with 'lower' above the least reward."
    return {**entry, "bound": _plain(bound.total), "informative": bound.informative}


def _plain(value: float) -> float | str:
    """Infinity as text, which JSON can hold."""
    return value if isfinite(value) else "inf"
