"""The laws that every family obeys: its methods follow from F, its log-partition, and its posterior
methods agree with each other and with Bayes' rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import inf, log
from typing import Protocol

import numpy as np

from .._numba.compile import Floats, kernel
from ..families import Conjugate, Family
from ..families.protocols import by_sums
from ..families.registry import mean_at
from ..random import Cell
from .checking import (
    SEED,
    Checks,
    NotApplicable,
    each_mean,
    each_pair_of_means,
    require,
    require_close,
    require_equal_interpreted,
    require_mean,
    require_method,
)
from .reward_checks import REWARD_CHECKS, samples_of

DRAWS, _COMPARED = 10_000, 2_000  # fewer are compared with the tail, which is slow
_FARTHEST = 2.2  # for sqrt(n) times the Kolmogorov-Smirnov distance: p = 2 exp(-2 x^2) = 1e-4

FAMILY_CHECKS = Checks()


def _step(family: Family, eta: float) -> float:
    """A step in eta for central differences: small beside eta, so that it stays on one side of 0,
    and beside the way between two middle means, whatever the unit of rewards."""
    low, high = (family.natural(mean_at(family, place)) for place in (0.4, 0.6))
    return 1e-4 * min(max(abs(eta), 0.1), abs(high - low) or 0.1)


def _slope(function: Callable[[float], float], x: float, h: float) -> float:
    """The derivative by central differences of two widths; its error is of the order h^4."""
    narrow = (function(x + h) - function(x - h)) / (2.0 * h)
    wide = (function(x + 2.0 * h) - function(x - 2.0 * h)) / (4.0 * h)
    return (4.0 * narrow - wide) / 3.0


def _require_one_parameter(family: Family) -> None:
    """Raise NotApplicable for a family with a parameter that is estimated beside the mean."""
    if not by_sums(family):
        raise NotApplicable(f"{type(family).__name__} estimates more than the mean")


@FAMILY_CHECKS
def the_natural_parameter_rises_with_the_mean(family: Family) -> None:
    """natural is strictly increasing, and finite inside the range of means."""
    etas = [float(family.natural(mean)) for (mean,) in each_mean(family)]
    require(all(-inf < eta < inf for eta in etas), f"'natural' must be finite. Got {etas}.")
    rises = all(a < b for a, b in pairwise(etas))
    require(rises, f"'natural' must rise with the mean. Got {etas}.")


@FAMILY_CHECKS.at(each_mean)
def the_mean_is_the_slope_of_the_log_partition(family: Family, mean: float) -> None:
    """F'(natural(m)) = m. A wrong sign or factor in `log_partition` or `natural` breaks it."""
    eta = family.natural(mean)
    what = f"the slope of 'log_partition' at natural({mean:.6g}) = {eta:.6g}"
    slope = _slope(family.log_partition, eta, _step(family, eta))
    unit = mean_at(family, 0.6) - mean_at(family, 0.4)
    require_close(slope, mean, what, rel=1e-6, scale=1e-2 * unit)


@FAMILY_CHECKS.at(each_mean, "variance")
def the_variance_is_the_curvature_of_the_log_partition(family: Family, mean: float) -> None:
    """variance(m) = F''(natural(m)), which is 1 over the slope of `natural` at m."""
    variance = family.variance(mean)
    h = 1e-4 * min(variance**0.5, *(abs(mean - end) for end in family.mean_range()))
    curvature = 1.0 / _slope(family.natural, mean, h)
    require_close(variance, curvature, f"'variance' at {mean:.6g}", rel=1e-6, scale=0.0)


@FAMILY_CHECKS.at(each_mean)
def the_conjugate_is_the_legendre_transform(family: Family, mean: float) -> None:
    """conjugate(m) = m eta - F(eta) at eta = natural(m), which no other eta exceeds."""
    eta = family.natural(mean)
    value = mean * eta - family.log_partition(eta)
    require_close(family.conjugate(mean), value, f"'conjugate' at {mean:.6g}", rel=1e-9)
    step = _step(family, eta)
    for other in (eta - step, eta + step):
        below = mean * other - family.log_partition(other) <= value + 1e-9 * (1.0 + abs(value))
        require(below, f"m eta - F(eta) must be largest at natural({mean:.6g}). Got {other}.")


@FAMILY_CHECKS.at(each_pair_of_means)
def the_divergence_is_the_bregman_divergence_of_the_log_partition(
    family: Family, mean: float, other: float
) -> None:
    """kl(m, m') = F(eta') - F(eta) - m (eta' - eta), the Bregman divergence of F: 0 for equal
    means and positive for others."""
    _require_one_parameter(family)
    require(family.kl(mean, mean) == 0.0, f"'kl' of {mean:.6g} and itself must be 0.")
    eta, there = family.natural(mean), family.natural(other)
    parts = family.log_partition(there), family.log_partition(eta), mean * (there - eta)
    kl, what = family.kl(mean, other), f"'kl' of {mean:.6g} and {other:.6g}"
    rounding = max(map(abs, parts))
    require_close(kl, parts[0] - parts[1] - parts[2], what, rel=1e-9, scale=rounding)
    require(mean == other or kl > 0.0, f"{what} must be positive. Got {kl:.6g}.")


