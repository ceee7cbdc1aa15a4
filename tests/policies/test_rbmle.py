"""RBMLE's index: the paper's lemmas, the boundary, and the bias-growth rates."""

from math import inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle.engine import simulate
from rbmle.families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.policies import (
    RBMLE,
    AdaptiveBernoulli,
    AdaptiveExponential,
    AdaptiveGaussian,
    BetaBias,
    LogBias,
)
from rbmle.policies.arms import Arms, Clock
from rbmle.random import Draws
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream

FAMILIES = [Bernoulli(), Gaussian(1.5), Exponential(), Poisson(), Gamma(2.5), Binomial(6)]
LAWS = settings(max_examples=150, derandomize=True, deadline=None)
FIRST = Draws(0, 0, 0, 1, False)
NO_STATE = np.zeros(0)


def scale(family):
    """The upper end of the means tried: that of the family, or 3."""
    return min(family.mean_range()[1], 3.0)


def arms_of(pulls, sums):
    pulls, sums = np.array(pulls, float), np.array(sums, float)
    return Arms(pulls, sums, sums)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
class TestLemma1:
    """The index falls with n and rises with nu. Infinite indices are ranked by their excess."""

    @LAWS
    @given(st.floats(0.01, 0.95), st.floats(1, 500), st.floats(1.05, 8), st.floats(0.1, 60))
    def test_falls_with_n(self, family, share, n, factor, alpha):
        nu, more = share * scale(family), n * factor
        few, many = (family.bias_index(m, m * nu, alpha) for m in (n, more))
        assert few > many or few == many == inf

    @LAWS
    @given(st.floats(0.01, 0.9), st.floats(1.01, 1.1), st.floats(1, 500), st.floats(0.1, 60))
    def test_rises_with_the_mean(self, family, share, factor, n, alpha):
        nu = share * scale(family)
        low, high = (family.bias_index(n, n * x, alpha) for x in (nu, factor * nu))
        assert low < high or low == high == inf

    @LAWS
    @given(st.floats(0.01, 0.95), st.floats(0.5, 50), st.floats(0.1, 60))
    def test_is_alpha_times_xi(self, family, share, k, alpha):
        """I(nu, k alpha, alpha) = alpha xi(k; nu), in Gaussian units of alpha / sigma^2."""
        nu, n = share * scale(family), k * alpha
        unit = alpha / family.sigma**2 if isinstance(family, Gaussian) else 1.0
        index, xi = unit * family.bias_index(n, n * nu, alpha), family.xi(k, nu)
        assert index == pytest.approx(alpha * xi, rel=1e-9, abs=1e-9) or index == xi == inf


def index(boundary, nu, n, alpha):
    return RBMLE(boundary=boundary).index_of(Bernoulli(), arms_of([n], [n * nu]), 0, alpha)


def test_printed_and_published_bernoulli_indices_break_lemma_1():
    """With alpha = 20 these two indices do not fall with n."""
    assert index("corollary", 0.5, 20.0, 20.0) > index("corollary", 0.5, 10.0, 20.0)
    assert index("published", 0.9, 190.0, 20.0) > index("published", 0.9, 160.0, 20.0)
    assert index("exact", 0.5, 20.0, 20.0) == index("exact", 0.5, 10.0, 20.0) == inf
    assert index("exact", 0.9, 190.0, 20.0) == inf
    assert index("exact", 0.9, 300.0, 20.0) < index("exact", 0.9, 250.0, 20.0) < inf


@pytest.mark.parametrize("boundary", ["exact", "corollary", "published"])
def test_boundaries_agree_inside_the_range(boundary):
    assert index(boundary, 0.4, 50.0, 6.0) == pytest.approx(index("exact", 0.4, 50.0, 6.0))


def test_infinite_indices_rank_by_excess_then_by_fewer_pulls():
    """alpha - (N - S) decides, then fewer pulls; a finite index never wins over an infinite one."""
    policy, family, clock = RBMLE(LogBias(5.0)), Bernoulli(), Clock(400, 0)
    alpha = 5.0 * log(400)  # about 30

    def choose(pulls, sums):
        return policy.choose(NO_STATE, family, arms_of(pulls, sums), clock, FIRST)

    assert choose([40, 45, 60], [20, 30, 50]) == 2  # 20, 15 and 10 failures
    assert choose([40, 30, 35], [30, 20, 25]) == 1  # 10 failures each: the fewest pulls
    assert choose([100, 20], [95, 4]) == 0  # 5 failures against 16
    assert choose([4000, 35], [3900, 6]) == 1  # 100 failures exceed alpha: finite
    assert alpha < 100
    many = Binomial(4)
    assert policy.choose(NO_STATE, many, arms_of([10, 12], [30, 39]), clock, FIRST) == 1


def test_limit_of_finite_indices_is_the_ranking():
    """Just inside the range the finite index is larger, the closer alpha is to N - S: no jump in
    who is preferred at the boundary."""
    family = Bernoulli()
    near = [family.bias_index(50.0, s, 30.0 - 1e-9) for s in (20.0,)]
    assert near[0] < inf
    assert family.bias_index(50.0, 20.0, 30.0) == inf


