"""Checks that a family's posterior methods agree with each other and with Bayes' rule."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Protocol

import numpy as np

from .._numba.compile import Floats, kernel
from ..families import Conjugate
from ..families.registry import mean_at
from ..random import Cell
from .checking import Checks, NotApplicable, require, require_close, require_method
from .easy_problems import SEED, means_of
from .reward_checks import require_equal_interpreted, require_mean

DRAWS, _COMPARED = 10_000, 2_000  # fewer are compared with the tail, which is slow
_FARTHEST = 2.2  # for sqrt(n) times the Kolmogorov-Smirnov distance: p = 2 exp(-2 x^2) = 1e-4

POSTERIOR_CHECKS = Checks()


class _WithDensity(Conjugate, Protocol):
    def posterior_density(self, pulls: float, total: float, value: float) -> float: ...


def histories(family: Conjugate) -> Iterator[tuple[float, float]]:
    """Pairs (pulls, sum of rewards): few and many pulls, with low, middle and high means."""
    for pulls in (6.0, 60.0):
        for place in (0.15, 0.5, 0.85):
            yield pulls, pulls * mean_at(family, place)


def _require_tail(family: Conjugate) -> None:
    """Raise NotApplicable unless the family has a `posterior_tail` of its own."""
    require_method(family, "posterior_quantile", "posterior_tail")
    pulls, total = next(histories(family))
    if family.posterior_tail(pulls, total, family.posterior_quantile(pulls, total, 0.5)) == 1.0:
        raise NotApplicable(f"{type(family).__name__} has no posterior_tail of its own")


@POSTERIOR_CHECKS
def quantiles_invert_tails(family: Conjugate) -> None:
    """The mean exceeds posterior_quantile(tail) with the posterior probability `tail`."""
    _require_tail(family)
    for pulls, total in histories(family):
        for tail in (1e-6, 0.01, 0.3, 0.9):
            value = family.posterior_quantile(pulls, total, tail)
            what = f"the posterior probability above {value:.6g} after {pulls:g} pulls"
            found = family.posterior_tail(pulls, total, value)
            require_close(found, tail, what, rel=1e-7, scale=0.0)


@POSTERIOR_CHECKS
def moments_are_those_of_the_quantiles(family: Conjugate) -> None:
    """posterior_mean and posterior_variance are the integrals of the quantile and of its squared
    deviation over all probabilities; posterior_sd is the variance's root.

    The integrals are taken by the trapezoidal rule in s, where the upper tail is 1 / (1 + e^s). It
    is accurate because the integrand falls exponentially at both ends.
    """
    require_method(family, "posterior_quantile", "posterior_mean", "posterior_variance")
    h = 0.125
    s = np.arange(-30.0, 60.0, h)
    tails = 1.0 / (1.0 + np.exp(s))
    weights = h * tails * (1.0 / (1.0 + np.exp(-s)))
    for pulls, total in histories(family):
        values = np.array([family.posterior_quantile(pulls, total, tail) for tail in tails])
        mean = float(weights @ values)
        variance = float(weights @ (values - mean) ** 2)
        after = f"after {pulls:g} pulls with sum {total:.6g}"
        spread = variance**0.5
        found = family.posterior_mean(pulls, total)
        require_close(found, mean, f"'posterior_mean' {after}", rel=1e-6, scale=spread)
        found = family.posterior_variance(pulls, total)
        require_close(found, variance, f"'posterior_variance' {after}", rel=1e-5, scale=0.0)
        found = family.posterior_sd(pulls, total) if hasattr(family, "posterior_sd") else spread
        require_close(found, spread, f"'posterior_sd' {after}", rel=1e-5, scale=0.0)


@POSTERIOR_CHECKS
def the_posterior_follows_from_bayes_rule(family: Conjugate) -> None:
    """m more pulls with sum s multiply the posterior density by their likelihood
    exp(s eta - m F(eta)), up to a constant, whatever the prior is."""
    _require_tail(family)
    for pulls, total in histories(family):
        more, gain = 3.0, 3.0 * mean_at(family, 0.4)
        points = [family.posterior_quantile(pulls, total, tail) for tail in (0.8, 0.5, 0.2)]
        found, expected = [], []
        for value in points:
            after = _log_density(family, pulls + more, total + gain, value)
            found.append(after - _log_density(family, pulls, total, value))
            eta = family.natural(value)
            expected.append(gain * eta - more * family.log_partition(eta))
        for i in (0, 2):
            what = f"the growth of log density from {points[1]:.6g} to {points[i]:.6g}"
            rise = expected[i] - expected[1]
            require_close(found[i] - found[1], rise, what, rel=1e-4, scale=1e-1)


def _log_density(family: Conjugate, pulls: float, total: float, value: float) -> float:
    """The logarithm of the posterior density, which is minus the slope of the tail."""
    high, low = (family.posterior_quantile(pulls, total, tail) for tail in (0.4, 0.6))
    h = 1e-3 * (high - low)
    far_below, below, above, far_above = (
        family.posterior_tail(pulls, total, value + d) for d in (-2.0 * h, -h, h, 2.0 * h)
    )
    return log((8.0 * (below - above) - (far_below - far_above)) / (12.0 * h))


@POSTERIOR_CHECKS
def the_density_is_the_slope_of_the_tail(family: _WithDensity) -> None:
    """posterior_density is minus the derivative of posterior_tail."""
    require_method(family, "posterior_density")
    _require_tail(family)
    for pulls, total in histories(family):
        for tail in (0.9, 0.5, 0.05):
            value = family.posterior_quantile(pulls, total, tail)
            density = family.posterior_density(pulls, total, value)
            expected = _log_density(family, pulls, total, value)
            what = f"the logarithm of 'posterior_density' at {value:.6g}"
            require_close(log(density), expected, what, rel=1e-5)


@kernel
def draw_means(family: Conjugate, pulls: float, total: float, out: Floats) -> None:
    """Fill `out` with draws from the posterior, from different cells of random numbers."""
    for j in range(out.size):
        out[j] = family.posterior_draw(pulls, total, Cell(SEED, 0, j, 1, 0), 256 * (j % 3))


def _draws(family: Conjugate, pulls: float, total: float) -> Floats:
    require_method(family, "posterior_draw")
    out = np.empty(DRAWS)
    draw_means(family, pulls, total, out)
    return out


@POSTERIOR_CHECKS
def draws_have_the_posterior_mean(family: Conjugate) -> None:
    """posterior_draw has mean posterior_mean."""
    require_method(family, "posterior_mean")
    for pulls, total in histories(family):
        what = f"the mean of 'posterior_draw' after {pulls:g} pulls with sum {total:.6g}"
        require_mean(_draws(family, pulls, total), family.posterior_mean(pulls, total), what)


@POSTERIOR_CHECKS
def draws_are_from_the_posterior(family: Conjugate) -> None:
    """posterior_tail at a draw is uniform on [0, 1], by the Kolmogorov-Smirnov distance."""
    _require_tail(family)
    for pulls, total in histories(family):
        values = _draws(family, pulls, total)[:_COMPARED]
        tails = np.sort([family.posterior_tail(pulls, total, value) for value in values])
        steps = np.arange(tails.size + 1.0) / tails.size
        distance = max(np.max(steps[1:] - tails), np.max(tails - steps[:-1]))
        require(
            distance * tails.size**0.5 < _FARTHEST,
            f"'posterior_draw' must have the distribution of 'posterior_tail'. Got the distance "
            f"{distance:.3g} of Kolmogorov and Smirnov in {tails.size} draws.",
        )


@kernel
def posterior_values(family: Conjugate, pulls: float, total: float, out: Floats) -> None:
    """Fill `out` with the values of a family's posterior methods."""
    out[0] = family.posterior_mean(pulls, total)
    out[1] = family.posterior_variance(pulls, total)
    out[2] = family.posterior_sd(pulls, total)
    out[3] = family.posterior_quantile(pulls, total, 0.01)
    out[4] = family.posterior_tail(pulls, total, total / pulls)
    for j in range(5, out.size):
        out[j] = family.posterior_draw(pulls, total, Cell(SEED, 0, j, 1, 0), 0)


@POSTERIOR_CHECKS
def posteriors_compiled_equal_interpreted(family: Conjugate) -> None:
    """Compiled and interpreted posterior_mean, _variance, _sd, _quantile, _tail and _draw."""
    methods = ("mean", "variance", "sd", "quantile", "tail", "draw")
    require_method(family, *(f"posterior_{each}" for each in methods))
    for mean in means_of(family):
        for pulls in (1.0, 30.0):
            require_equal_interpreted(posterior_values, 15, family, pulls, pulls * mean)
