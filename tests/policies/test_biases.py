"""RBMLE's index for other f than the paper's: closed forms, Lemma 1, infinite indices."""

from decimal import Decimal, localcontext
from math import asin, inf, isfinite, log, sqrt
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import tiered

from rbmle.errors import ParameterError
from rbmle.families import FAMILIES as KNOWN
from rbmle.families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson, family
from rbmle.policies import RBMLE, LogBias, check_fit
from rbmle.policies.arms import Arms, Clock
from rbmle.random import Draws
from rbmle.spec import from_spec, to_spec

LAWS = settings(max_examples=60, derandomize=True, deadline=None)
FAMILIES = [Bernoulli(), Binomial(6), Gaussian(1.5), Exponential(), Gamma(2.5), Poisson()]
SHARES = st.one_of(st.floats(0.001, 0.999), st.sampled_from([0.0, 1.0]))
PULLS = st.floats(1.0, 1e6)
RATIOS = st.floats(1e-3, 30.0)  # alpha / n


def g(of, f, theta):
    """log f of the mean theta."""
    scale = {"mean": 1.0, "stable": sqrt(getattr(of, "shape", 1.0))}[f]
    if isinstance(of, (Exponential, Gamma)):
        return scale * log(theta)
    if f == "mean":
        return theta
    if isinstance(of, Gaussian):
        return theta / of.sigma
    if isinstance(of, Poisson):
        return 2.0 * sqrt(theta)
    trials = getattr(of, "trials", 1)
    return 2.0 * sqrt(trials) * asin(sqrt(theta / trials))


def index(of, f, n, total, alpha):
    """The index as it is defined, not in units of alpha, or of alpha/sigma for Gaussian arms."""
    unit = {"mean": alpha, "stable": alpha / getattr(of, "sigma", 1.0)}[f]
    return getattr(of, f"{f}_index")(n, total, alpha) * unit


def mean_of(of, share):
    low, high = of.mean_range()
    return share * high if high < inf else 6.0 * share - (3.0 if low < 0.0 else -0.01)


def reach(of, f):
    """The index is infinite where alpha / n is at least this."""
    if isinstance(of, (Exponential, Gamma)):
        shape = getattr(of, "shape", 1.0)
        return sqrt(shape) if f == "stable" else shape
    return 1.0 if isinstance(of, Poisson) and f == "mean" else inf


