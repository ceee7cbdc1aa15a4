"""`Setting`: the numbers that a proposition needs of a problem, checked once."""

from __future__ import annotations

from math import inf
from typing import NamedTuple, Protocol

import numpy as np

from .._numba.compile import Floats
from ..errors import Interval, ParameterError, number
from ..families import Family, Gaussian, Law
from ..policies.fit import as_family
from ..rewards.problems import Problem
from .divergence import family_of, open_range

PROPOSITIONS = (2, 3, 4, 5, 6)

# Admitted sizes of means, gaps and spreads. Bounds multiply at most four such numbers
# (sigma^2 / Delta^2), and 1e-75^4 = 1e-300 and 1e75^4 = 1e300 are still floats.
_SMALLEST, _LARGEST = 1e-75, 1e75
_SIZES = f"[{_SMALLEST:g}, {_LARGEST:g}]"


class Bounded(Law, Protocol):
    """A law that states its sub-Gaussian sigma and its sub-Exponential (rho, kappa)."""

    def sub_gaussian(self, mean: float) -> float: ...
    def sub_exponential(self, mean: float) -> tuple[float, float]: ...


class Setting(NamedTuple):
    """The numbers of Section 4 that a proposition needs of a problem, in the order of its arms.

    family: the family of the index. best, gap: theta_1 and Delta. sigma, rho, kappa: the
    sub-Gaussian and sub-Exponential parameters, each the largest over the arms. lower: the known
    lower bound on the means.
    """

    proposition: int
    law: Bounded
    family: Family
    means: Floats
    gaps: Floats
    best: float
    gap: float
    epsilon: float
    lower: float
    sigma: float
    rho: float
    kappa: float

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
        listing = ", ".join(map(str, PROPOSITIONS))
        raise ParameterError("theory", "proposition", f"one of {listing}", proposition)
    best, gap = unique_best(owner, problem)
    given: Family | None = as_family(family, owner)
    means = problem.means
    epsilon = number(owner, "epsilon", epsilon, "(0, 1)")
    model, sigma, rho, kappa = _rewards(owner, problem, proposition, given)
    inside(owner, model, means)
    for spread in (sigma, rho, kappa):
        if not (_moderate(spread) or spread in (0.0, inf)):
            raise ParameterError(
                owner, "problem", f"one whose rewards have a spread in {_SIZES}", float(spread)
            )
    floor = -inf
    if proposition in (2, 5):
        floor, _ = model.mean_range()
        if lower is not None:
            ends = Interval(floor, float(means.min()), closed_low=floor > -inf, closed_high=True)
            floor = number(owner, "lower", lower, ends)
    return Setting(
        int(proposition), problem.law, model, means, problem.gaps, best, gap, epsilon, floor, sigma,
        rho, kappa,
    )  # fmt: skip


def _rewards(
    owner: str, problem: Problem, proposition: int, family: Family | None
) -> tuple[Family, float, float, float]:
    """What a proposition supposes of the rewards: the family of the index, their sub-Gaussian sigma
    and their sub-Exponential rho and kappa; infinite where it does not use them."""
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
        pairs = [law.sub_exponential(mean) for mean in means]
        return model, inf, max(each[0] for each in pairs), max(each[1] for each in pairs)
    if proposition == 3 and not isinstance(law, Gaussian):
        raise ParameterError(owner, "problem", "one with Gaussian rewards", name)
    if family is not None and not isinstance(family, Gaussian):
        raise ParameterError(owner, "family", "Gaussian, whose index it is about", family)
    sigma = max(law.sub_gaussian(mean) for mean in means)
    if sigma == inf:
        raise ParameterError(owner, "problem", "one with sub-Gaussian rewards", name)
    gaussian: Family = as_family("gaussian", owner)
    return gaussian, sigma, inf, inf


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
    second, best = np.sort(problem.means)[-2:]
    if not best > second:
        raise ParameterError(
            owner, "means", "with one best arm, a gap above 0", problem.means.tolist()
        )
    return float(best), float(best - second)


def _moderate(value: float) -> bool:
    return _SMALLEST <= value <= _LARGEST


def a_problem(owner: str, problem: object) -> None:
    """Refuse anything but a `Problem`, and means or gaps too large or small for the formulas."""
    if not isinstance(problem, Problem):
        raise ParameterError(owner, "problem", "a Problem", problem)
    for sizes, what in ((np.abs(problem.means), "numbers"), (problem.gaps, "with gaps")):
        for value in sizes.tolist():
            if not (_moderate(value) or value == 0.0):
                raise ParameterError(owner, "means", f"{what} of size 0 or in {_SIZES}", value)


def inside(owner: str, family: Family, means: Floats) -> None:
    """Refuse means at the ends of the family's range, where there is no natural parameter, and a
    sigma that is too large or small for the formulas."""
    if isinstance(family, Gaussian) and not _moderate(family.sigma):
        raise ParameterError(owner, "sigma", f"a number in {_SIZES}", family.sigma)
    allowed = open_range(family)
    for mean in means:
        if float(mean) not in allowed:
            name = type(family).__name__
            raise ParameterError(
                owner, "means", f"inside {allowed} for {name}, off its ends", float(mean)
            )
