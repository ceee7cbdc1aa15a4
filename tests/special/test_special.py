"""Special functions against SciPy, reference values and their own inverses."""

from __future__ import annotations

import doctest
import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle import special
from rbmle.special import (
    beta_cdf,
    beta_quantile,
    beta_quantile_upper,
    beta_tail,
    binomial_probability,
    deviance,
    gamma_cdf,
    gamma_quantile,
    gamma_quantile_upper,
    gamma_tail,
    log_gamma,
    normal_cdf,
    normal_density,
    normal_quantile,
    normal_quantile_upper,
    poisson_probability,
    stirling_error,
)

MODULES = ("beta", "deviance", "gamma", "normal")
GAMMA_SHAPES = (0.01, 0.3, 1.0, 2.5, 17.0, 500.0, 1e5, 1e7)
BETA_SHAPES = [
    (0.05, 0.05), (0.05, 1e7), (1e7, 0.05), (0.5, 0.5), (1.0, 1.0), (2.0, 3.0), (1.0, 1e5),
    (1e5, 0.5), (30.0, 70.0), (700.0, 300.0), (7e4, 3e4), (3.0, 1e7), (1e7, 1e7),
]  # fmt: skip
PROBABILITIES = [10.0 ** -float(e) for e in (300, 150, 40, 16, 9, 4, 3, 2, 1)] + [0.2, 0.4, 0.5]

# Computed with 60 digits from the power series of P and I_x and the continued fraction of Q.
REFERENCE = [
    (gamma_cdf, (9200.0, 10000.0), 1.0130928844019716e-16),
    (gamma_cdf, (992000.0, 1000000.0), 5.24012281543083e-16),
    (gamma_cdf, (9905132.0, 10000000.0), 2.800806651131936e-199),
    (gamma_cdf, (9974702.0, 10000000.0), 5.897091025480124e-16),
    (gamma_cdf, (9998419.0, 10000000.0), 0.3085808308736809),
    (gamma_tail, (13000.0, 10000.0), 4.712347177485643e-166),
    (gamma_tail, (1008000.0, 1000000.0), 7.370278579605256e-16),
    (gamma_tail, (10094868.0, 10000000.0), 8.306713986567211e-197),
    (gamma_tail, (10001581.0, 10000000.0), 0.30852515997752367),
    (beta_cdf, (0.0846, 300.0, 20.0), 5.41683416454327e-293),
    (beta_cdf, (3.25e-07, 3.0, 10000000.0), 0.6304335063036695),
    (beta_cdf, (0.68, 70000.0, 30000.0), 1.2062939094257746e-42),
    (beta_cdf, (0.69, 70000.0, 30000.0), 3.4665777712309716e-12),
    (beta_cdf, (0.4996, 10000000.0, 10000000.0), 0.00017330932576538783),
    (beta_cdf, (0.4975, 10000000.0, 10000000.0), 4.73786981114723e-111),
    (beta_cdf, (0.00079, 10000.0, 10000000.0), 2.418079375480003e-113),
    (beta_tail, (0.75, 700.0, 300.0), 0.00017989197772738934),
    (beta_tail, (0.703125, 70000.0, 30000.0), 0.015392227444088979),
    (beta_tail, (0.50048828125, 10000000.0, 10000000.0), 6.2889828294895695e-06),
    (log_gamma, (0.01,), 4.599479878042022),
    (log_gamma, (1.0001,), -5.771334222047127e-05),
    (log_gamma, (1.9997,), -0.00012680627667783915),
    (log_gamma, (2.5,), 0.2846828704729192),
]


def errors(
    function: Callable[..., float], expected: Any, *columns: Any, least: float = 1e-300
) -> Any:
    """Relative errors wherever the expected number is not in the range of underflow."""
    found = np.array([function(*map(float, row)) for row in np.broadcast(*columns)])
    kept = np.isfinite(expected) & (np.abs(expected) > least)
    assert kept.any()
    return np.abs(found[kept] / expected[kept] - 1.0)


