"""`Setting`: the numbers that a proposition needs of a problem, checked once."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..errors import Interval, ParameterError, number
from ..families import Family, Gaussian
from ..families.protocols import require_by_sums
from ..policies.fit import as_family
from ..rewards.problems import Problem
from .analysis import family_of

PROPOSITIONS = (2, 3, 4, 5, 6)

# Admitted sizes of means, gaps and spreads. Bounds multiply at most four such numbers
# (sigma^2 / Delta^2), and 1e-75^4 = 1e-300 and 1e75^4 = 1e300 are still floats.
_SIZES = Interval(1e-75, 1e75, True, True)


class Setting(NamedTuple):
    """The numbers of Section 4 that a proposition needs of a problem.

    family: the family of the index. best, gap: theta_1 and Delta. lower: the known lower bound on
    the means. sigma, rho, kappa: the sub-Gaussian and sub-Exponential parameters, each the largest
    over the arms; infinite where the proposition does not use them.
    """

    proposition: int
    problem: Problem
    family: Family
    best: float
    gap: float
    epsilon: float
    lower: float
    sigma: float
    rho: float
    kappa: float

    @property
    def shift(self) -> float:
        """epsilon Delta / 2."""
        return 0.5 * self.epsilon * self.gap

    @property
    def target(self) -> float:
        """theta' = theta_1 - epsilon Delta / 2."""
        return self.best - self.shift

    def exponent(self, deviation: float) -> float:
        """The exponent of a tail bound: the mean of n rewards of the best arm is `deviation` or
        more below theta_1 with probability at most exp(-n exponent). It is Chernoff's bound for
        Proposition 2, and that of sub-Exponential rewards for Proposition 5.
        """
        if self.proposition == 2:
            return self.family.kl(self.best - deviation, self.best)
        spread = self.rho / deviation  # divided first: rho^2 and deviation^2 may underflow
        return 1.0 / (2.0 * (self.kappa / deviation + spread * spread))


def setting(
    problem: Problem,
    proposition: int,
    epsilon: float = 0.5,
    lower: float | None = None,
    family: object = None,
) -> Setting:
    """The checked numbers of the problem for a proposition. A problem to which it does not apply is
    refused with a sentence that says why."""
    owner = f"Proposition {proposition}"
    if proposition not in PROPOSITIONS or isinstance(proposition, bool):
        raise ParameterError("theory", "proposition", "one of 2, 3, 4, 5, 6", proposition)
    best, gap = unique_best(owner, problem)
    given: Family | None = as_family(family, owner)
    epsilon = number(owner, "epsilon", epsilon, "(0, 1)")
    model, sigma, rho, kappa = _rewards(owner, problem, proposition, given)
    inside(owner, model, problem.means)
    for spread in (sigma, rho, kappa):
        if not (spread in _SIZES or spread in (0.0, inf)):
            raise ParameterError(
                owner, "problem", f"one whose rewards have a spread in {_SIZES}", float(spread)
            )
    floor = -inf
    if proposition in (2, 5):
        floor, _ = model.mean_range()
        if lower is not None:
            ends = Interval(floor, float(problem.means.min()), floor > -inf, True)
            floor = number(owner, "lower", lower, ends)
    return Setting(int(proposition), problem, model, best, gap, epsilon, floor, sigma, rho, kappa)


def _rewards(
    owner: str, problem: Problem, proposition: int, family: Family | None
) -> tuple[Family, float, float, float]:
    """What a proposition supposes of the rewards: the family of the index, sigma, rho, kappa."""
    law, means = problem.law, problem.means
    name = type(law).__name__
    if proposition == 2:
        if problem.family is None or family not in (None, problem.family):
            raise ParameterError(
                owner, "problem", "one whose rewards are the assumed exponential family", name
            )
        return problem.family, inf, inf, inf
    if proposition == 5:
        model = assumed(owner, problem, family)
        if law.reward_interval().low < 0.0:
            raise ParameterError(owner, "problem", "one whose rewards are never negative", name)
        rhos, kappas = zip(*map(law.sub_exponential, means), strict=True)
        return model, inf, max(rhos), max(kappas)
    if proposition == 3 and not isinstance(law, Gaussian):
        raise ParameterError(owner, "problem", "one with Gaussian rewards", name)
    if family is not None and not isinstance(family, Gaussian):
        raise ParameterError(owner, "family", "Gaussian, whose index it is about", family)
    sigma = max(law.sub_gaussian(mean) for mean in means)
    if sigma == inf:
        raise ParameterError(owner, "problem", "one with sub-Gaussian rewards", name)
    return as_family("gaussian"), sigma, inf, inf


def assumed(owner: str, problem: Problem, family: object) -> Family:
    """The family of the index: the one given, else the problem's own."""
    model = problem.family if family is None else family_of(owner, family)
    if model is None:
        name = type(problem.law).__name__
        raise ParameterError(owner, "family", f"given for rewards of law {name}", None)
    return model


def unique_best(owner: str, problem: Problem) -> tuple[float, float]:
    """theta_1 and Delta: the best mean, and its distance to the second best. Ties are refused."""
    a_problem(owner, problem)
    second, best = np.sort(problem.means)[-2:].tolist()
    if not best > second:
        raise ParameterError(
            owner, "means", "numbers with one best arm, a gap above 0", problem.means.tolist()
        )
    return best, best - second


def a_problem(owner: str, problem: object) -> None:
    """Refuse anything but a `Problem`, and means or gaps too large or small for the formulas."""
    if not isinstance(problem, Problem):
        raise ParameterError(owner, "problem", "a Problem", problem)
    require_by_sums(owner, problem.family)
    for sizes, what in ((np.abs(problem.means), "numbers"), (problem.gaps, "with gaps")):
        for value in sizes.tolist():
            if not (value in _SIZES or value == 0.0):
                raise ParameterError(owner, "means", f"{what} of size 0 or in {_SIZES}", value)


def inside(owner: str, family: Family, means: Floats) -> None:
    """Refuse means at the ends of the family's range, where there is no natural parameter, and a
    sigma that is too large or small for the formulas."""
    if isinstance(family, Gaussian) and family.sigma not in _SIZES:
        raise ParameterError(owner, "sigma", f"a number in {_SIZES}", family.sigma)
    low, high = family.mean_range()
    allowed = Interval(low, high, closed_low=False, closed_high=False)
    for mean in means.tolist():
        if mean not in allowed:
            expected = f"inside {allowed} for {type(family).__name__}, off its ends"
            raise ParameterError(owner, "means", expected, mean)