@FAMILY_CHECKS.at(each_mean)
def the_upper_mean_solves_the_divergence(family: Family, mean: float) -> None:
    """kl_upper(m, b) is the largest mean x with kl(m, x) <= b. There kl(m, x) = b, unless kl stays
    below b up to the end of the range. For b <= 0 it is m itself."""
    _low, high = family.mean_range()
    for bound in (-1.0, 0.0):
        require_close(family.kl_upper(mean, bound), mean, f"'kl_upper' at {bound}", rel=1e-12)
    for bound in (1e-3, 0.3, 4.0):
        upper = family.kl_upper(mean, bound)
        what = f"'kl_upper' of {mean:.6g} and {bound}"
        require(mean < upper <= high, f"{what} must be in ({mean:.6g}, {high}]. Got {upper}.")
        if upper in (high, inf):  # then a mean near the end must have kl <= bound
            near = mean * 1e9 + 1e9 if high == inf else high - 1e-9 * (high - mean)
            solved = family.kl(mean, near) <= bound
        else:  # kl(m, x) = bound up to the rounding of kl, or of x where kl is steep
            ulp = 1e-12 * max(abs(upper), abs(mean))
            near_by = family.kl(mean, upper - ulp), family.kl(mean, min(upper + ulp, high))
            solved = near_by[0] <= bound * (1.0 + 1e-9) and near_by[1] >= bound * (1.0 - 1e-9)
        require(solved, f"{what} must be where 'kl' is {bound}. Got {upper:.9g}.")


@kernel
def family_values(family: Family, mean: float, other: float, out: Floats) -> None:
    """Fill `out` with the values of a family's methods at two means."""
    eta = family.natural(mean)
    out[0], out[1] = eta, family.log_partition(eta)
    out[2], out[3] = family.conjugate(mean), family.kl(mean, other)
    out[4], out[5] = family.kl_upper(mean, 0.7), family.kl_upper(mean, 0.0)
    out[6], out[7] = family.mean_range()


@FAMILY_CHECKS.at(each_pair_of_means)
def family_compiled_equals_interpreted(family: Family, mean: float, other: float) -> None:
    """Compiled and interpreted natural, log_partition, conjugate, kl, kl_upper and mean_range."""
    require_equal_interpreted(family_values, 8, family, mean, other)


@FAMILY_CHECKS.at(each_mean, "sample")
def rewards_have_the_familys_distribution(family: Family, mean: float) -> None:
    """E exp(x X) = exp(F(eta + x) - F(eta)) for small x of either sign, which tests more of the
    distribution than mean and variance. eta + x is the parameter of a nearby mean, so F is finite.
    """
    low, high = family.mean_range()
    eta, values = family.natural(mean), samples_of(family, mean)
    step = 0.3 * float(values.std())
    for near in (mean - min(step, 0.5 * (mean - low)), mean + min(step, 0.5 * (high - mean))):
        x = family.natural(near) - eta
        shift = family.log_partition(eta + x) - family.log_partition(eta) - x * mean
        powers = np.exp(x * (values - mean))
        require_mean(powers, float(np.exp(shift)), f"E exp(x (X - {mean:.6g})), x = {x:.4g},")


FAMILY_CHECKS.extend(REWARD_CHECKS)


class _WithDensity(Conjugate, Protocol):
    def posterior_density(self, pulls: float, total: float, value: float) -> float: ...


def each_history(family: Conjugate) -> Iterator[tuple[float, float]]:
    """Pairs (pulls, sum of rewards): few and many pulls, with low, middle and high means."""
    for pulls in (6.0, 60.0):
        for place in (0.15, 0.5, 0.85):
            yield pulls, pulls * mean_at(family, place)


def each_history_with_tail(family: Conjugate) -> Iterator[tuple[float, float]]:
    """The same; raises NotApplicable unless the family has a `posterior_tail` of its own."""
    require_method(family, "posterior_quantile", "posterior_tail")
    pulls, total = next(each_history(family))
    if family.posterior_tail(pulls, total, family.posterior_quantile(pulls, total, 0.5)) == 1.0:
        raise NotApplicable(f"{type(family).__name__} has no posterior_tail of its own")
    return each_history(family)


@FAMILY_CHECKS.at(each_history_with_tail)
def quantiles_invert_tails(family: Conjugate, pulls: float, total: float) -> None:
    """The mean exceeds posterior_quantile(tail) with the posterior probability `tail`."""
    for tail in (1e-6, 0.01, 0.3, 0.9):
        value = family.posterior_quantile(pulls, total, tail)
        what = f"the posterior probability above {value:.6g} after {pulls:g} pulls"
        found = family.posterior_tail(pulls, total, value)
        require_close(found, tail, what, rel=1e-7, scale=0.0)


