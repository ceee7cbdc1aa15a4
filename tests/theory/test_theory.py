"""`rbmle.theory`: values by hand, limits, and one sentence for each refusal."""

from __future__ import annotations

from math import e, exp, inf, log, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle import theory
from rbmle.engine import simulate
from rbmle.errors import ParameterError
from rbmle.families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.policies import (
    AdaptiveBernoulli,
    AdaptiveExponential,
    AdaptiveGaussian,
    Assuming,
    BetaBias,
    LogBias,
)
from rbmle.rewards.laws import Beta, Laplace, TwoPoint, Uniform
from rbmle.rewards.problems import Problem

FAMILIES = [Bernoulli(), Gaussian(1.5), Exponential(), Poisson(), Gamma(2.5), Binomial(6)]
LAWS = settings(max_examples=100, derandomize=True, deadline=None)

every_family = pytest.mark.parametrize("family", FAMILIES, ids=repr)


def mean_at(family, u: float) -> float:
    return u * min(family.mean_range()[1], 3.0)


class TestFunctions:
    @every_family
    def test_limits_of_xi(self, family):
        nu = mean_at(family, 0.4)
        assert theory.xi(family, inf, nu) == family.natural(nu)
        assert theory.xi(family, 1e12, nu) == pytest.approx(family.natural(nu), rel=1e-9)
        positive = isinstance(family, (Exponential, Gamma))
        assert theory.xi(family, 0.0, nu) == theory.xi(family, 1e-310, nu)
        assert theory.xi(family, 0.0, nu) == (0.0 if positive else inf)
        near = theory.xi(family, 1e-200, nu)
        assert -1e-100 < near <= 0.0 if positive else near > 100.0

    def test_xi_at_the_ends_of_the_means(self):
        assert theory.xi(Bernoulli(), inf, 0.0) == -inf
        assert theory.xi(Bernoulli(), 5.0, 1.0) == inf
        assert theory.xi(Bernoulli(), 1.0, 0.0) == inf
        assert theory.xi(Exponential(), 5.0, 0.0) == -inf
        assert theory.xi(Poisson(), 5.0, 0.0) == pytest.approx(-log(5.0) - 1.0)

    @every_family
    @LAWS
    @given(st.floats(0.05, 0.9), st.floats(0.0, 9.0))
    def test_xi_is_the_average_natural_parameter(self, family, u, exponent):
        """So it lies between natural(nu) and natural(nu + 1/k), and for large k near natural(nu +
        1/(2 k))."""
        nu, k = mean_at(family, u), 10.0**exponent * 20.0
        low, middle = family.natural(nu), family.natural(nu + 0.5 / k)
        if nu + 1.0 / k < family.mean_range()[1]:
            value = theory.xi(family, k, nu)
            assert low <= value <= family.natural(nu + 1.0 / k)
            if k > 1e5:
                assert value == pytest.approx(middle, rel=1e-8, abs=1e-8)

    @every_family
    @LAWS
    @given(st.floats(0.05, 0.6), st.floats(1e-6, 0.3))
    def test_k_star_of_close_means(self, family, u, rise):
        """natural(theta') is natural(theta'' + 1/(2 k)) in the limit of close means."""
        lower = mean_at(family, u)
        upper = lower * (1.0 + rise)
        k = theory.k_star(family, upper, lower)
        assert theory.xi(family, k * (1 + 1e-9), lower) <= family.natural(upper)
        assert theory.xi(family, k * (1 - 1e-9), lower) >= family.natural(upper)
        if rise < 1e-3:
            assert 2.0 * k * (upper - lower) == pytest.approx(1.0, abs=rise + 2e-9 / rise)

    def test_k_star_in_closed_form(self):
        assert theory.k_star(Gaussian(3.0), 2.0, 0.5) == pytest.approx(1.0 / 3.0, rel=1e-12)
        assert theory.k_star(Poisson(), 2.0, 0.0) == pytest.approx(1.0 / (2.0 * e), rel=1e-12)
        assert theory.k_star(Bernoulli(), 1.0, 0.5) == 2.0
        assert theory.k_star(Bernoulli(), 0.3, 0.3) == inf

    def test_k_star_where_xi_jumps(self):
        """For theta' > 1/2 no k solves the equation of Lemma 2's proof at theta'' = 0."""
        family = Bernoulli()
        k = theory.k_star(family, 0.9, 0.0)
        assert k == pytest.approx(1.0, rel=1e-15)
        assert theory.xi(family, 1.0, 0.0) == inf
        assert theory.xi(family, 1.0 + 1e-9, 0.0) < 1e-6 < family.natural(0.9)

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ((Bernoulli(), 0.3, 0.4), "K* is infinite"),
            ((Bernoulli(), 0.9, 0.0), "K* = 1: theta'' + 1/k reaches the upper end 1"),
            ((Exponential(), 1.0, 0.0), "K* = 0: F* is infinite"),
            ((Gaussian(), 1.0, 0.5), "K* = 1 solves"),
        ],
    )
    def test_k_star_says_what_it_is(self, arguments, says):
        assert theory.explain_k_star(*arguments).startswith(says)

    def test_divergence(self):
        assert theory.divergence(Gaussian(2.0), 1.0, 3.0) == 0.5
        assert theory.divergence(Bernoulli(), 0.0, 0.5) == pytest.approx(log(2.0))
        assert theory.divergence(Poisson(), 1.0, 0.0) == inf