def spread(a: float, b: float, rng: np.random.Generator) -> Any:
    """Points of (0, 1) around the mean a / (a + b), far into both tails in the log-odds."""
    u = rng.uniform(-12.0, 12.0, 150) * math.sqrt(1.0 / a + 1.0 / b)
    x = 1.0 / (1.0 + b / a * np.exp(-np.clip(u, -300.0, 300.0)))
    return x[(x > 0.0) & (x < 1.0)]


@pytest.mark.parametrize(("function", "arguments", "expected"), REFERENCE)
def test_reference(
    function: Callable[..., float], arguments: tuple[float, ...], expected: float
) -> None:
    conditioned = 1e-14 if expected > 1e-20 else 1e-11
    large = 1e-12 if max(arguments) > 1e4 else 0.0
    assert function(*arguments) == pytest.approx(expected, rel=max(conditioned, large), abs=0.0)


def test_normal() -> None:
    x = np.linspace(-37.0, 9.0, 2001)
    assert errors(normal_cdf, scipy.special.ndtr(x), x).max() < 2e-13
    assert errors(normal_density, np.exp(-x * x / 2.0) / math.sqrt(2.0 * math.pi), x).max() < 1e-14
    p = np.concatenate([np.geomspace(1e-305, 0.5, 1501), np.linspace(1e-3, 1.0 - 1e-3, 1500)])
    p = p[p != 0.5]
    assert errors(normal_quantile, scipy.special.ndtri(p), p, least=0.0).max() < 2e-15
    assert all(normal_quantile_upper(float(each)) == -normal_quantile(float(each)) for each in p)
    assert (normal_quantile(0.0), normal_quantile(0.5), normal_quantile(1.0)) == (
        -math.inf,
        0.0,
        math.inf,
    )


def test_log_gamma_and_stirling_error() -> None:
    x = np.concatenate([np.geomspace(1e-5, 1e8, 1001), np.linspace(0.1, 3.0, 1000)])
    expected = scipy.special.gammaln(x)
    found = np.array([log_gamma(float(each)) for each in x])
    assert np.all(np.abs(found - expected) <= 1e-14 * np.abs(expected) + 2e-15)
    n = np.geomspace(1e-3, 100.0, 500)
    plain = scipy.special.gammaln(n + 1.0) - (n + 0.5) * np.log(n) + n - math.log(2 * math.pi) / 2
    small = np.array([stirling_error(float(each)) for each in n])
    assert np.all(np.abs(small - plain) < 1e-12)
    assert stirling_error(1e6) == pytest.approx(1.0 / 12e6 - 1.0 / 360e18, rel=1e-15, abs=0.0)


def test_probabilities() -> None:
    x = np.arange(200.0)
    for mean in (0.3, 7.0, 90.5):
        expected = scipy.stats.poisson.pmf(x, mean)
        found = [poisson_probability(float(each), mean) for each in x]
        np.testing.assert_allclose(found, expected, rtol=1e-11)
    for p in (1e-3, 0.3, 0.97):
        expected = scipy.stats.binom.pmf(x, 199, p)
        found = [binomial_probability(float(each), 199.0, p) for each in x]
        np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_deviance() -> None:
    m = np.geomspace(1e-3, 1e3, 301)
    plain = scipy.special.kl_div(1.0, m)
    assert (
        errors(deviance, plain[np.abs(m - 1.0) > 0.3], 1.0, m[np.abs(m - 1.0) > 0.3]).max() < 1e-13
    )
    d = 10.0 ** -np.arange(2.0, 8.0)
    series = d * d / 2.0 - d**3 / 3.0 + d**4 / 4.0 - d**5 / 5.0 + d**6 / 6.0 - d**7 / 7.0
    assert errors(lambda x: deviance(1.0, 1.0 + x), series, d).max() < 1e-7  # 1 + d is rounded
    assert deviance(3.0, 3.0) == 0.0
    assert deviance(0.0, 3.0) == 3.0
    assert deviance(3.0, 0.0) == math.inf