@pytest.mark.parametrize("f", tiered(["mean", "stable"], lambda f: f == "mean", "pairs"))
@pytest.mark.parametrize(
    "of", tiered(FAMILIES, lambda of: isinstance(of, Bernoulli), "pairs"), ids=repr
)
class TestDefinition:
    """The index is the maximum over theta of alpha g(theta) - n D(p, theta)."""

    @LAWS
    @given(SHARES, PULLS, RATIOS, st.floats(0.001, 0.999))
    def test_no_theta_gives_more(self, of, f, share, n, r, place):
        nu = mean_of(of, share)
        low, high = of.mean_range()
        top = high if high < inf else 20.0 + 50.0 * abs(nu)
        theta = max(low, -20.0) + place * (top - max(low, -20.0))
        if low < theta < high:
            value = n * (r * g(of, f, theta) - of.kl(nu, theta))
            found = index(of, f, n, n * nu, n * r)
            assert found >= value - 1e-12 * n * (1.0 + r) * (1.0 + abs(theta))

    @LAWS
    @given(SHARES, PULLS, RATIOS)
    def test_the_best_theta_of_a_search_gives_as_much(self, of, f, share, n, r):
        """The search: golden sections on [p, the end], where the function has one maximum."""
        nu = mean_of(of, share)
        r = min(r, 0.95 * reach(of, f))
        low, high = of.mean_range()
        a, b = max(nu, low), min(high, 1.0 + 40.0 * (abs(nu) + 10.0 * r * r + 1.0))

        def value(theta):
            inside = low < theta < high or theta == nu
            edge = theta > 0.0 or not isinstance(of, (Exponential, Gamma))
            return r * g(of, f, theta) - of.kl(nu, theta) if inside and edge else -inf

        for _ in range(150):
            c, d = b - 0.618 * (b - a), a + 0.618 * (b - a)
            a, b = (a, d) if value(c) >= value(d) else (c, b)
        best = max(value(a), value(0.5 * (a + b)), value(nu))
        found = index(of, f, n, n * nu, n * r) / n
        assert found == pytest.approx(best, rel=1e-9, abs=1e-9 * (1.0 + r))

    @LAWS
    @given(SHARES, PULLS, st.floats(0.0, 5.0))
    def test_it_is_infinite_only_where_the_supremum_is(self, of, f, share, n, r):
        nu = mean_of(of, share)
        assert isfinite(index(of, f, n, n * nu, n * r)) == (r < reach(of, f))

    @LAWS
    @given(st.floats(0.01, 0.95), PULLS, st.floats(1.02, 8.0), RATIOS)
    def test_lemma_1_falls_with_n(self, of, f, share, n, factor, r):
        """At a fixed mean. Where p is at the end of the range, D = 0 at the maximiser: no fall."""
        nu, alpha = mean_of(of, share), n * r
        few, many = (index(of, f, m, m * nu, alpha) for m in (n, factor * n))
        assert few > many or few == many == inf

    @LAWS
    @given(st.floats(0.01, 0.9), st.floats(0.01, 0.1), PULLS, RATIOS)
    def test_lemma_1_rises_with_the_mean(self, of, f, share, more, n, r):
        low, high = (mean_of(of, each) for each in (share, share + more))
        one, other = (index(of, f, n, n * nu, n * r) for nu in (low, high))
        assert one < other or one == other == inf

    @LAWS
    @given(SHARES, PULLS, RATIOS, st.floats(0.01, 0.99))
    def test_lemma_1_is_convex_in_alpha(self, of, f, share, n, r, place):
        """And alpha g(p) is below it, so that it rises with alpha where g >= 0."""
        nu = mean_of(of, share)
        low, high = 0.5 * n * r, 2.0 * n * r
        middle = low + place * (high - low)
        one, found, other = (index(of, f, n, n * nu, a) for a in (low, middle, high))
        chord = one + place * (other - one) if other < inf else inf
        assert found <= chord + 1e-12 * n * (1.0 + r) * (1.0 + abs(nu))
        assert one >= low * g(of, f, nu) - 1e-12 * n * (1.0 + r)

    @LAWS
    @given(SHARES, PULLS, RATIOS, st.floats(0.1, 100.0))
    def test_it_is_alpha_times_a_function_of_n_over_alpha(self, of, f, share, n, r, factor):
        """The analogue of I(nu, k alpha, alpha) = alpha xi(k; nu)."""
        nu = mean_of(of, share)
        one = index(of, f, n, n * nu, n * r)
        other = index(of, f, factor * n, factor * n * nu, factor * n * r)
        assert other == pytest.approx(factor * one, rel=1e-9, abs=1e-9 * factor * n)


@pytest.mark.pairs
@pytest.mark.parametrize("n", [1.0, 7.0, 1e3, 1e9, 1e15])
@pytest.mark.parametrize("alpha", [0.0, 1e-9, 0.5, 1.0, 30.0, 1e9, 1e300])
@pytest.mark.parametrize("share", [0.0, 1e-300, 1e-9, 0.3, 1.0 - 1e-9, 1.0])
def test_coins_have_no_boundary(share, alpha, n):
    """At any mean, alpha and n the index is between alpha g(p) and alpha g(1)."""
    for f, top in (("mean", 1.0), ("stable", np.pi)):
        found = index(Bernoulli(), f, n, n * share, alpha)
        slack = 1e-14 * alpha
        assert alpha * g(Bernoulli(), f, share) - slack <= found <= top * alpha + slack


def test_indices_have_all_digits():
    """Against 40 digits: the error is below 4e-15 of the index and 1e-15 of n / alpha."""
    rng = np.random.default_rng(5)
    with localcontext() as context:
        context.prec = 60
        for _ in range(200):
            n = float(10.0 ** rng.uniform(0, 8))
            total = float(n * rng.choice([rng.uniform(), 10.0 ** rng.uniform(-8, 0)]))
            alpha = float(10.0 ** rng.uniform(-1, 3))
            p, r = Decimal(total) / Decimal(n), Decimal(alpha) / Decimal(n)
            m = (r - 1 + ((1 - r) ** 2 + 4 * r * p).sqrt()) / (2 * r)
            d = p * (p / m).ln() + (1 - p) * ((1 - p) / (1 - m)).ln()
            exact = float(m - d / r)
            found = Bernoulli().mean_index(n, total, alpha)
            assert abs(found - exact) <= 1e-15 * (4.0 * abs(exact) + n / alpha)


