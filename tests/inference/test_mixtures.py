"""The wealth of each kind is the integral that defines it, and its ends are where it says."""

from __future__ import annotations

from math import inf, log
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from rbmle import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.errors import ParameterError
from rbmle.inference.intervals import beats, difference, empirical_bernstein, interval
from rbmle.inference.mixtures import (
    COIN,
    COUNT,
    NORMAL,
    SIZE,
    WAIT,
    joint_wealth,
    log_wealth,
    mixture_of,
)

FAMILIES = [Bernoulli(), Binomial(5), Poisson(), Exponential(), Gamma(2.0), Gaussian(2.0)]
N, TOTAL = 40.0, 18.0


def priors(kind: int, mean: float) -> Any:
    """The prior, as SciPy has it; of the rate for waits."""
    m = SIZE - (kind == COIN)
    return {
        NORMAL: stats.norm(mean, 1.0 / np.sqrt(m)),
        COIN: stats.beta(m * mean, m * (1.0 - mean)),
        COUNT: stats.gamma(m * mean, scale=1.0 / m),
        WAIT: stats.gamma(m + 1.0, scale=1.0 / (m * mean)),
    }[kind]


def log_likelihood(kind: int, x: float) -> float:
    """That of N rewards that paid TOTAL; their squares do not matter."""
    return {
        NORMAL: lambda: TOTAL * x - 0.5 * N * x * x,
        COIN: lambda: TOTAL * log(x) + (N - TOTAL) * log(1.0 - x),
        COUNT: lambda: TOTAL * log(x) - N * x,
        WAIT: lambda: N * log(x) - TOTAL * x,
    }[kind]()


@pytest.mark.parametrize("kind", [NORMAL, COIN, COUNT, WAIT])
@pytest.mark.parametrize("mean", [0.3, 0.45, 0.7])
def test_the_wealth_is_its_integral(kind: int, mean: float) -> None:
    prior, at = priors(kind, mean), log_likelihood(kind, 1.0 / mean if kind == WAIT else mean)
    ends = prior.ppf(1e-13), prior.isf(1e-13)
    value, _ = integrate.quad(
        lambda x: np.exp(log_likelihood(kind, x) - at) * prior.pdf(x), *ends, epsabs=0, limit=200
    )
    assert log_wealth(kind, SIZE, N, TOTAL, mean) == pytest.approx(log(value), abs=1e-7)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_ends_are_where_the_wealth_is_the_bound(family: Any) -> None:
    found = mixture_of(family)
    assert found is not None
    kind, worth, unit = found
    low, high = interval(family, [200.0, 1000.0], [90.0, 550.0], 0.9)
    for n, total, *ends in zip((200.0, 1000.0), (90.0, 550.0), low, high, strict=True):
        assert ends[0] < total / n < ends[1]
        for end in ends:
            wealth = log_wealth(kind, SIZE, n * worth, total * worth / unit, end / unit)
            assert wealth == pytest.approx(log(10.0), abs=1e-8)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("level", [0.5, 0.99995])
