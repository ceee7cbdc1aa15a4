"""Checks that compiled and interpreted methods of a family or law agree, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._numba.compile import Floats, kernel
from ..random import Cell, key
from .checking import require_equal, require_method
from .easy_problems import SEED, means_of
from .reward_checks import draw_rewards

_FEW = 50  # samples, because the interpreter is slow


@kernel
def family_values(family: Any, mean: float, other: float, out: Floats) -> None:
    """Fill `out` with the values of a family's methods at two means."""
    eta = family.natural(mean)
    out[0], out[1] = eta, family.log_partition(eta)
    out[2], out[3] = family.conjugate(mean), family.kl(mean, other)
    out[4], out[5] = family.kl_upper(mean, 0.7), family.kl_upper(mean, 0.0)
    out[6], out[7] = family.mean_range()


@kernel
def posterior_values(family: Any, pulls: float, total: float, value: float, out: Floats) -> None:
    """Fill `out` with the values of a family's posterior methods."""
    out[0] = family.posterior_mean(pulls, total)
    out[1] = family.posterior_variance(pulls, total)
    out[2] = family.posterior_sd(pulls, total)
    out[3] = family.posterior_quantile(pulls, total, 0.01)
    out[4] = family.posterior_tail(pulls, total, value)
    for j in range(5, out.size):
        out[j] = family.posterior_draw(pulls, total, Cell(7, 0, j, 1, 0), 0)


POSTERIOR_METHODS = (
    "posterior_mean",
    "posterior_variance",
    "posterior_sd",
    "posterior_quantile",
    "posterior_tail",
    "posterior_draw",
)


def family_compiled_equals_interpreted(family: Any) -> None:
    """Compiled and interpreted natural, log_partition, conjugate, kl, kl_upper and mean_range."""
    for mean in means_of(family):
        for other in means_of(family):
            _compare(family_values, family, mean, other, size=8)


def posteriors_compiled_equal_interpreted(family: Any) -> None:
    """Compiled and interpreted posterior_mean, _variance, _sd, _quantile, _tail and _draw."""
    require_method(family, *POSTERIOR_METHODS)
    for mean in means_of(family):
        for pulls in (1.0, 30.0):
            _compare(posterior_values, family, pulls, pulls * mean, mean, size=15)


def samples_compiled_equal_interpreted(law: Any) -> None:
    """Compiled and interpreted `sample` draw the same rewards."""
    require_method(law, "sample")
    for mean in means_of(law):
        _compare(draw_rewards, law, mean, *key(SEED), size=_FEW)


def _compare(function: Any, *arguments: Any, size: int) -> None:
    compiled, interpreted = np.empty(size), np.empty(size)
    function(*arguments, compiled)
    function.interpreted(*arguments, interpreted)
    what = f"compiled and interpreted {function.__name__} of {arguments[1:]}"
    require_equal(compiled, interpreted, what)
