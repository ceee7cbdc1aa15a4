"""Families against SciPy, and the methods that RBMLE uses; test_family_laws.py has the laws."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats
from family_cases import OTHER_LAWS, OURS
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle.families import (
    FAMILIES,
    Bernoulli,
    Binomial,
    Bounded,
    Exponential,
    Family,
    Gamma,
    Gaussian,
    GaussianUnknown,
    NegativeBinomial,
    Poisson,
)
from rbmle.families.protocols import by_sums
from rbmle.random import Cell, key
from rbmle.rewards.laws import Beta, ClippedGaussian, GaussianMixture, Laplace, TwoPoint, Uniform

KEY = key(8_061_977)
PAIRS = [(Bernoulli(2.0, 3.0), Binomial(1, 2.0, 3.0)), (Exponential(2.0, 3.0), Gamma(1, 2.0, 3.0))]
HISTORIES = [(u, n, place) for u in (0.1, 0.5, 0.85) for n in (3.0, 40.0) for place in (0.2, 0.9)]

every_family = pytest.mark.parametrize("family", OURS, ids=repr)
with_one_parameter = pytest.mark.parametrize("family", list(filter(by_sums, OURS)), ids=repr)
every_law = pytest.mark.parametrize("law", OURS + OTHER_LAWS, ids=repr)
laws = settings(max_examples=60, derandomize=True, deadline=None)
PLACES = st.floats(0.02, 0.98)


def mean_at(family, u: float) -> float:
    """The mean at place u in (0, 1) of its range."""
    low, high = family.mean_range()
    if high < inf:
        return low + u * (high - low)
    return u / (1.0 - u) if low == 0.0 else 3.0 * log(u / (1.0 - u))


def posterior(family, n: float, total: float):
    """SciPy's posterior of the mean, from the textbook's conjugate pairs."""
    match family:
        case Bernoulli(a, b):
            return scipy.stats.beta(a + total, b + n - total)
        case Binomial(m, a, b):
            return scipy.stats.beta(a + total, b + m * n - total, scale=m)
        case Gaussian(sigma, prior_mean, sd):
            variance = 1.0 / (sd**-2 + n * sigma**-2)
            mean = variance * (prior_mean * sd**-2 + total * sigma**-2)
            return scipy.stats.norm(mean, variance**0.5)
        case Exponential(a, b):
            return scipy.stats.invgamma(a + n, scale=b + total)
        case Gamma(k, a, b):
            return scipy.stats.invgamma(a + k * n, scale=k * (b + total))
        case Poisson(a, b):
            return scipy.stats.gamma(a + total, scale=1.0 / (b + n))
        case NegativeBinomial(r, a, b):
            return scipy.stats.betaprime(b + total, a + r * n, scale=r)
        case Bounded(low, high, a, b):
            won = (total - low * n) / (high - low)
            return scipy.stats.beta(a + won, b + n - won, low, high - low)
        case GaussianUnknown(s, _):
            return scipy.stats.t(n - 2.0, total / n, s / (n - 2.0) ** 0.5)


@every_family
@laws
@given(PLACES, st.floats(1e-3, 8.0))
def test_kl_upper_solves_its_equation(family, u, bound):
    mean = mean_at(family, u)
    upper = family.kl_upper(mean, bound)
    assert mean < upper <= family.mean_range()[1]
    shifted = family.width() if isinstance(family, Bounded) else 0.0  # it counts from `low`
    ulps = 8.0 * np.spacing(max(abs(upper), shifted))
    solved = abs(family.kl(mean, upper) - bound) <= 1e-12 * bound
    pinned = family.kl(mean, upper - ulps) <= bound <= family.kl(mean, upper + ulps)
    assert solved or pinned
    generic = Family.kl_upper(family, mean, bound)
    assert upper == pytest.approx(generic, rel=1e-12, abs=1e-12)


@every_family
@laws
@given(PLACES, st.floats(0.05, 40.0), st.floats(1.01, 5.0))
def test_xi_falls_strictly(family, u, k, factor):
    nu = mean_at(family, u)
    smaller, larger = family.xi(factor * k, nu), family.xi(k, nu)
    assert smaller < larger or smaller == inf
    assert smaller > family.natural(nu)


@every_family
@laws
@given(PLACES, PLACES)
def test_k_star_solves_its_equation(family, u, v):
    low, high = sorted((u, v))
    lower, mean = mean_at(family, low), mean_at(family, high)
    assert family.k_star(lower, mean) == inf
    if high - low < 0.01:
        return
    k, target = family.k_star(mean, lower), family.natural(mean)
    assert 0.0 < k < inf
    assert family.xi((1.0 + 1e-6) * k, lower) < target <= family.xi((1.0 - 1e-6) * k, lower)


def test_k_star_in_closed_form_and_at_the_end_of_the_range():
    assert Gaussian(2.0).k_star(1.5, 0.5) == pytest.approx(0.5, rel=1e-12)
    assert Exponential().k_star(1.0, 0.0) == 0.0


def index_factor(family, alpha: float) -> float:
    """Proposition 1's index divided by the family's own: Corollary 2 omits alpha / sigma^2."""
    return alpha / family.sigma**2 if isinstance(family, Gaussian) else 1.0


@with_one_parameter
@laws
@given(PLACES, st.integers(1, 500), st.floats(0.01, 30.0))
def test_the_index_is_that_of_proposition_one(family, u, n, alpha):
    total = n * mean_at(family, u)
    index = family.bias_index(float(n), total, alpha)
    generic = Family.bias_index(family, float(n), total, alpha)
    assert index * index_factor(family, alpha) == pytest.approx(generic, rel=1e-9, abs=1e-9)
    assert (generic == inf) == (total / n + alpha / n >= family.mean_range()[1])


@with_one_parameter
@pytest.mark.parametrize("seed", range(8))
def test_the_index_is_the_maximum_of_the_biased_likelihood(family, seed):
    rng = np.random.default_rng(seed)
    n, alpha = int(rng.integers(1, 60)), rng.uniform(0.05, 4.0)
    total = n * mean_at(family, rng.uniform(0.1, 0.6))
    biased = (total + alpha) / n
    if biased >= family.mean_range()[1]:
        far = [(total + alpha) * eta - n * family.log_partition(eta) for eta in (50.0, 60.0)]
        assert far[1] > far[0] + 1e-9
        assert family.bias_index(float(n), total, alpha) == inf
        return

    def largest(weight: float) -> float:
        middle = family.natural(weight / n)
        width = min(3.0, 0.9 * abs(middle)) if family.mean_range() == (0.0, inf) else 3.0
        width = 3.0 if isinstance(family, Poisson) else width
        found = scipy.optimize.minimize_scalar(
            lambda eta: n * family.log_partition(eta) - weight * eta,
            bounds=(middle - width, middle + 0.8 * width), method="bounded",
            options={"xatol": 1e-9},
        )  # fmt: skip
        return -found.fun

    index = family.bias_index(float(n), total, alpha) * index_factor(family, alpha)
    assert index == pytest.approx(largest(total + alpha) - largest(total), rel=1e-8, abs=1e-9)


@every_family
@pytest.mark.parametrize(("u", "n", "place"), HISTORIES)
def test_the_posterior_is_scipys(family, u, n, place):
    n += 3.0 if isinstance(family, GaussianUnknown) else 0.0  # with 3 it has none yet
    total = n * mean_at(family, u)
    law = posterior(family, n, total)
    close = {"rel": 1e-10, "abs": 1e-14}
    assert family.posterior_mean(n, total) == pytest.approx(law.mean(), **close)
    assert family.posterior_variance(n, total) == pytest.approx(law.var(), **close)
    assert family.posterior_sd(n, total) == pytest.approx(law.std(), **close)
    for tail in (place, 1e-6):
        assert family.posterior_quantile(n, total, tail) == pytest.approx(law.isf(tail), **close)
    if hasattr(family, "posterior_span"):
        low, high, sd = family.posterior_span(n, total)
        assert law.cdf(family.chart(low)) + law.sf(family.chart(high)) < 3e-15
        middle = 0.5 * (low + high)
        rise = family.chart(middle + 1e-6) - family.chart(middle - 1e-6)
        assert rise / 2e-6 == pytest.approx(family.chart_slope(middle), rel=1e-6)
        assert sd > 0.0


@pytest.mark.parametrize(("plain", "general"), PAIRS, ids=repr)
@laws
@given(PLACES, PLACES, st.integers(2, 60), st.floats(0.01, 9.0))
def test_special_cases_are_the_plain_families(plain, general, u, v, n, x):
    mean, other = mean_at(plain, u), mean_at(plain, v)
    history = (float(n), n * mean)
    calls = {
        "natural": (mean,), "log_partition": (plain.natural(mean),), "conjugate": (mean,),
        "variance": (mean,), "kl": (mean, other),
        "kl_upper": (mean, x), "xi": (x, mean), "k_star": (max(u, v) + 0.01, min(mean, other)),
        "bias_index": (*history, x), "posterior_mean": history, "posterior_variance": history,
        "posterior_sd": history, "posterior_quantile": (*history, u), "sub_gaussian": (mean,),
        "sub_exponential": (mean,), "mean_range": (), "mean_interval": (), "reward_interval": (),
        "posterior_draw": (*history, Cell(*KEY, n, 1, 0), 0),
    }  # fmt: skip
    for name, arguments in calls.items():
        a, b = getattr(plain, name)(*arguments), getattr(general, name)(*arguments)
        assert b == pytest.approx(a, rel=1e-10, abs=1e-13), name


def log_mgf(law, mean: float, x: np.ndarray) -> np.ndarray:
    """log E exp(x (X - mean)): F(eta + x) - F(eta) - x mean for a family, by hand for other
    laws."""
    if isinstance(law, tuple(FAMILIES.values())):
        eta = law.natural(mean)
        return np.array([law.log_partition(eta + y) - law.log_partition(eta) - y * mean for y in x])
    match law:
        case Uniform(width):
            return np.log(np.sinh(0.5 * x * width) / (0.5 * x * width))
        case Beta(c):
            return np.log(scipy.special.hyp1f1(c * mean, c, x)) - x * mean
        case TwoPoint(low, high):
            return log_mgf(Bernoulli(), (mean - low) / (high - low), x * (high - low))
        case GaussianMixture(spread, sigma):
            return np.log(np.cosh(x * spread)) + 0.5 * (sigma * x) ** 2
        case Laplace(scale):
            return -np.log1p(-((scale * x) ** 2))
        case ClippedGaussian(sigma):
            # By a sum over 20,000 numbers, of which each is as likely.
            z = scipy.stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000)
            rewards = np.clip(law.location(mean) + sigma * z, 0.0, 1.0)
            return np.array([np.log(np.mean(np.exp(y * (rewards - rewards.mean())))) for y in x])


@every_law
@pytest.mark.parametrize("u", [0.05, 0.5, 0.8])
def test_the_tails_are_as_light_as_stated(law, u):
    mean = mean_at(law, u)
    rho, kappa = law.sub_exponential(mean)
    ends = np.concatenate([np.geomspace(1e-3, 40.0, 60), np.linspace(0.01, 0.9999, 60)])
    x = np.unique(np.concatenate([-ends, ends])) / (kappa or 1.0)
    x = x[np.abs(x) * kappa < 1.0]
    bound = 0.5 * (rho * x) ** 2
    assert (log_mgf(law, mean, x) <= (1.0 + 1e-9) * bound + 1e-13).all()
    # kappa = 0 means that the bound holds for every x: the law is sub-Gaussian.
    assert law.sub_gaussian(mean) == (rho if kappa == 0.0 else inf)
    assert rho**2 >= (1.0 - 1e-12) * law.variance(mean)