class TestConstants:
    def test_gaussian(self):
        problem = Problem(Gaussian(0.5), [0.2, 1.0, 0.6])
        assert theory.smallest_c_alpha(problem, 3) == pytest.approx(256 * 0.25 / 0.4)
        assert theory.smallest_c_alpha(problem, 4, sharp=True) == pytest.approx(16 * 0.25 / 0.4)

    def test_bernoulli_by_hand(self):
        problem, family = Problem(Bernoulli(), [0.9, 0.1]), Bernoulli()
        c = theory.smallest_c_alpha(problem, 2, epsilon=0.5)
        assert c == pytest.approx(4.0 / family.kl(0.7, 0.9))  # K*(0.7, 0) = 1
        sharp = theory.smallest_c_alpha(problem, 2, epsilon=0.5, sharp=True)
        assert sharp == pytest.approx(4.0 / (log(9.0) - log(7.0 / 3.0)))

    def test_sub_exponential_by_hand(self):
        problem = Problem(Exponential(), [1.0, 0.2])
        c = theory.smallest_c_alpha(problem, 5, epsilon=0.5, family=Poisson())
        assert c == pytest.approx(16 * (2 * 0.4 + 8) / 0.16 * (e * 0.8))

    @every_family
    @pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.95])
    def test_sharp_is_the_supremum_over_empirical_means(self, family, epsilon):
        """4 / (natural gap) is the largest 4 / (D(nu, theta_1) K*(theta', nu)): what the event
        of the proof allows the best arm's empirical mean to be, and no more than the printed."""
        problem = Problem(family, [mean_at(family, 0.75), mean_at(family, 0.3)])
        best = problem.means[0]
        target = best - epsilon * problem.gaps[1] / 2
        sharp = theory.smallest_c_alpha(problem, 2, epsilon, sharp=True)
        low = family.mean_range()[0] if family.mean_range()[0] > -inf else -30.0
        nus = low + (target - low) * np.linspace(1e-4, 1 - 1e-4, 500)
        values = [4 / (family.kl(nu, best) * family.k_star(target, nu)) for nu in nus.tolist()]
        assert max(values) <= sharp * (1 + 1e-9)
        assert max(values) > 0.99 * sharp
        lower = None if family.mean_range()[0] > -inf else 0.0
        if lower is None:
            assert sharp <= theory.smallest_c_alpha(problem, 2, epsilon, lower)

    def test_sharp_for_sub_exponential_rewards(self):
        problem = Problem(Gamma(50.0), [1.0, 0.3])
        printed = theory.smallest_c_alpha(problem, 5, family=Poisson())
        sharp = theory.smallest_c_alpha(problem, 5, family=Poisson(), sharp=True)
        assert 0.01 * printed < sharp < printed
        assert theory.smallest_c_alpha(problem, 5, sharp=True) == inf

    def test_no_constant_is_enough_for_exponential_rewards_bounded_by_zero(self):
        problem = Problem(Exponential(), [1.0, 0.2])
        assert theory.smallest_c_alpha(problem, 2) == inf
        assert theory.smallest_c_alpha(problem, 5) == inf
        assert theory.smallest_c_alpha(problem, 2, lower=0.1) < inf
        with pytest.raises(ParameterError, match="above the mean at which K"):
            theory.theoretical_rbmle(problem, 2)

    @pytest.mark.slow
    def test_a_study_can_ask_for_it(self):
        problem = Problem(Uniform(0.4), [0.3, 0.75])
        policy = theory.theoretical_rbmle(problem, 4)
        assert policy.alpha == LogBias(theory.smallest_c_alpha(problem, 4))
        result = simulate(problem, [Assuming(policy, Gaussian(0.1))], 200, 2)
        assert result.final_regret.shape == (1, 2)