@pytest.mark.parametrize("a", GAMMA_SHAPES)
def test_gamma_functions(a: float) -> None:
    rng = np.random.default_rng(1)
    sds = 3.0 if a > 1e5 else 30.0  # further out SciPy itself is wrong
    x = a * np.exp(rng.uniform(-sds, min(sds, 12.0), 300) / math.sqrt(a + 0.05))
    x = x[(x > 1e-290) & (x < 1e9)]
    assert errors(gamma_cdf, scipy.special.gammainc(a, x), x, a).max() < 3e-12
    assert errors(gamma_tail, scipy.special.gammaincc(a, x), x, a).max() < 3e-12


@pytest.mark.parametrize(("a", "b"), BETA_SHAPES)
def test_beta_functions(a: float, b: float) -> None:
    x = spread(a, b, np.random.default_rng(2))
    bound = 1e-9 if (a, b) == (3.0, 1e7) else 1e-11  # the 1e-9 is SciPy's: see the reference
    assert errors(beta_cdf, scipy.special.betainc(a, b, x), x, a, b).max() < bound
    assert errors(beta_tail, scipy.special.betaincc(a, b, x), x, a, b).max() < bound


@pytest.mark.parametrize("a", GAMMA_SHAPES)
def test_gamma_quantiles_invert(a: float) -> None:
    for p in PROBABILITIES:
        for quantile, there in ((gamma_quantile, gamma_cdf), (gamma_quantile_upper, gamma_tail)):
            x = quantile(p, a)
            if x > 1e-290:
                slope = max(1.0, abs(x - a), math.sqrt(a))  # of log P in log x, at most
                assert there(x, a) == pytest.approx(p, rel=1e-12 + 1e-15 * slope, abs=0.0)
    if a <= 1e5:
        p = np.linspace(0.01, 0.99, 99)
        assert errors(gamma_quantile, scipy.special.gammaincinv(a, p), p, a).max() < 1e-12
        assert errors(gamma_quantile_upper, scipy.special.gammainccinv(a, p), p, a).max() < 1e-12


@pytest.mark.parametrize(("a", "b"), BETA_SHAPES)
def test_beta_quantiles_invert(a: float, b: float) -> None:
    for p in PROBABILITIES:
        for quantile, there in ((beta_quantile, beta_cdf), (beta_quantile_upper, beta_tail)):
            x = quantile(p, a, b)
            if 1e-290 < x < 0.99:  # closer to 1 the number x does not say enough of 1 - x
                slope = max(1.0, (a + b) * abs(x - a / (a + b)), math.sqrt(a)) / (1.0 - x)
                assert there(x, a, b) == pytest.approx(p, rel=1e-12 + 1e-15 * slope, abs=0.0)
    p = np.linspace(0.01, 0.99, 99)
    if (a, b) != (3.0, 1e7):
        expected = scipy.special.betaincinv(a, b, p)
        assert errors(beta_quantile, expected, p, a, b).max() < 2e-12
        if expected.max() > 1e-2:
            mirrored = errors(lambda q: 1.0 - beta_quantile_upper(q, b, a), expected, p, least=1e-2)
            assert mirrored.max() < 1e-12


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.floats(-300, -0.31), st.floats(-1.3, 7), st.floats(-1.3, 7))
def test_quantiles_anywhere(log_p: float, log_a: float, log_b: float) -> None:
    p, a, b = 10.0**log_p, 10.0**log_a, 10.0**log_b
    x = gamma_quantile_upper(p, a)
    if x > 1e-290:
        slope = max(1.0, abs(x - a), math.sqrt(a))
        assert gamma_tail(x, a) == pytest.approx(p, rel=1e-12 + 1e-15 * slope, abs=0.0)
    x = beta_quantile(p, a, b)
    assert 0.0 <= x <= 1.0
    if 1e-290 < x < 0.9:
        slope = max(1.0, (a + b) * abs(x - a / (a + b)), math.sqrt(a)) / (1.0 - x)
        assert beta_cdf(x, a, b) == pytest.approx(p, rel=2e-12 + 2e-15 * slope, abs=0.0)


