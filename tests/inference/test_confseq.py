"""Our bounds are those of the package `confseq`, by the authors of the paper, where it has them."""

from __future__ import annotations

import numpy as np
import pytest

from rbmle import Bernoulli, Gaussian
from rbmle.inference.intervals import (
    empirical_bernstein,
    gamma_exponential_bound,
    interval,
)

pytestmark = pytest.mark.peers


def test_intervals_of_coins() -> None:
    from confseq.boundaries import bernoulli_confidence_interval

    rng = np.random.default_rng(5)
    for _ in range(300):
        n = int(10.0 ** rng.uniform(0.5, 5.0))
        heads = int(rng.integers(1, n))  # at 0 and n it divides by 0
        alpha, best_at = rng.choice([0.2, 0.05, 0.001]), 10.0 ** rng.uniform(1.5, 4.0)
        theirs = bernoulli_confidence_interval(heads, n, alpha, best_at)
        low, high = interval(Bernoulli(), n, heads, 1.0 - alpha, best_at)
        assert (low[0], high[0]) == pytest.approx(theirs, abs=1e-9)


def test_normal_mixtures() -> None:
    from confseq.boundaries import normal_mixture_bound as theirs

    for n in (1, 300, 100_000):
        for alpha in (0.2, 0.01):
            for best_at in (5.0, 1e4):
                low, high = interval(Gaussian(2.0), n, 0.3 * n, 1.0 - alpha, best_at)
                radius = theirs(4.0 * n, alpha, 4.0 * best_at, 0.05, is_one_sided=False) / n
                assert (low[0], high[0]) == pytest.approx((0.3 - radius, 0.3 + radius), abs=1e-9)


def test_gamma_exponential_mixtures() -> None:
    from confseq.boundaries import gamma_exponential_mixture_bound as theirs

    variances = np.array([0.1, 3.0, 500.0, 2e4])
    for scale in (0.3, 1.0, 2.5):
        for alpha in (0.1, 0.001):
            ours = gamma_exponential_bound(variances, alpha, 40.0, scale)
            expected = [theirs(v, alpha, 40.0, scale, 0.05) for v in variances]
            assert ours == pytest.approx(expected, rel=1e-9)


def test_empirical_bernstein() -> None:
    from confseq.boundaries import gamma_exponential_mixture_bound as theirs

    x = np.random.default_rng(2).beta(2.0, 3.0, 500)
    low, high = empirical_bernstein(x)
    means = x.cumsum() / np.arange(1, 501)
    away = np.square(x - np.concatenate([[0.5], means[:-1]])).cumsum()
    radius = np.array([theirs(v, 0.025, 25.0, 1.0, 0.05) for v in away]) / np.arange(1, 501)
    assert low == pytest.approx(np.maximum(means - radius, 0.0), abs=1e-9)
    assert high == pytest.approx(np.minimum(means + radius, 1.0), abs=1e-9)
