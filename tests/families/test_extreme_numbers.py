"""Divergences, indices and posteriors of very large, very small and nearly equal numbers."""

from decimal import Decimal, localcontext
from math import inf, isfinite, nextafter, sqrt, ulp

import numpy as np
import pytest

from rbmle import (
    KG,
    KLUCB,
    RBMLE,
    VIDS,
    BayesUCB,
    Bernoulli,
    Binomial,
    Exponential,
    Gamma,
    Gaussian,
    KGStar,
    ParameterError,
    Poisson,
    Problem,
    RewardStream,
    ThompsonSampling,
    UCBTuned,
    simulate,
)
from rbmle.policies.arms import Arms, Clock


def exact_kl(family, mean, other):
    """D in 60 digits, for the smallest means in 260: 1 - p must be exact."""
    with localcontext() as context:
        context.prec = 60 if mean > 1e-30 else 260
        p, q = Decimal(mean), Decimal(other)

        def times_log(x, y):
            return x * (x / y).ln() if x > 0 else Decimal(0)

        if isinstance(family, Bernoulli):
            return times_log(p, q) + times_log(1 - p, 1 - q)
        if isinstance(family, Poisson):
            return q - p + times_log(p, q)
        return p / q - 1 - (p / q).ln()


def histories(family):
    for n in (1.0, 3.0, 100.0, 1e4, 1e7, 1e9, 1e12):
        for total in (0.0, 1.0, 3.0, 1e-6 * n, 0.3 * n, n - 1.0, n * (1 - 1e-9), 5.0 * n, 1e7 * n):
            mean = total / n
            if isinstance(family, Bernoulli) and not 0.0 <= mean < 1.0:
                continue
            if isinstance(family, Exponential) and mean == 0.0:
                continue
            yield n, mean


class TestDivergence:
    @pytest.mark.parametrize("family", [Bernoulli(), Poisson(), Exponential()])
    @pytest.mark.parametrize("level", [0.001, 1.0, 20.7, 50.0])
    def test_kl_upper_is_right_to_some_units(self, family, level):
        """Eight units above and below it D is on either side of the bound."""
        for n, mean in histories(family):
            bound = level / n
            root = family.kl_upper(mean, bound)
            units = 8 * (1 + bound) if isinstance(family, Exponential) else 8
            below = max(root - units * ulp(root), mean)
            above = root + units * ulp(root)
            assert exact_kl(family, mean, below) <= Decimal(bound), (n, mean)
            if not (isinstance(family, Bernoulli) and above >= 1.0):
                assert exact_kl(family, mean, above) >= Decimal(bound), (n, mean)

    def test_kl_upper_of_one_success_in_a_billion(self):
        """The plain formula had a relative error of 2.6e-8 here."""
        bound = 2.07e-8
        root = Bernoulli().kl_upper(1e-9, bound)
        slope = (root - 1e-9) / (root * (1 - root))
        error = float(exact_kl(Bernoulli(), 1e-9, root) - Decimal(bound)) / slope
        assert abs(error) <= 4 * ulp(root)

    @pytest.mark.parametrize("family", [Bernoulli(), Poisson(), Exponential()])
    @pytest.mark.parametrize("mean", [1e-200, 1e-100, 1e-60, 1e-51, 1e-20, 1e-9])
    @pytest.mark.parametrize("bound", [1e-9, 1e-3, 0.3, 5.0, 50.0])
    def test_kl_upper_of_tiny_means(self, family, mean, bound):
        """As accurate as elsewhere, and never below the mean. The bounds are in units of the mean
        too, where roots of Bernoulli and Poisson are of its size."""
        for each in {bound, bound if isinstance(family, Exponential) else bound * mean}:
            root = family.kl_upper(mean, each)
            units = 8 * (1 + each) * ulp(root)
            assert root > mean
            assert exact_kl(family, mean, max(root - units, mean)) <= Decimal(each)
            if not (isinstance(family, Bernoulli) and root + units >= 1.0):
                assert exact_kl(family, mean, root + units) >= Decimal(each)

    @pytest.mark.parametrize("n", [10, 10**6, 10**9, 10**12])
    @pytest.mark.parametrize("more", [1, 50, 10**5, 10**13])
    def test_klucb_plus_has_all_digits_of_log_t_over_n(self, n, more):
        """log t - log n was off by 8e-8 of itself for n = 10^9 and t = n + 50."""
        rule, clock = KLUCB(upto="plus"), Clock(n + more, 0)
        found = rule.allowed(float(n), rule.level(Bernoulli(), Arms.fresh(2), clock))
        with localcontext() as context:
            context.prec = 50
            assert found == pytest.approx(float((Decimal(n + more) / Decimal(n)).ln()), rel=4e-16)

    @pytest.mark.parametrize("family", [Bernoulli(), Poisson(), Exponential()])
    @pytest.mark.parametrize("mean", [1e-200, 1e-20, 1e-9, 0.3, 0.999999])
    @pytest.mark.parametrize("ratio", [1e-3, 0.5, 1 - 1e-3, 1 - 1e-6, 1 + 1e-6, 1.0000005, 3.0])
    def test_kl_is_right_relative_to_its_terms(self, family, mean, ratio):
        """Near p the terms are |p - q| in size, or |p - q| / q for Exponential."""
        other = mean * ratio
        if isinstance(family, Bernoulli) and other >= 1.0:
            pytest.skip("the other mean is outside the range")
        exact = float(exact_kl(family, mean, other))
        scale = abs(mean - other) / (other if isinstance(family, Exponential) else 1.0)
        assert abs(family.kl(mean, other) - exact) <= 8e-16 * (exact + scale)


