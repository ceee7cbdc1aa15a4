"""Checks that samples of a law have its mean, variance, intervals and tails.

Samples come from a fixed seed, so a check always gives the same answer.
"""

from __future__ import annotations

from math import inf
from typing import Protocol

import numpy as np

from .._numba.compile import Floats, kernel
from ..families import Family, Law
from ..random import Cell
from .checking import (
    ERRORS,
    SEED,
    Checks,
    means_of,
    require,
    require_equal_interpreted,
    require_mean,
    require_method,
)

SAMPLES = 40_000  # enough to find a mean that is off by 2.5 % of the standard deviation
_INTERPRETED = 50  # samples, because the interpreter is slow

REWARD_CHECKS = Checks()


class _WithTails(Law, Protocol):
    def sub_gaussian(self, mean: float) -> float: ...
    def sub_exponential(self, mean: float) -> tuple[float, float]: ...


@kernel
def draw_rewards(law: Law, mean: float, out: Floats) -> None:
    """Fill `out` with rewards, from cells that differ in replication, round and arm."""
    for j in range(out.size):
        out[j] = law.sample(mean, Cell(SEED, 0, j // 10, 1 + j % 10, j % 3))


def samples_of(law: Law, mean: float) -> Floats:
    """Rewards with this mean, the same in every call."""
    require_method(law, "sample")
    out = np.empty(SAMPLES)
    draw_rewards(law, mean, out)
    return out


@REWARD_CHECKS
def rewards_have_their_mean(law: Law) -> None:
    """`sample(m, cell)` has mean m."""
    for mean in means_of(law):
        require_mean(samples_of(law, mean), mean, f"the mean of 'sample' at {mean:.6g}")


@REWARD_CHECKS
def rewards_have_their_variance(law: Law) -> None:
    """`sample(m, cell)` has variance variance(m)."""
    require_method(law, "sample", "variance")
    for mean in means_of(law):
        squares = (samples_of(law, mean) - mean) ** 2
        # 1e-6: the squares of a fair coin are all equal, so their standard error is 0.
        what = f"the variance of 'sample' at {mean:.6g}"
        require_mean(squares, law.variance(mean), what, rel=1e-6)


@REWARD_CHECKS
def rewards_and_means_keep_to_their_intervals(law: Law) -> None:
    """Rewards are in `reward_interval`, and means inside `mean_range` are in `mean_interval`."""
    allowed = law.reward_interval()
    for mean in means_of(law):
        inside = mean in law.mean_interval()
        require(inside, f"'mean_interval' {law.mean_interval()} must hold {mean:.6g}.")
        values = samples_of(law, mean)
        for value in (float(values.min()), float(values.max())):
            require(value in allowed, f"rewards must be in {allowed}. Got {value:.6g}.")


@REWARD_CHECKS
def tails_are_as_light_as_stated(law: _WithTails) -> None:
    """E exp(x (X - m)) <= exp(x^2 rho^2 / 2) wherever |x| kappa < 1, with the law's own
    `sub_exponential` constants rho and kappa (Definition 2).

    With kappa = 0 this holds for every x; then rho must be the `sub_gaussian` constant (Definition
    1), which must be infinite otherwise. Checked on samples for |x| up to 1.5 / rho, and by
    rho^2 >= variance.
    """
    require_method(law, "sample", "sub_gaussian", "sub_exponential")
    for mean in means_of(law):
        rho, kappa = law.sub_exponential(mean)
        sigma = law.sub_gaussian(mean)
        require(
            sigma == (rho if kappa == 0.0 else inf),
            f"'sub_gaussian' at {mean:.6g} must be rho where kappa is 0, else infinite. "
            f"Got {sigma:.6g}, with rho {rho:.6g} and kappa {kappa:.6g}.",
        )
        values = samples_of(law, mean) - mean
        spread = float(np.var(values)) ** 0.5
        # The standard error of a variance is below spread^2 (kurtosis / samples)^(1/2).
        require(
            rho >= 0.9 * spread,
            f"rho at {mean:.6g} must be at least the standard deviation. Got {rho:.6g}, with "
            f"{spread:.6g} in samples.",
        )
        for share in (-1.5, -1.0, -0.5, 0.5, 1.0, 1.5):
            x = share / rho
            if abs(x) * kappa >= 1.0:
                continue
            powers, bound = np.exp(x * values), float(np.exp(0.5 * share * share))
            error = float(powers.std()) / powers.size**0.5
            require(
                powers.mean() <= bound + ERRORS * error,
                f"E exp(x (X - {mean:.6g})) at x = {x:.4g} must be at most {bound:.6g} for rho = "
                f"{rho:.6g}. Got {powers.mean():.6g}, with standard error {error:.2g}.",
            )


def rewards_have_the_familys_distribution(family: Family) -> None:
    """E exp(x X) = exp(F(eta + x) - F(eta)) for small x of either sign, which tests more of the
    distribution than mean and variance. eta + x is the parameter of a nearby mean, so F is finite.
    """
    require_method(family, "sample")
    low, high = family.mean_range()
    for mean in means_of(family):
        eta, values = family.natural(mean), samples_of(family, mean)
        step = 0.3 * float(values.std())
        for near in (mean - min(step, 0.5 * (mean - low)), mean + min(step, 0.5 * (high - mean))):
            x = family.natural(near) - eta
            shift = family.log_partition(eta + x) - family.log_partition(eta) - x * mean
            powers = np.exp(x * (values - mean))
            require_mean(powers, float(np.exp(shift)), f"E exp(x (X - {mean:.6g})), x = {x:.4g},")


def samples_compiled_equal_interpreted(law: Law) -> None:
    """Compiled and interpreted `sample` draw the same rewards."""
    require_method(law, "sample")
    for mean in means_of(law):
        require_equal_interpreted(draw_rewards, _INTERPRETED, law, mean)


LAW_CHECKS = Checks([*REWARD_CHECKS, samples_compiled_equal_interpreted])