def test_ends_after_few_pulls_are_those_of_the_wealth_too(family: Any, level: float) -> None:
    """Also where they are far out, or nothing up to the end of the range is ruled out."""
    kind, worth, unit = mixture_of(family) or (0, 0.0, 0.0)
    bound, found = log(1.0 / (1.0 - level)), 0
    for n, total in [(1.0, 1.0), (3.0, 1.0), (3.0, 2.0), (2.0, 0.7), (8.0, 1.01), (8.0, 0.0)]:
        known = n * worth, total * worth / unit
        ends = interval(family, n, total, level)
        for side, end in zip((-1.0, 1.0), ends, strict=True):
            x = end[0] / unit
            inside = 0.0 < x < (1.0 if kind == COIN else inf) or kind == NORMAL
            if inside and not (kind == COIN and x > 1.0 - 1e-9):
                assert log_wealth(kind, SIZE, *known, x) == pytest.approx(bound, abs=1e-6)
                found += 1
            elif total not in (0.0, n) and not inside:  # the wealth just before the end of it
                last = 1e-290 if side < 0.0 else (1.0 - 1e-15 if kind == COIN else 1e290)
                assert log_wealth(kind, SIZE, *known, last) < bound
    assert found > 1


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_width_at_a_thousand_pulls_is_at_most_twice_the_fixed_one(family: Any) -> None:
    mean = 0.5
    low, high = interval(family, 1_000.0, 1_000.0 * mean)
    fixed = 2.0 * 1.96 * np.sqrt(family.variance(mean) / 1_000.0)
    assert fixed < high[0] - low[0] < 2.0 * fixed


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_a_difference_is_that_of_the_best_point_of_a_grid(family: Any) -> None:
    kind, worth, unit = mixture_of(family) or (0, 0.0, 0.0)
    a, b = (500.0, 280.0), (300.0, 120.0)
    low, high = difference(family, a, b)
    assert low < 280 / 500 - 120 / 300 < high
    own = [(n * worth, s * worth / unit) for n, s in (a, b)]
    for apart in (low / unit, high / unit):
        first, last = sorted((own[1][1] / own[1][0], own[0][1] / own[0][0] - apart))
        grid = min(
            log_wealth(kind, SIZE, *own[0], x + apart) + log_wealth(kind, SIZE, *own[1], x)
            for x in np.linspace(0.9 * first, 1.1 * last, 4_001)
        )
        assert grid == pytest.approx(log(20.0), abs=1e-3)
        assert joint_wealth(kind, SIZE, own[0], own[1], apart) == pytest.approx(log(20), abs=1e-6)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("pulls", [0.3, 1.0, 30.0, 1e9])
def test_an_interval_is_inside_the_range_of_means_and_has_a_width(
    family: Any, pulls: float
) -> None:
    low, high = family.mean_range()
    for mean in (max(low, -1.0), 0.02, min(high, 3.0)):
        ends = interval(family, pulls, pulls * mean)
        assert low <= ends[0][0] <= mean <= ends[1][0] <= high
        assert ends[0][0] < ends[1][0]


def test_an_arm_beats_another_when_their_difference_is_above_zero() -> None:
    rng, said = np.random.default_rng(1), set()
    for _ in range(200):
        n = rng.integers(50, 3_000, 2).astype(float)
        sums = rng.binomial(n.astype(int), [0.55, 0.45]).astype(float)
        low, _ = difference(Bernoulli(), (n[0], sums[0]), (n[1], sums[1]))
        won = beats(Bernoulli(), (n[0], sums[0]), (n[1:], sums[1:]), 0.05)
        assert won == (low > 0.0)
        said.add(won)
    assert said == {True, False}


def test_the_ends_of_the_range() -> None:
    low, high = interval(Bernoulli(), [10.0, 10.0, 0.0], [0.0, 10.0, 0.0])
    assert low[0] == 0.0
    assert high[1] == 1.0
    assert high[0] == pytest.approx(1.0 - low[1])
    assert np.isnan([low[2], high[2]]).all()
    assert interval(Exponential(), 1.0, 2.0)[1] == inf
    assert difference(Bernoulli(), (0.0, 0.0), (5.0, 1.0)) == (-inf, inf)
    assert difference(Bernoulli(), (1.0, 1.0), (1.0, 0.0))[1] == 1.0


def test_empirical_bernstein_profits_from_a_small_variance() -> None:
    x = 0.5 + 0.1 * np.random.default_rng(3).uniform(-1.0, 1.0, 3_000)
    low, high = empirical_bernstein(x)
    plain = interval(Bernoulli(), 3_000, x.sum())
    assert (low <= 0.5).all()
    assert (high >= 0.5).all()
    assert high[-1] - low[-1] < 0.3 * (plain[1][0] - plain[0][0])
    scaled = empirical_bernstein(10.0 * x - 2.0, low=-2.0, high=8.0)
    assert np.allclose(scaled, 10.0 * np.stack([low, high]) - 2.0)


def test_refusals() -> None:
    with pytest.raises(ParameterError, match=r"'rewards' must be numbers in \[0, 1\]. Got 1.5"):
        empirical_bernstein([0.5, 1.5])
    with pytest.raises(ParameterError, match=r"'level' must be a number in \(0, 1\). Got 1"):
        interval(Bernoulli(), 1, 1, level=1)
    with pytest.raises(ParameterError, match="'family' must be one of the package's"):
        interval(object(), 1, 1)
