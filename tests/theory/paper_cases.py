"""Families, and means inside their ranges, for the tests of the paper's statements."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from rbmle.families import Bernoulli, Binomial, Exponential, Family, Gamma, Gaussian, Poisson
from rbmle.random import Draws

FAMILIES = [Bernoulli(), Gaussian(1.5), Exponential(), Poisson(), Gamma(2.5), Binomial(6)]
LAWS = settings(max_examples=100, derandomize=True, deadline=None)
SHARES, ALPHAS, COUNTS = st.floats(0.02, 0.97), st.floats(0.1, 60), st.floats(0.05, 2000)
FIRST = Draws(0, 0, 0, 1, False)


every_family = pytest.mark.parametrize("family", FAMILIES, ids=repr)


def mean_at(family, u: float) -> float:
    return u * min(family.mean_range()[1], 3.0)


def index(family, nu: float, n: float, alpha: float) -> float:
    """Proposition 1's index, without the common factor that Corollary 2 leaves out."""
    return Family.bias_index(family, n, n * nu, alpha)