class TestRBMLE:
    @pytest.mark.parametrize("family", [Exponential(), Gamma(2.5)])
    @pytest.mark.parametrize(("total", "alpha"), [(1e17, 1.0), (3.0, 1e-15), (1e300, 2.0)])
    def test_index_does_not_cancel(self, family, total, alpha):
        """n log(S / (S + alpha)) = -n alpha / S (1 - ...), which was 0."""
        weight = getattr(family, "shape", 1.0)
        index = family.bias_index(7.0, total, alpha)
        assert index == pytest.approx(-weight * 7.0 * alpha / total, rel=1e-12)

    @pytest.mark.parametrize("n", [1e3, 1e6, 1e9, 1e12])
    @pytest.mark.parametrize("mean", [0.0, 1e-3, 0.3, 0.9, 5.0, 1e4])
    def test_the_index_of_counts_has_all_digits(self, n, mean):
        """n (F*(nu + alpha/n) - F*(nu)) was off by 2e-8 of itself for n = 10^9."""
        total, alpha = round(n * mean), 30.0
        with localcontext() as context:
            context.prec = 60
            pulls, one, other = Decimal(n), Decimal(total), Decimal(total + alpha)
            exact = other * (other / pulls).ln() - Decimal(alpha)
            exact -= one * (one / pulls).ln() if one > 0 else 0
        found = Poisson().bias_index(n, float(total), alpha)
        assert found == pytest.approx(float(exact), rel=2e-15)

    @pytest.mark.slow
    def test_finds_the_best_arm_at_a_large_scale(self):
        means = [1e17, 5e17, 2e17]
        result = simulate(Problem(Exponential(), means), [RBMLE()], 2000, 20, RewardStream(2))
        assert result.pulls[0, :, 1].mean() > 1500


SMALL, LARGE = Gaussian(1e-160), Gaussian(1e99, 0.0, 1e99)


