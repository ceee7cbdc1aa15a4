"""Checks that samples of a law have its mean, variance, intervals and tails."""

from __future__ import annotations

from math import inf
from typing import Protocol

import numpy as np

from .._numba.compile import Floats, kernel
from ..families import Law
from ..random import Cell
from .checking import (
    ERRORS,
    SEED,
    Checks,
    each_mean,
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


@REWARD_CHECKS.at(each_mean)
def rewards_have_their_mean(law: Law, mean: float) -> None:
    """`sample(m, cell)` has mean m."""
    require_mean(samples_of(law, mean), mean, f"the mean of 'sample' at {mean:.6g}")


@REWARD_CHECKS.at(each_mean, "sample", "variance")
def rewards_have_their_variance(law: Law, mean: float) -> None:
    """`sample(m, cell)` has variance variance(m)."""
    squares = (samples_of(law, mean) - mean) ** 2
    # 1e-6: the squares of a fair coin are all equal, so their standard error is 0.
    require_mean(squares, law.variance(mean), f"the variance of 'sample' at {mean:.6g}", rel=1e-6)


@REWARD_CHECKS.at(each_mean)
def rewards_and_means_keep_to_their_intervals(law: Law, mean: float) -> None:
    """Rewards are in `reward_interval`, and means inside `mean_range` are in `mean_interval`."""
    allowed, means = law.reward_interval(), law.mean_interval()
    require(mean in means, f"'mean_interval' {means} must hold {mean:.6g}.")
    values = samples_of(law, mean)
    for value in (float(values.min()), float(values.max())):
        require(value in allowed, f"rewards must be in {allowed}. Got {value:.6g}.")


@REWARD_CHECKS.at(each_mean, "sample", "sub_gaussian", "sub_exponential")
def tails_are_as_light_as_stated(law: _WithTails, mean: float) -> None:
    """E exp(x (X - m)) <= exp(x^2 rho^2 / 2) wherever |x| kappa < 1, with the law's own
    `sub_exponential` constants rho and kappa (Definition 2). Checked on samples for |x| up to
    1.5 / rho, and by rho^2 >= variance. If kappa is 0, rho must be the `sub_gaussian` constant
    (Definition 1), which must be infinite otherwise."""
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


LAW_CHECKS = Checks(REWARD_CHECKS)


@LAW_CHECKS.at(each_mean, "sample")
def samples_compiled_equal_interpreted(law: Law, mean: float) -> None:
    """Compiled and interpreted `sample` draw the same rewards."""
    require_equal_interpreted(draw_rewards, _INTERPRETED, law, mean)
