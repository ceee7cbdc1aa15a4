"""Statements of the paper that fail, each with the smallest counterexample found."""

from __future__ import annotations

from math import exp, inf, log, sqrt

import numpy as np
import pytest
import scipy.stats

from rbmle import theory
from rbmle.engine import simulate
from rbmle.families import Bernoulli, Exponential, Gamma, Poisson
from rbmle.policies import RBMLE, AdaptiveBernoulli, AdaptiveGaussian, LogBias
from rbmle.policies.arms import Arms, Clock
from rbmle.rewards.laws import TwoPoint
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream


class TestErrata:
    """Statements of the paper that fail, each with the smallest counterexample found."""

    def test_lemma_k1_lacks_a_factor_n(self):
        """The mean of two N(0, 1), which are (1, kappa)-sub-Exponential for every kappa, has a
        larger tail than printed."""
        n, delta, rho, kappa = 2, 2.0, 1.0, 0.01
        tail = scipy.stats.norm.sf(delta * sqrt(n))  # 0.0023
        printed = exp(-(n**2) * delta**2 / (2 * (n * kappa * delta + rho**2)))  # 0.0005
        repaired = exp(-n * delta**2 / (2 * (kappa * delta + rho**2)))
        assert printed < 0.25 * tail < tail < repaired

    @pytest.mark.parametrize("law", [Exponential(), Gamma(5.0), Poisson()], ids=repr)
    def test_the_repaired_tail_holds(self, law):
        rho, kappa = law.sub_exponential(1.0)
        for n in (1, 5, 30):
            total = {
                Exponential: scipy.stats.gamma(n),
                Gamma: scipy.stats.gamma(5 * n, scale=0.2),
                Poisson: scipy.stats.poisson(n),
            }[type(law)]
            for delta in np.linspace(0.05, 4, 40):
                bound = exp(-n * delta**2 / (2 * (kappa * delta + rho**2)))
                assert total.sf(n * (1 + delta)) <= bound
                assert total.cdf(n * (1 - delta) - 1e-9) <= bound

    @pytest.mark.slow
    def test_proposition_5_fails_where_an_empirical_mean_is_below_the_bound_on_the_means(self):
        """Coins with means 0.6 and 0.2, the exponential index, lower = 0.2 as a bound on the means.

        If the better coin's first reward is 0 its index is minus infinity for ever: regret is
        linear at any C_alpha, while the proposition bounds it by a multiple of log T.
        """
        problem, family, T = Problem(TwoPoint(), [0.6, 0.2]), Exponential(), 100_000
        bound = theory.regret_bound(problem, T, 5, epsilon=0.9, lower=0.2, family=family)
        policy = RBMLE(LogBias(bound.c_alpha))
        points = [T // 10, T]
        regret = (
            simulate(problem, [policy], T, 60, RewardStream(1), family=family, checkpoints=points)
            .regret[0]
            .mean(axis=0)
        )
        assert regret[1] > 2 * bound.total
        assert regret[1] > 7 * regret[0]

    def test_the_clipped_corollary_has_no_admissible_constant(self):
        """With Corollary 1's clipping xi(k; 0) is 0 for all k <= 1, below natural(theta') for
        every theta' > 1/2: K* would be 0, and C_alpha of Proposition 2 and Algorithm 2 infinite."""
        arms = Arms(np.array([0.5]), np.array([0.0]), np.array([0.0]))
        assert RBMLE(boundary="corollary").index_of(Bernoulli(), arms, 0, 1.0) == 0.0
        assert RBMLE().index_of(Bernoulli(), arms, 0, 1.0) == inf

    def test_the_constant_of_algorithm_2_is_not_that_of_proposition_2(self):
        """By Pinsker's inequality 4/D(theta_1 - e/2, theta_1) <= 8/e^2, e = epsilon Delta; the
        algorithm has (N + 2)/(2 e^2), which is 2/e^2 for two arms: a quarter."""
        problem = Problem(Bernoulli(), [0.6, 0.2])
        target = theory.adaptive_target(problem, AdaptiveBernoulli(0.25))
        printed = theory.smallest_c_alpha(problem, 2, 0.25)
        assert 3.5 < printed / target < 4.0
        assert theory.smallest_c_alpha(problem, 2, 0.25, sharp=True) < target

    def test_algorithm_2_cannot_take_over_before_e_to_the_64(self):
        """Its constant is above 8 whatever the means, and sqrt(log t) reaches 8 at e^64."""
        least = min(
            theory.adaptive_target(Problem(Bernoulli(), [best, other]), AdaptiveBernoulli(0.4999))
            for best in np.linspace(0.05, 0.999, 40)
            for other in np.linspace(0.001, best - 0.02, 5)
        )
        assert 8.0 < least < 9.0

    @pytest.mark.parametrize(("n_arms", "share"), [(2, 1 / 2 - 1 / sqrt(128)), (3, 0.0)])
    def test_the_proof_of_proposition_6_drops_a_factor(self, n_arms, share):
        """Case 1 claims that the estimated gap is at least Delta / 2 on the good event. Its width
        has N + 2, the claim's has not: at the edge of the event two arms give 0.41 Delta, three
        give nothing."""
        sigma, gap, log_t = 1.0, 1.0, log(1e6)
        m = 256 * sigma**2 * (n_arms + 2) / gap**2 * log_t
        pulls = np.full(n_arms, m / 8)
        pulls[1] = 4 * m  # arm a
        scheme = AdaptiveGaussian(sigma)
        width = np.array([scheme.width(n, n_arms, log_t) for n in pulls])
        means = width.copy()
        means[0] = gap - width[0]
        arms = Arms(pulls, pulls * means, pulls)
        estimate, _ = scheme.gap_and_top(arms, Clock(1_000_000, 0), -inf, inf)
        assert estimate == pytest.approx(gap * share, rel=1e-9, abs=1e-9)
