"""Special functions of real numbers, for compiled and interpreted code alike.

Distribution functions and quantiles (normal, gamma, beta), and bounds on them that cost less.
"""

from __future__ import annotations

from .beta import beta_cdf, beta_odds_upper, beta_quantile, beta_quantile_upper, beta_tail
from .deviance import binomial_probability, deviance, poisson_probability, stirling_error
from .divergence_bounds import (
    coin_below,
    coin_root_below,
    count_root_below,
    deviance_below,
    scale_root_below,
)
from .gamma import (
    gamma_cdf,
    gamma_quantile,
    gamma_quantile_upper,
    gamma_tail,
    log_gamma,
)
from .normal import normal_cdf, normal_density, normal_quantile, normal_quantile_upper
from .tail_bounds import (
    beta_quantile_below,
    beta_tail_above,
    gamma_cdf_above,
    gamma_quantile_above,
    gamma_quantile_below,
    gamma_tail_above,
    log_rate_below,
    ratio_above,
)

__all__ = [
    "beta_cdf",
    "beta_odds_upper",
    "beta_quantile",
    "beta_quantile_below",
    "beta_quantile_upper",
    "beta_tail",
    "beta_tail_above",
    "binomial_probability",
    "coin_below",
    "coin_root_below",
    "count_root_below",
    "deviance",
    "deviance_below",
    "gamma_cdf",
    "gamma_cdf_above",
    "gamma_quantile",
    "gamma_quantile_above",
    "gamma_quantile_below",
    "gamma_quantile_upper",
    "gamma_tail",
    "gamma_tail_above",
    "log_gamma",
    "log_rate_below",
    "normal_cdf",
    "normal_density",
    "normal_quantile",
    "normal_quantile_upper",
    "poisson_probability",
    "ratio_above",
    "scale_root_below",
    "stirling_error",
]