class TestBounds:
    def test_proposition_2_term_by_term(self):
        family = Bernoulli()
        problem = Problem(family, [0.2, 0.9, 0.5])
        bound = theory.regret_bound(problem, 1000, 2, epsilon=0.5)
        k = family.k_star(0.9 - 0.1, 0.5 + 0.1)
        first, second = 4 / family.kl(0.6, 0.5), bound.c_alpha * k
        assert bound.coefficients[2] == pytest.approx(max(first, second))
        assert bound.coefficients[1] == bound.constants[1] == bound.pulls[1] == 0.0
        assert bound.constants[0] == pytest.approx(1 + pi**2 / 3)
        assert bound.total == pytest.approx(bound.slope * log(1000) + bound.constant)
        assert bound.at([10, 1000])[1] == bound.total
        assert bound.at([10, 1000])[0] == theory.regret_bound(problem, 10, 2).total

    @pytest.mark.parametrize("proposition", [3, 4])
    def test_gaussian_bound(self, proposition):
        bound = theory.regret_bound(Problem(Gaussian(0.5), [0.0, 1.0, 0.5]), 1000, proposition, 200)
        assert bound.slope == pytest.approx(2 * 200 * 2)
        assert bound.constant == pytest.approx(1.5 * 2 * pi**2 / 3)

    def test_proposition_5_has_the_same_maximum_with_the_arms_own_gap(self):
        """Printed with the smallest gap in the first term; an admissible C_alpha hides it."""
        problem = Problem(Gamma(5.0), [1.0, 0.7, 0.1])
        bound = theory.regret_bound(problem, 1000, 5, family=Poisson())
        rho, kappa = 2 / 5**0.5, 2 / 5
        for arm in (1, 2):
            shift = 0.5 * problem.gaps[arm]
            proved = 16 * (kappa * shift + 2 * rho**2) / shift**2
            second = bound.c_alpha * Poisson().k_star(
                1.0 - shift / 2, problem.means[arm] + shift / 2
            )
            assert bound.coefficients[arm] == pytest.approx(second)
            assert second > proved

    def test_proposition_6(self):
        bound = theory.regret_bound(Problem(Gaussian(0.03), [0.0, 1.0]), 1000, 6)
        level = 256 * 0.03**2 * 4
        assert bound.wait == np.ceil(exp(level**2))
        assert bound.slope == pytest.approx(1024 * 0.03**2 * 4)
        assert bound.total == pytest.approx(bound.slope * log(1000) + 2 * pi**2 / 3)
        assert bound.informative
        far = theory.regret_bound(Problem(Gaussian(), [0.0, 1.0]), 1000, 6)
        assert far.wait == far.total == inf
        assert far.log_wait == pytest.approx(1024.0**2)
        assert not far.informative
        slow = theory.regret_bound(Problem(Gaussian(), [0.0, 1.0]), 1000, 6, power=4.0)
        assert slow.wait == np.ceil(exp(1024**0.25))

    def test_a_constant_that_is_too_small_is_refused(self):
        problem = Problem(Gaussian(0.5), [0.0, 1.0])
        theory.regret_bound(problem, 100, 3, c_alpha=4.0)  # 16 sigma^2 / Delta
        with pytest.raises(ParameterError, match="'c_alpha' must be at least 4 for this problem"):
            theory.regret_bound(problem, 100, 3, c_alpha=3.9)

    def test_which_propositions_apply(self):
        def those(law, means, family=None):
            obstacles = theory.applicable(Problem(law, means), family)
            return [number for number, obstacle in obstacles.items() if not obstacle]

        assert those(Bernoulli(), [0.2, 0.7]) == [2, 4, 5, 6]
        assert those(Gaussian(), [0.2, 0.7]) == [3, 4, 6]
        assert those(Exponential(), [0.2, 0.7]) == []
        assert those(Exponential(), [0.2, 0.7], Poisson()) == [5]
        assert those(Poisson(), [0.2, 0.7]) == [2, 5]
        assert those(Beta(), [0.2, 0.7]) == [4, 6]
        assert those(Beta(), [0.2, 0.7], Bernoulli()) == [4, 5, 6]
        assert those(Laplace(), [0.2, 0.7]) == []

    @every_family
    def test_lai_robbins(self, family):
        means = [mean_at(family, u) for u in (0.8, 0.3, 0.8, 0.5)]
        expected = sum((means[0] - m) / theory.divergence(family, m, means[0]) for m in means[1::2])
        problem = Problem(family, means)
        assert theory.lai_robbins(problem) == pytest.approx(expected)
        curve = theory.lower_bound(problem, [1, 10, 1000])
        assert curve == pytest.approx(expected * np.log([1, 10, 1000]))
        for proposition in (2, 3):
            if theory.applicable(Problem(family, means[:2]))[proposition] == "":
                bound = theory.regret_bound(Problem(family, means[:2]), 10, proposition)
                assert theory.lai_robbins(Problem(family, means[:2])) < bound.slope


