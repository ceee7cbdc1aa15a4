"""The paper's lemmas as properties.

Lemma 1 and the identity of xi are in policies/test_rbmle.py, the index as a maximum in
families/test_families.py.
"""

from __future__ import annotations

from math import exp, inf, log, sqrt

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from paper_cases import ALPHAS, COUNTS, FIRST, LAWS, SHARES, every_family, index, mean_at

from rbmle import theory
from rbmle.families import Gaussian, Poisson
from rbmle.policies import RBMLE, LogBias
from rbmle.policies.arms import Arms, Clock
from rbmle.rewards.problems import Problem


@every_family
class TestIndices:
    @LAWS
    @given(SHARES, SHARES, COUNTS, st.floats(1.001, 50), ALPHAS)
    def test_lemma_2(self, family, u, v, n1, factor, alpha):
        """If the worse arm has more than K*(mu1, mu2) alpha pulls, the better has the larger
        index."""
        low, high = sorted((u, v))
        if high - low < 1e-3:
            return
        better, worse = mean_at(family, high), mean_at(family, low)
        n2 = factor * theory.k_star(family, better, worse) * alpha
        assert index(family, better, n1, alpha) > index(family, worse, n2, alpha)

    @LAWS
    @given(SHARES, SHARES, SHARES, st.floats(0.01, 0.999), st.floats(1.001, 50), ALPHAS)
    def test_lemma_3(self, family, u, v, w, part, factor, alpha):
        """An arm with at most K*(mu0, mu1) alpha pulls beats one with more than K*(mu0, mu2)
        alpha."""
        top, (first, second) = max(u, v, w), sorted((u, v, w))[:2]
        if top - second < 1e-3:
            return
        mu0 = mean_at(family, top)
        for one, two in ((first, second), (second, first)):
            mu1, mu2 = mean_at(family, one), mean_at(family, two)
            n1 = part * theory.k_star(family, mu0, mu1) * alpha
            n2 = factor * theory.k_star(family, mu0, mu2) * alpha
            assert index(family, mu1, n1, alpha) > index(family, mu2, n2, alpha)

    @LAWS
    @given(SHARES, SHARES, SHARES)
    def test_k_star_falls_in_its_first_and_rises_in_its_second_mean(self, family, u, v, w):
        """Case 1 of the proof of Proposition 2 uses this."""
        low, middle, high = sorted((u, v, w))
        if min(middle - low, high - middle) < 1e-3:
            return
        a, b, c = (mean_at(family, each) for each in (low, middle, high))
        outer = theory.k_star(family, c, a)
        jumps = outer * (min(family.mean_range()[1], 1e9) - a) < 1.0 + 1e-12
        assert theory.k_star(family, c, b) > outer
        assert theory.k_star(family, b, a) > outer or jumps

    @LAWS
    @given(SHARES, SHARES, COUNTS, ALPHAS)
    def test_the_index_through_any_other_mean(self, family, u, v, n, alpha):
        """I(nu, n, alpha) = alpha natural(theta) - n D(nu, theta) + n D(nu + alpha/n, theta).

        With theta = theta_1 on the event n D(nu, theta_1) <= 4 log t, the best arm's index is at
        least alpha natural(theta_1) - 4 log t: Proposition 2 without a lower bound on the means.
        """
        nu, theta = mean_at(family, u), mean_at(family, v)
        value = index(family, nu, n, alpha)
        if value == inf:
            return
        terms = (
            alpha * family.natural(theta),
            -n * family.kl(nu, theta),
            n * family.kl(nu + alpha / n, theta),
        )
        size = max(map(abs, terms))
        assert value == pytest.approx(sum(terms), rel=1e-8, abs=1e-9 * (size + n))
        assert value >= terms[0] + terms[1] - 1e-9 * (size + n)

    @LAWS
    @given(SHARES, SHARES, st.floats(0.01, 0.99), st.floats(0.0, 1.0))
    def test_the_printed_constant_of_proposition_2_is_never_below_ours(
        self, family, u, v, epsilon, part
    ):
        """For any lower bound on the means: D <= (eta_1 - eta')(theta_1 - theta') and
        K* < 1/(theta' - lower), so that D K* < eta_1 - eta' as long as epsilon <= 1."""
        low, high = sorted((u, v))
        if high - low < 1e-2:
            return
        problem = Problem(family, [mean_at(family, high), mean_at(family, low)])
        lower = part * problem.means[1]
        printed = theory.smallest_c_alpha(problem, 2, epsilon, lower)
        assert theory.smallest_c_alpha(problem, 2, epsilon, sharp=True) <= printed * (1 + 1e-9)


