"""The laws that every family obeys: its methods follow from F, its log-partition."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf

from .._numba.compile import Floats, kernel
from ..families import Family
from .checking import Checks, require, require_close, require_method
from .easy_problems import means_of
from .posterior_checks import POSTERIOR_CHECKS
from .reward_checks import (
    REWARD_CHECKS,
    require_equal_interpreted,
    rewards_have_the_familys_distribution,
)

FAMILY_CHECKS = Checks()


def _step(eta: float) -> float:
    """A step in eta for central differences, small enough to stay on one side of 0."""
    return 1e-4 * max(abs(eta), 0.1)


def _slope(function: Callable[[float], float], x: float, h: float) -> float:
    """The derivative by central differences of two widths; its error is of the order h^4."""
    narrow = (function(x + h) - function(x - h)) / (2.0 * h)
    wide = (function(x + 2.0 * h) - function(x - 2.0 * h)) / (4.0 * h)
    return (4.0 * narrow - wide) / 3.0


@FAMILY_CHECKS
def the_natural_parameter_rises_with_the_mean(family: Family) -> None:
    """natural is strictly increasing, and finite inside the range of means."""
    means = means_of(family)
    etas = [float(family.natural(mean)) for mean in means]
    require(all(-inf < eta < inf for eta in etas), f"'natural' must be finite. Got {etas}.")
    require(
        all(a < b for a, b in pairwise(etas)), f"'natural' must rise with the mean. Got {etas}."
    )


@FAMILY_CHECKS
def the_mean_is_the_slope_of_the_log_partition(family: Family) -> None:
    """F'(natural(m)) = m. A wrong sign or factor in `log_partition` or `natural` breaks it."""
    for mean in means_of(family):
        eta = family.natural(mean)
        slope = _slope(family.log_partition, eta, _step(eta))
        what = f"the slope of 'log_partition' at natural({mean:.6g}) = {eta:.6g}"
        require_close(slope, mean, what, rel=1e-6, scale=1e-2)


@FAMILY_CHECKS
def the_variance_is_the_curvature_of_the_log_partition(family: Family) -> None:
    """variance(m) = F''(natural(m)), which is 1 over the slope of `natural` at m."""
    require_method(family, "variance")
    for mean in means_of(family):
        variance = family.variance(mean)
        h = 1e-4 * min(variance**0.5, *(abs(mean - end) for end in family.mean_range()))
        curvature = 1.0 / _slope(family.natural, mean, h)
        require_close(variance, curvature, f"'variance' at {mean:.6g}", rel=1e-6, scale=0.0)


@FAMILY_CHECKS
def the_conjugate_is_the_legendre_transform(family: Family) -> None:
    """conjugate(m) = m eta - F(eta) at eta = natural(m), which no other eta exceeds."""
    for mean in means_of(family):
        eta = family.natural(mean)
        value = mean * eta - family.log_partition(eta)
        require_close(family.conjugate(mean), value, f"'conjugate' at {mean:.6g}", rel=1e-9)
        for other in (eta - _step(eta), eta + _step(eta)):
            below = mean * other - family.log_partition(other) <= value + 1e-9 * (1.0 + abs(value))
            require(below, f"m eta - F(eta) must be largest at natural({mean:.6g}). Got {other}.")


@FAMILY_CHECKS
def the_divergence_is_the_bregman_divergence_of_the_log_partition(family: Family) -> None:
    """kl(m, m') = F(eta') - F(eta) - m (eta' - eta), the Bregman divergence of F: 0 for equal
    means and positive for others."""
    for mean in means_of(family):
        require(family.kl(mean, mean) == 0.0, f"'kl' of {mean:.6g} and itself must be 0.")
        for other in means_of(family):
            eta, there = family.natural(mean), family.natural(other)
            parts = family.log_partition(there), family.log_partition(eta), mean * (there - eta)
            what = f"'kl' of {mean:.6g} and {other:.6g}"
            rounding = max(map(abs, parts))
            kl = family.kl(mean, other)
            require_close(kl, parts[0] - parts[1] - parts[2], what, rel=1e-9, scale=rounding)
            require(mean == other or kl > 0.0, f"{what} must be positive. Got {kl:.6g}.")


@FAMILY_CHECKS
def the_upper_mean_solves_the_divergence(family: Family) -> None:
    """kl_upper(m, b) is the largest mean x with kl(m, x) <= b. There kl(m, x) = b, unless kl stays
    below b up to the end of the range. For b <= 0 it is m itself."""
    _low, high = family.mean_range()
    for mean in means_of(family):
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


@FAMILY_CHECKS
def family_compiled_equals_interpreted(family: Family) -> None:
    """Compiled and interpreted natural, log_partition, conjugate, kl, kl_upper and mean_range."""
    for mean in means_of(family):
        for other in means_of(family):
            require_equal_interpreted(family_values, 8, family, mean, other)


FAMILY_CHECKS.extend([rewards_have_the_familys_distribution, *REWARD_CHECKS, *POSTERIOR_CHECKS])