def test_limits() -> None:
    inf, nan = math.inf, math.nan
    assert [gamma_quantile(p, 2.0) for p in (0.0, 1.0)] == [0.0, inf]
    assert [gamma_quantile_upper(p, 2.0) for p in (0.0, 1.0)] == [inf, 0.0]
    assert [beta_quantile(p, 2.0, 3.0) for p in (0.0, 1.0)] == [0.0, 1.0]
    assert [beta_quantile_upper(p, 2.0, 3.0) for p in (0.0, 1.0)] == [1.0, 0.0]
    assert [gamma_cdf(x, 2.0) for x in (-1.0, 0.0, 1e300, inf)] == [0.0, 0.0, 1.0, 1.0]
    assert [gamma_tail(x, 2.0) for x in (-1.0, 0.0, 1e300, inf)] == [1.0, 1.0, 0.0, 0.0]
    assert [beta_cdf(x, 2.0, 3.0) for x in (-1.0, 0.0, 1.0, 2.0)] == [0.0, 0.0, 1.0, 1.0]
    assert [beta_tail(x, 2.0, 3.0) for x in (-1.0, 0.0, 1.0, 2.0)] == [1.0, 1.0, 0.0, 0.0]
    assert math.isnan(gamma_quantile(nan, 2.0))
    assert math.isnan(beta_quantile(nan, 2.0, 3.0))
    assert math.isnan(gamma_cdf(nan, 2.0))
    assert math.isnan(beta_cdf(nan, 2.0, 3.0))


def test_monotone() -> None:
    p = [float(each) for each in np.concatenate([np.geomspace(1e-80, 1e-4, 300),
                                                 np.linspace(1e-3, 1.0 - 1e-3, 600)])]  # fmt: skip
    for function, shapes in (
        (normal_quantile, [()]),
        (gamma_quantile, [(0.3,), (2.5,), (500.0,), (1e5,)]),
        (beta_quantile, [(0.5, 0.5), (2.0, 3.0), (700.0, 300.0), (7e4, 3e4)]),
    ):
        for shape in shapes:
            found = [function(each, *shape) for each in p]
            assert np.all(np.diff(found) > 0.0)
    x = np.linspace(0.5, 0.9, 800)
    assert np.all(np.diff([beta_cdf(float(each), 70.0, 30.0) for each in x]) > -1e-15)
    assert np.all(np.diff([gamma_cdf(float(100.0 * each), 70.0) for each in x]) > -1e-15)


def _sample(name: str, rng: np.random.Generator) -> tuple[float, ...]:
    shapes = [float(each) for each in np.exp(rng.uniform(-2.0, 9.0, 2))]
    unit = float(rng.uniform() ** rng.integers(1, 40))
    mean = shapes[0] * float(np.exp(rng.normal() / math.sqrt(shapes[0])))
    if name.startswith("normal"):
        return (unit if "quantile" in name else float(rng.normal(scale=5.0)),)
    if name in ("log_gamma", "stirling_error", "scale_root_below"):
        return (shapes[0],)
    if name == "binomial_probability":
        trials = float(rng.integers(1, 10_000))
        return (float(rng.integers(0, trials + 1.0)), trials, unit)
    if name == "coin_below":
        return (unit, unit + (1.0 - unit) * float(rng.uniform()))
    if name in ("coin_root_below", "log_rate_below"):
        return (unit, shapes[0])
    if name == "ratio_above":
        return (*shapes, 1.0)
    if name.startswith("beta"):
        return (unit, *shapes)
    return (unit if "quantile" in name else mean, shapes[0])


@pytest.mark.parametrize("name", special.__all__)
def test_compiled_is_interpreted(name: str) -> None:
    function = getattr(special, name)
    rng = np.random.default_rng(3)
    for _ in range(100):
        arguments = _sample(name, rng)
        assert function(*arguments) == function.py_func(*arguments), arguments


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(f"rbmle.special.{name}")
    examples = {key: vars(module)[key].py_func.__doc__ for key in special.__all__
                if getattr(vars(module).get(key), "__module__", "") == module.__name__}  # fmt: skip
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for key, text in examples.items():
        runner.run(parser.get_doctest(text, dict(vars(module)), key, None, None))
    assert runner.tries > 0
    assert runner.failures == 0