@pytest.mark.parametrize("means", [[0.99, 0.95, 0.9, 0.8], [0.1, 0.5, 0.9, 0.95]])
def test_exact_index_does_not_lock_onto_a_bad_arm(means):
    """Where means are near 1 the published form has regret of another order."""
    problem = Problem(Bernoulli(), means)
    forms = [RBMLE(), RBMLE(boundary="published")]
    result = simulate(problem, forms, 10_000, 60, RewardStream(3), checkpoints=[10_000])
    exact, published = result.final_regret.mean(axis=1)
    assert 2.0 * exact < published


def test_beta_bias_is_log_t_to_the_three_halves():
    clock = Clock(1000, 0)
    assert BetaBias().alpha(None, None, clock) == sqrt(log(1000)) * log(1000)
    assert BetaBias(1.0).alpha(None, None, clock) == pytest.approx(log(1000) ** 2)
    assert LogBias(3.0).alpha(None, None, clock) == 3.0 * log(1000)
    assert RBMLE(3).alpha == LogBias(3.0)


class TestAdaptive:
    """Algorithms 1 to 3: beta(t) governs until the gap is known to be positive, then C_alpha."""

    apart = arms_of([1e6, 1e6, 1e6], [1e5, 5e5, 9e5])
    close = arms_of([30, 30, 30], [14, 15, 16])
    clock = Clock(3_000_000, 0)

    @pytest.mark.parametrize(
        ("bias", "family"),
        [
            (AdaptiveGaussian(), Gaussian()),
            (AdaptiveBernoulli(), Bernoulli()),
            (AdaptiveExponential(lower=0.05, rho=1, kappa=1), Exponential()),
        ],
    )
    def test_beta_governs_while_the_gap_may_be_zero(self, bias, family):
        assert bias.c_alpha(family, self.close, Clock(91, 0), 2.0) == inf
        assert bias.alpha(family, self.close, Clock(91, 0)) == pytest.approx(log(91) ** 1.5)

    @pytest.mark.parametrize("constant", ["text", "proof", "script"])
    def test_algorithm_1_by_hand(self, constant):
        sigma, n_arms, log_t = 0.2, 3, log(3_000_000)
        bias = AdaptiveGaussian(sigma, constant=constant)
        factor = 1.0 if constant == "script" else 2 * sigma**2
        width = sqrt(factor * (n_arms + 2) * log_t / 1e6)
        c = 256 * sigma**2 / (0.9 - 0.5 - 2 * width)
        c *= {"text": 1.0, "proof": n_arms + 2, "script": log_t}[constant]
        assert bias.c_alpha(Gaussian(), self.apart, self.clock, 99.0) == pytest.approx(c)
        alpha = min(c, sqrt(log_t)) * log_t
        assert bias.alpha(Gaussian(), self.apart, self.clock) == pytest.approx(alpha)

    def test_estimate_binds_in_a_run_and_lowers_alpha(self):
        """With a small sigma the estimate is soon below beta(t), and stays above its target."""
        bias = AdaptiveGaussian(0.05)
        c = bias.c_alpha(Gaussian(), self.apart, self.clock, 99.0)
        assert 256 * 0.05**2 / 0.4 < c < sqrt(log(3_000_000))

    @pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.45])
    @pytest.mark.parametrize("beta", [0.5, 20.0, 500.0, 1e4, 1e6])
    def test_quick_check_equals_the_direct_computation(self, epsilon, beta):
        """min(C, beta) is the same whether C is computed or only known to exceed beta."""
        for bias, family in (
            (AdaptiveBernoulli(epsilon), Bernoulli()),
            (AdaptiveExponential(1, 1, epsilon, lower=0.05), Exponential()),
        ):
            high = 1.0 if isinstance(family, Bernoulli) else inf
            lower = 0.0 if isinstance(family, Bernoulli) else 0.05
            gap, top = bias.gap_and_top(self.apart, self.clock, lower, high)
            assert gap > 0.0
            e = epsilon * gap
            coin = isinstance(family, Bernoulli)
            numerator = 5 / (2 * e**2) if coin else 16 * (e + 2) / e**2
            direct = numerator / family.k_star(top - e / 2, lower)
            quick = bias.c_alpha(family, self.apart, self.clock, beta)
            assert min(quick, beta) == pytest.approx(min(direct, beta), rel=1e-9)

    def test_algorithm_3_cannot_bind_at_lower_bound_zero(self):
        """F* is infinite at 0 for exponential rewards, so K* = 0 and C_alpha is infinite."""
        assert Exponential().k_star(0.5, 0.0) == 0.0
        bias = AdaptiveExponential(rho=1, kappa=1)
        assert bias.c_alpha(Exponential(), self.apart, self.clock, 1e9) == inf

    @pytest.mark.parametrize("bounds", ["tail", "appendix", "text"])
    def test_widths_of_algorithm_3(self, bounds):
        bias = AdaptiveExponential(2.0, 3.0, bounds=bounds)
        length, n = 7 * 4.0, 50.0
        inner = {"tail": n, "appendix": 1.0, "text": 0.0}[bounds] * 2 * 4 * length
        width = (3 * length + sqrt((3 * length) ** 2 + inner)) / n
        width += 2 * 4 * length / n if bounds == "text" else 0.0
        assert bias.width(n, 5, 4.0) == pytest.approx(width)