@every_family
@pytest.mark.parametrize("seed", range(6))
def test_the_arm_of_the_joint_problem_has_the_largest_index(family, seed):
    """Appendix A: maximise over the parameters of three arms at once, by brute force; the arm with
    the largest parameter also has the largest index."""
    rng = np.random.default_rng(seed)
    pulls = rng.integers(2, 40, 3).astype(float)
    means = [mean_at(family, u) for u in rng.uniform(0.15, 0.5, 3)]
    sums = pulls * means
    high = family.mean_range()[1]
    room = min((high - m) * n for m, n in zip(means, pulls, strict=True))
    alpha = rng.uniform(0.2, min(0.8 * room, 6.0))
    grids, values = [], []
    for n, total in zip(pulls, sums, strict=True):
        plain, biased = family.natural(total / n), family.natural((total + alpha) / n)
        grid = np.concatenate([np.linspace(0.8 * plain + 0.0 * biased, biased, 40), [plain]])
        grid = np.unique(np.concatenate([grid, biased + 0.2 * abs(biased) * np.linspace(-1, 0, 9)]))
        if high < inf or isinstance(family, (Gaussian, Poisson)):
            grid = np.unique(np.concatenate([grid, biased + np.linspace(-0.3, 0.3, 31)]))
        grids.append(grid)
        values.append(np.array([total * eta - n * family.log_partition(eta) for eta in grid]))
    a, b, c = np.meshgrid(*grids, indexing="ij")
    joint = values[0][:, None, None] + values[1][None, :, None] + values[2][None, None, :]
    joint = joint + alpha * np.maximum(np.maximum(a, b), c)
    place = np.unravel_index(np.argmax(joint), joint.shape)
    chosen = int(np.argmax([grid[i] for grid, i in zip(grids, place, strict=True)]))
    indices = [index(family, m, n, alpha) for m, n in zip(means, pulls, strict=True)]
    gap = np.diff(np.sort(indices))[-1]
    assert gap > 1e-6, "a seed that decides nothing"
    assert chosen == int(np.argmax(indices))
    assert joint.max() == pytest.approx(max(indices) + sum(v.max() for v in values), rel=1e-6)
    arms = Arms(pulls, np.array(sums), np.array(sums))
    policy = RBMLE(LogBias(alpha / log(100)))
    assert policy.choose(np.zeros(0), family, arms, Clock(100, 0), FIRST) == chosen


class TestGaussianLemmas:
    """Lemmas J.1, J.2 and L.1, numbered by the section of the appendix."""

    @LAWS
    @given(st.integers(1, 60), st.floats(0.01, 3.0), st.floats(0.05, 0.95))
    def test_lemma_j1(self, n, delta, p):
        tail = 2 * scipy.stats.norm.sf(delta * sqrt(n) / 1.5)
        assert tail <= 2 * exp(-n * delta**2 / (2 * 1.5**2)) + 1e-15
        coin = scipy.stats.binom(n, p)
        above, below = coin.sf(np.ceil(n * (p + delta) - 1e-9) - 1), coin.cdf(n * (p - delta))
        assert above + below <= 2 * exp(-2 * n * delta**2) + 1e-12

    @staticmethod
    def difference(gamma, c, mu, n, log_t=9.0):
        (mu1, mu2), (n1, n2) = mu, n
        first = mu1 - sqrt(gamma * log_t / n1) + c * log_t / (2 * n1)
        return first - (mu2 + sqrt(gamma * log_t / n2) + c * log_t / (2 * n2))

    @LAWS
    @given(
        st.floats(0.01, 50), st.floats(-5, 5), st.floats(0.01, 5), st.floats(1e-3, 1e6),
        st.floats(1, 1e3), st.floats(1, 1e3), st.floats(0.7, 15),
    )  # fmt: skip
    def test_lemma_j2(self, gamma, mu2, gap, n1, more, factor, log_t):
        c = factor * 32 * gamma / gap
        n2 = more * 2 * c * log_t / gap
        assert self.difference(gamma, c, (mu2 + gap, mu2), (n1, n2), log_t) > 0

    @LAWS
    @given(st.floats(0.01, 50), st.floats(0.01, 5), st.floats(1e-3, 1e6), st.floats(1.0001, 40))
    def test_lemma_j2_holds_above_two_gamma_over_the_gap(self, gamma, gap, n1, factor):
        """The condition can be 16 times weaker than printed, but no more: so Proposition 3 holds
        with 16 sigma^2 / Delta."""
        c, log_t = factor * 2 * gamma / gap, 9.0
        assert self.difference(gamma, c, (gap, 0.0), (n1, 2 * c * log_t / gap)) > 0
        least = 2 * gamma / gap
        tie = (least**2 * log_t / gamma, 2 * least * log_t / gap)
        assert self.difference(gamma, least, (gap, 0.0), tie) == pytest.approx(0.0, abs=1e-9 * gap)

    @LAWS
    @given(
        st.floats(0.01, 50), st.floats(-5, 5), st.floats(0.01, 5), st.integers(2, 50),
        st.floats(1e-3, 1), st.floats(1, 1e3), st.floats(1, 1e3), st.floats(0.7, 15),
    )  # fmt: skip
    def test_lemma_l1(self, gamma, rise, gap, n_arms, part, more, factor, log_t):
        """An arm with few pulls beats one with many, even if its mean is less by `rise`."""
        m = 32 * gamma * (n_arms + 2) / gap**2
        c = factor * m * gap
        n_i = part * m * gap / max(rise, gap) * log_t / 8
        n_j = more * m * log_t
        assert self.difference(gamma, c, (0.0, rise), (n_i, n_j), log_t) > 0