class TestGaussian:
    @pytest.mark.parametrize("scale", [1e-250, 1e-160, 1e-60, 1e60, 1e99])
    def test_posterior_is_the_same_in_other_units(self, scale):
        """The posterior of rewards in units of `scale` is that of the rewards, in these units."""
        unit = Gaussian(0.5, 0.3, 2.0)
        scaled = Gaussian(0.5 * scale, 0.3 * scale, 2.0 * scale)
        for pulls, total in ((1.0, 0.7), (40.0, -13.0)):
            asked = ((g, pulls, total * s) for g, s in ((unit, 1.0), (scaled, scale)))
            plain, other = ((g.posterior_mean(n, t), g.posterior_sd(n, t)) for g, n, t in asked)
            assert np.array(other) / scale == pytest.approx(np.array(plain), rel=1e-14)

    def test_a_prior_that_is_much_wider_or_narrower_than_rewards(self):
        assert Gaussian(1e-160).posterior_mean(4.0, 2.0) == 0.5
        assert Gaussian(1e-160).posterior_sd(4.0, 2.0) == 0.5e-160
        assert Gaussian(1e-160, 0.0, inf).posterior_sd(4.0, 2.0) == 0.5e-160
        assert Gaussian(1.0, 0.25, 1e-160).posterior_mean(4.0, 2.0) == 0.25
        assert Gaussian(1.0, 0.25, 1e-160).posterior_sd(4.0, 2.0) == 1e-160
        assert Gaussian(1.0, 0.25, 1e-160).posterior_variance(4.0, 2.0) < 1e-300

    @pytest.mark.parametrize("sigma", [0.05, 1.0, 3.0])
    def test_ordinary_numbers_go_through_squares(self, sigma):
        """Ordinary numbers use the formulas by which the published tables were compared, bit for
        bit."""
        family, n, total = Gaussian(sigma), 7.0, 3.3
        precision = 1.0 / (1.0 * 1.0) + n / (sigma * sigma)
        assert family.posterior_mean(n, total) == (0.0 + total / (sigma * sigma)) / precision
        assert family.posterior_sd(n, total) == 1.0 / sqrt(precision)

    @pytest.mark.slow
    @pytest.mark.parametrize("policy", [ThompsonSampling(), BayesUCB(), KG(), KGStar()], ids=str)
    @pytest.mark.parametrize(
        ("family", "means"),
        [(SMALL, [0.0, 1.0]), (SMALL, [0.0, 9e-160]), (LARGE, [0.0, 9e99])],
    )
    def test_policies_find_the_best_arm(self, policy, family, means):
        result = simulate(Problem(family, means), [policy], 300, 5, RewardStream(1))
        assert (result.pulls[0, :, 1] > 280).all()

    def test_vids_refuses_what_it_cannot_integrate(self):
        with pytest.raises(ParameterError, match="VIDS: 'family' must be one with sigma in "):
            simulate(Problem(SMALL, [0.0, 1.0]), [VIDS()], 10, 1)


class TestUCBTuned:
    def test_variance_is_never_negative(self):
        """Rewards 1e8 + 0.1 three times: the mean of squares is below the square of the mean."""
        x = 1e8 + 0.1
        arms = Arms(np.array([3.0]), np.array([x + x + x]), np.array([x * x + x * x + x * x]))
        lowest = Arms(np.array([3.0]), np.array([x + x + x]), np.array([x * x * 2.9999999]))
        policy = UCBTuned(inf)
        for each in (arms, lowest):
            assert policy.index_of(Gaussian(), each, 0, 1e-6) >= each.mean(0)

    @pytest.mark.slow
    def test_squares_that_overflow(self):
        arms = Arms(np.array([2.0]), np.array([2e200]), np.array([inf]))
        assert UCBTuned().index_of(Gaussian(), arms, 0, 1.0) == 1e200
        result = simulate(Problem(Gaussian(), [1e100, 0.0]), [UCBTuned()], 50, 2)
        assert (result.pulls[0, :, 0] == 49).all()


class TestRefusals:
    def test_poisson_means_beyond_the_whole_numbers(self):
        with pytest.raises(ParameterError, match=r"numbers in \[0, 1e\+15\] for Poisson"):
            Problem(Poisson(), [1e20, 1.0])

    @pytest.mark.slow
    def test_a_posterior_draw_whose_rate_underflows_is_infinite(self):
        """With shape 0.002 a quarter of the draws are below the smallest float."""
        family = Gamma(0.001, 0.001, 1.0)
        problem = Problem(family, [0.1, 1.0])
        result = simulate(problem, [ThompsonSampling()], 50, 4)
        assert isfinite(result.final_regret.sum())


def test_binomial_with_many_trials_solves_to_some_units():
    family = Binomial(10**9)
    root = family.kl_upper(1.0, 20.0)
    coin = Bernoulli().kl_upper(1e-9, 2e-8)
    assert root == pytest.approx(1e9 * coin, rel=1e-14)
    assert nextafter(root, inf) > root