def test_gaussian_arms_of_unit_variance_have_the_papers_index():
    """To the bit. In general sigma^2 alpha, or sigma alpha, takes the place of alpha."""
    rng = np.random.default_rng(1)
    for n, total, alpha in rng.uniform(1.0, 99.0, (50, 3)):
        paper = Gaussian().bias_index(n, total, alpha)
        assert Gaussian().mean_index(n, total, alpha) == paper
        assert Gaussian().stable_index(n, total, alpha) == paper
        wide = Gaussian(3.0)
        assert wide.mean_index(n, total, alpha) == pytest.approx(
            wide.bias_index(n, total, 9 * alpha)
        )
        assert wide.stable_index(n, total, alpha) == pytest.approx(
            wide.bias_index(n, total, 3 * alpha)
        )


@pytest.mark.pairs
@pytest.mark.parametrize("of", [Gaussian(2.0), Exponential(), Gamma(3.0)], ids=repr)
def test_the_unit_of_rewards_does_not_matter_to_the_stable_f(of):
    """Rewards, and sigma, a thousand times as large: the same order of arms."""
    rng = np.random.default_rng(2)
    other = Gaussian(2000.0) if isinstance(of, Gaussian) else of
    for n, total, m, more in rng.uniform(20.0, 99.0, (50, 4)):
        here = of.stable_index(n, total, 9.0) < of.stable_index(m, more, 9.0)
        there = other.stable_index(n, 1e3 * total, 9.0) < other.stable_index(m, 1e3 * more, 9.0)
        assert here == there


def test_infinite_indices_rank_by_fewer_pulls_then_by_the_larger_mean():
    """As when theta is at most M, and M tends to infinity."""
    policy, clock = RBMLE(LogBias(5.0), f="mean"), Clock(400, 0)  # alpha is about 30
    pulls, sums = np.array([20.0, 10.0, 10.0, 40.0]), np.array([90.0, 20.0, 30.0, 400.0])
    for of in (Exponential(), Poisson()):
        arms = Arms(pulls, sums, sums)
        assert policy.choose(np.zeros(0), of, arms, clock, Draws(0, 0, 0, 1, False)) == 2
    far = 1e30
    for of, bias in ((Exponential(), log(far)), (Poisson(), far)):
        limit = [30.0 * bias - n * of.kl(s / n, far) for n, s in zip(pulls, sums, strict=True)]
        assert np.argmax(limit) in (1, 2)
        assert limit[2] >= limit[1]


def test_what_f_cannot_do_is_refused():
    with pytest.raises(ParameterError, match=r"'f' must be one of 'canonical', 'mean', 'stable'"):
        RBMLE(f="median")
    with pytest.raises(ParameterError, match=r"'boundary' must be 'exact' with f='mean'"):
        check_fit(RBMLE(boundary="published", f="mean"), Bernoulli())

    @family
    class Halves(NamedTuple):
        c: float = 1.0

        def natural(self, mean: float) -> float:
            return mean

        def log_partition(self, eta: float) -> float:
            return 0.5 * eta * eta

        def mean_range(self) -> tuple[float, float]:
            return -inf, inf

    try:
        with pytest.raises(
            ParameterError, match=r"without a method stable_index. Got 'stable' for"
        ):
            RBMLE(f="stable").check_family(Halves())
        RBMLE().check_family(Halves())
    finally:
        KNOWN.pop("Halves", None)


def test_every_f_is_written_and_read():
    assert to_spec(RBMLE(f="canonical")) == to_spec(RBMLE())
    assert to_spec(RBMLE())["f"] == "canonical"
    for text in ("rbmle(f=mean)", "rbmle(f=stable)", "klucb(plus=True)"):
        assert from_spec(to_spec(from_spec(text))) == from_spec(text)
    assert to_spec(from_spec("rbmle(f=mean)"))["f"] == "mean"