FLAT, CLEAR = Problem(Bernoulli(), [0.5, 0.5]), Problem(Bernoulli(), [0.2, 0.5])
EDGE = Problem(Bernoulli(), [0.2, 1.0])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: theory.smallest_c_alpha(FLAT, 2), "'means' must be numbers with one best arm"),
        (lambda: theory.smallest_c_alpha(EDGE, 2), "inside (0, 1) for Bernoulli, off its ends"),
        (
            lambda: theory.regret_bound(FLAT, 9, 4),
            "'means' must be numbers with one best arm, a gap",
        ),
        (lambda: theory.regret_bound(EDGE, 9, 2), "inside (0, 1) for Bernoulli, off its ends"),
        (lambda: theory.regret_bound(CLEAR, 1, 2), "'horizon' must be a whole number in [2, inf)"),
        (lambda: theory.regret_bound(CLEAR, 9, 2, epsilon=1), "'epsilon' must be a number in (0"),
        (lambda: theory.smallest_c_alpha(CLEAR, 2, 0.0), "'epsilon' must be a number in (0, 1)"),
        (lambda: theory.smallest_c_alpha(CLEAR, 2, lower=0.3), "must be a number in [0, 0.2]"),
        (lambda: theory.smallest_c_alpha(CLEAR, 7), "'proposition' must be one of 2, 3, 4, 5, 6"),
        (lambda: theory.smallest_c_alpha(CLEAR, 6), "'proposition' must be one of 2, 3, 4, 5."),
        (lambda: theory.smallest_c_alpha(CLEAR, 3), "must be one with Gaussian rewards"),
        (lambda: theory.smallest_c_alpha([0.1, 0.2], 3), "'problem' must be a Problem"),
        (
            lambda: theory.smallest_c_alpha(Problem(Laplace(), [0, 1]), 4),
            "must be one with sub-Gaussian rewards",
        ),
        (
            lambda: theory.smallest_c_alpha(Problem(Gaussian(), [0, 1]), 2),
            "'lower' must be given, as Gaussian means have no lower bound",
        ),
        (
            lambda: theory.smallest_c_alpha(Problem(Gaussian(), [0, 1]), 5),
            "must be one whose rewards are never negative",
        ),
        (
            lambda: theory.smallest_c_alpha(Problem(Beta(), [0.2, 0.7]), 2),
            "must be one whose rewards are the assumed exponential family",
        ),
        (
            lambda: theory.smallest_c_alpha(Problem(Beta(), [0.2, 0.7]), 5),
            "'family' must be given for rewards of law Beta",
        ),
        (lambda: theory.smallest_c_alpha(CLEAR, 4, family=Poisson()), "'family' must be Gaussian"),
        (
            lambda: theory.regret_bound(Problem(Exponential(), [1, 2]), 9, 2),
            "Proposition 2: 'lower' must be above the mean at which K* is 0. Got 0.0.",
        ),
        (lambda: theory.regret_bound(CLEAR, 9, 6, c_alpha=3), "left out, as Algorithm 1 estimates"),
        (lambda: theory.regret_bound(CLEAR, 9, 6, power=0), "'power' must be a number in (0, inf)"),
        (lambda: theory.lai_robbins(EDGE), "inside (0, 1) for Bernoulli, off its ends"),
        (lambda: theory.lai_robbins(Problem(TwoPoint(), [0.1, 0.2])), "'family' must be given"),
        (lambda: theory.lower_bound(CLEAR, [0, 1]), "'rounds' must be numbers from 1 on"),
        (lambda: theory.growth_rate(CLEAR, 0.0), "'c_alpha' must be a number in (0, inf)"),
        (lambda: theory.divergence(Bernoulli(), 0.2, 1.2), "'m2' must be a number in [0, 1]"),
        (lambda: theory.divergence(Uniform(), 0.2, 0.3), "'family' must be a reward family"),
        (lambda: theory.xi(Bernoulli(), -1.0, 0.3), "'k' must be a number in [0, inf]"),
        (lambda: theory.xi(Poisson(), 1.0, -0.3), "'nu' must be a number in [0, inf)"),
        (lambda: theory.k_star(Gaussian(), 1.0, inf), "'m2' must be a number in (-inf, inf)"),
        (lambda: theory.adaptive_limit(CLEAR, BetaBias()), "'bias' must be one of Adaptive"),
        (lambda: theory.adaptive_trace(FLAT, AdaptiveBernoulli(), 99), "with one best arm"),
        (
            lambda: theory.adaptive_trace(CLEAR, AdaptiveBernoulli(), 2),
            "'horizon' must be a whole number in [3",
        ),
        (
            lambda: theory.adaptive_target(CLEAR, AdaptiveGaussian(constant="script")),
            "compares beta(t) with C_alpha, not 'script'",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call, sentence):
    with pytest.raises(ParameterError) as caught:
        call()
    text = str(caught.value)
    assert sentence in text
    assert "\n" not in text
    assert text.endswith(".")


def test_targets_of_the_schemes():
    gaussian = Problem(Gaussian(0.5), [0.0, 1.0, 0.4])
    assert theory.adaptive_target(gaussian, AdaptiveGaussian(0.5)) == pytest.approx(
        theory.smallest_c_alpha(gaussian, 4)
    )
    positive = Problem(Exponential(), [1.0, 0.2])
    scheme = AdaptiveExponential(2.0, 2.0, 0.4, lower=0.1)
    assert theory.adaptive_target(positive, scheme) == pytest.approx(
        theory.smallest_c_alpha(positive, 5, 0.4, lower=0.1)
    )
    assert theory.adaptive_target(positive, AdaptiveExponential()) == inf
    assert theory.adaptive_limit(positive, AdaptiveExponential()) == inf