def _integrals(
    family: Conjugate, pulls: float, total: float, end: float
) -> tuple[float, float, float]:
    """The mean, the variance, and about how much of that lies beyond s = `end`."""
    h = 0.125
    s = np.arange(-30.0, end, h)
    tails = 1.0 / (1.0 + np.exp(s))
    weights = h * tails * (1.0 / (1.0 + np.exp(-s)))
    values = np.array([family.posterior_quantile(pulls, total, tail) for tail in tails])
    mean = float(weights @ values)
    parts = weights * (values - mean) ** 2
    rate = float(np.log(parts[-9] / parts[-1])) if parts[-1] > 0.0 else inf  # of eight steps
    return mean, float(parts.sum()), 8.0 * float(parts[-1]) / rate if rate > 0.0 else inf


@FAMILY_CHECKS.at(each_history, "posterior_quantile", "posterior_mean", "posterior_variance")
def moments_are_those_of_the_quantiles(family: Conjugate, pulls: float, total: float) -> None:
    """posterior_mean and posterior_variance are the integrals of the quantile and of its squared
    deviation over all probabilities; posterior_sd is the variance's root.

    The integrals are taken by the trapezoidal rule in s, where the upper tail is 1 / (1 + e^s). It
    is accurate because the integrand falls exponentially at both ends: where the upper tail is
    heavy, slowly at its end.
    """
    for end in (60.0, 700.0):
        mean, variance, left = _integrals(family, pulls, total, end)
        if left <= 1e-7 * variance:
            break
    else:
        raise NotApplicable(f"a posterior of {type(family).__name__} has too heavy a tail")
    after, spread = f"after {pulls:g} pulls with sum {total:.6g}", variance**0.5
    found = family.posterior_mean(pulls, total)
    require_close(found, mean, f"'posterior_mean' {after}", rel=1e-6, scale=spread)
    found = family.posterior_variance(pulls, total)
    require_close(found, variance, f"'posterior_variance' {after}", rel=1e-5, scale=0.0)
    found = family.posterior_sd(pulls, total) if hasattr(family, "posterior_sd") else spread
    require_close(found, spread, f"'posterior_sd' {after}", rel=1e-5, scale=0.0)


@FAMILY_CHECKS.at(each_history_with_tail)
def the_posterior_follows_from_bayes_rule(family: Conjugate, pulls: float, total: float) -> None:
    """m more pulls with sum s multiply the posterior density by their likelihood
    exp(s eta - m F(eta)), up to a constant, whatever the prior is."""
    _require_one_parameter(family)
    more, gain = 3.0, 3.0 * mean_at(family, 0.4)
    points = [family.posterior_quantile(pulls, total, tail) for tail in (0.5, 0.8, 0.2)]
    found, expected = [], []
    for value in points:
        after = _log_density(family, pulls + more, total + gain, value)
        found.append(after - _log_density(family, pulls, total, value))
        eta = family.natural(value)
        expected.append(gain * eta - more * family.log_partition(eta))
    for i in (1, 2):
        what = f"the growth of log density from {points[0]:.6g} to {points[i]:.6g}"
        rise = expected[i] - expected[0]
        require_close(found[i] - found[0], rise, what, rel=1e-4, scale=1e-1)


def _log_density(family: Conjugate, pulls: float, total: float, value: float) -> float:
    """The logarithm of the posterior density, which is minus the slope of the tail."""
    high, low = (family.posterior_quantile(pulls, total, tail) for tail in (0.4, 0.6))
    return log(-_slope(partial(family.posterior_tail, pulls, total), value, 1e-3 * (high - low)))


@FAMILY_CHECKS.at(each_history_with_tail, "posterior_density")
def the_density_is_the_slope_of_the_tail(family: _WithDensity, pulls: float, total: float) -> None:
    """posterior_density is minus the derivative of posterior_tail."""
    for tail in (0.9, 0.5, 0.05):
        value = family.posterior_quantile(pulls, total, tail)
        density = family.posterior_density(pulls, total, value)
        what = f"the logarithm of 'posterior_density' at {value:.6g}"
        require_close(log(density), _log_density(family, pulls, total, value), what, rel=1e-5)


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


@FAMILY_CHECKS.at(each_history, "posterior_mean")
def draws_have_the_posterior_mean(family: Conjugate, pulls: float, total: float) -> None:
    """posterior_draw has mean posterior_mean."""
    what = f"the mean of 'posterior_draw' after {pulls:g} pulls with sum {total:.6g}"
    require_mean(_draws(family, pulls, total), family.posterior_mean(pulls, total), what)


@FAMILY_CHECKS.at(each_history_with_tail)
def draws_are_from_the_posterior(family: Conjugate, pulls: float, total: float) -> None:
    """posterior_tail at a draw is uniform on [0, 1], by the Kolmogorov-Smirnov distance."""
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


_METHODS = [f"posterior_{each}" for each in ["mean", "variance", "sd", "quantile", "tail", "draw"]]


@FAMILY_CHECKS.at(each_mean, *_METHODS)
def posteriors_compiled_equal_interpreted(family: Conjugate, mean: float) -> None:
    """Compiled and interpreted posterior_mean, _variance, _sd, _quantile, _tail and _draw."""
    for pulls in (1.0, 30.0):
        require_equal_interpreted(posterior_values, 15, family, pulls, pulls * mean)
