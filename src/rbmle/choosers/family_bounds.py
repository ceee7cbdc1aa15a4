"""Cheap bounds of a Gaussian posterior, for Bayes-UCB."""

from __future__ import annotations

from .._numba.compile import extend
from ..families import Gaussian
from ..special import normal_density, ratio_above


@extend(Gaussian, name="posterior_tail_above")
def gaussian_tail_above(self: Gaussian, pulls: float, total: float, value: float) -> float:
    z = (value - self.posterior_mean(pulls, total)) / self.posterior_sd(pulls, total)
    if z > 40.0:  # the density, exp(-800), is below the smallest float
        return 0.0
    return normal_density(z) * ratio_above(z, 1.0, 0.0) if z > 0.0 else 1.0


@extend(Gaussian, name="posterior_quantile_below")
def gaussian_quantile_below(self: Gaussian, pulls: float, total: float, tail: float) -> float:
    """The quantile itself: for a normal distribution it is cheap."""
    return self.posterior_quantile(pulls, total, tail)
