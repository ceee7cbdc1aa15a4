"""Whether rewards contradict the variance that a family assumes, and what to assume instead."""

from __future__ import annotations

from contextlib import suppress
from math import inf, sqrt

import numpy as np

from .._numba.compile import Floats
from ..families import (
    Bernoulli,
    Bounded,
    Exponential,
    Family,
    Gamma,
    Gaussian,
    GaussianUnknown,
)
from .arms import Arms, Clock
from .base import Policy, has_index

_FACTOR = 4.0  # a choice: a standard deviation that is off by a factor of 2
ENOUGH = 20  # rewards from which on they are judged
# So many of them must be beyond the first of each arm. With the right sigma, 15 Gaussian ones are
# outside the factor with probability 1.6e-3 (the chi-squared law). Where the variance follows the
# mean, both are estimates: of 15 exponential ones (10 arms) 1 % are outside, of 40 fewer than 0.1 %
# (Gamma(0.3): 5 and 0.05 %), as simulated.
_BEYOND_FIRST, _BEYOND_FIRST_BY_MEAN = 15, 40
_LEAST_SHAPE, _MOST_SHAPE = 1e-2, 1e8  # of a `Gamma` that is proposed; it allows some more


def misfit(
    policy: Policy, family: Family, means: Floats, variances: Floats, weights: Floats,
    whose: str = "the rewards",
) -> str | None:  # fmt: skip
    """A sentence that says that rewards vary more, or less, than the family assumes; or None.

    weights: how much each arm counts. whose: the rewards, in words. If the policy does not read the
    variance of the family, the sentence says that too.

    Nothing is said of coins, whose variance is the largest of all rewards in [0, 1]: where rewards
    vary less, their indices still hold (Garivier and Cappé 2011, Lemma 9). Nor of rewards that do
    not vary at all, or of a family that does not state its variance.

    >>> from rbmle import Gaussian, KLUCB
    >>> print(misfit(KLUCB(), Gaussian(), np.full(2, 100.0), np.full(2, 3400.0), np.ones(2)))
    Gaussian(sigma=1) assumes a standard deviation of 1, the rewards have 58.3: use ...
    """
    if (
        isinstance(family, (Bernoulli, Bounded, GaussianUnknown))
        or not weights.any()
        or not hasattr(family, "variance")
    ):
        return None
    found = float(np.average(variances, weights=weights))
    assumed = float(np.average([family.variance(each) for each in means.tolist()], weights=weights))
    if not 0.0 < found < inf or not assumed > 0.0 or 1.0 / _FACTOR <= found / assumed <= _FACTOR:
        return None
    shape = float(np.average(means * means, weights=weights)) / found
    fits: Gaussian | Gamma = Gaussian(float(f"{sqrt(found):.2g}"))
    if isinstance(family, (Exponential, Gamma)) and _LEAST_SHAPE < shape < _MOST_SHAPE:
        fits = Gamma(float(f"{shape:.2g}"))
    also = f", with a policy that reads it: {type(policy).__name__} does not"
    return (
        f"{_named(family)} assumes a standard deviation of {sqrt(assumed):.3g}, {whose} have "
        f"{sqrt(found):.3g}: use {_named(fits)}{'' if _reads(policy, family, fits) else also}."
    )


def _named(family: object) -> str:
    """The family by its name, with the parameter of its variance, if it has one."""
    known = [f"{x}={getattr(family, x):g}" for x in ("sigma", "shape") if hasattr(family, x)]
    return f"{type(family).__name__}({', '.join(known)})"


def _reads(policy: Policy, family: Family, other: Gaussian | Gamma) -> bool:
    """Whether it makes a difference to the policy which of two families it assumes: none to UCB.

    It is tried on two arms. A policy without an index draws from posteriors, and a user's own may
    fail on these arms: then it is taken to read the family.
    """
    arms = Arms(np.array([5.0, 3.0]), np.array([3.0, 1.2]), np.array([2.5, 0.8]))
    with suppress(Exception):
        levels = [policy.level(each, arms, Clock(20, 40)) for each in (family, other)]
        ones, others = (
            [policy.index_of(each, arms, i, level) for i in range(2)]
            for each, level in zip((family, other), levels, strict=True)
        )
        return ones != others or not has_index(policy)
    return True


def misfit_so_far(policy: Policy, family: Family, arms: Arms) -> str | None:
    """`misfit` of the rewards in the statistics: of the variance within arms, which are pooled by
    their degrees of freedom; None while there are too few rewards."""
    seen = np.flatnonzero(arms.pulls > 1.0)
    freedom = arms.pulls[seen] - 1.0
    least = _BEYOND_FIRST if isinstance(family, Gaussian) else _BEYOND_FIRST_BY_MEAN
    if arms.pulls.sum() < ENOUGH or freedom.sum() < least:
        return None
    variances = [arms.variance(i) for i in seen.tolist()] * arms.pulls[seen] / freedom
    means = arms.sums[seen] / arms.pulls[seen]
    return misfit(policy, family, means, variances, freedom, "the rewards so far")
