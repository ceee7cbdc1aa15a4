"""Special functions of one or a few numbers, callable from compiled and interpreted code alike."""

from __future__ import annotations

from .beta import beta_cdf, beta_density, beta_tail
from .beta_inverse import beta_quantile, beta_quantile_upper
from .deviance import deviance, stirling_error
from .gamma import gamma_cdf, gamma_density, gamma_tail, log_gamma
from .gamma_inverse import gamma_quantile, gamma_quantile_upper
from .normal import normal_cdf, normal_density, normal_quantile, normal_quantile_upper

__all__ = [
    "beta_cdf",
    "beta_density",
    "beta_quantile",
    "beta_quantile_upper",
    "beta_tail",
    "deviance",
    "gamma_cdf",
    "gamma_density",
    "gamma_quantile",
    "gamma_quantile_upper",
    "gamma_tail",
    "log_gamma",
    "normal_cdf",
    "normal_density",
    "normal_quantile",
    "normal_quantile_upper",
    "stirling_error",
]
