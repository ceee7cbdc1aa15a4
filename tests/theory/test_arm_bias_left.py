"""`ArmBias(rounds="left")` and `reach`, step by step: docs/explanation/mathematics.md, "Rounds to
come" and "Bounded means by reach"."""

from itertools import pairwise
from math import exp, inf, log, log1p

import numpy as np
import pytest

from rbmle.errors import ParameterError
from rbmle.families import Bernoulli, Exponential, Gamma, Gaussian
from rbmle.policies import RBMLE, ArmBias, Arms, Clock
from rbmle.policies.fit import check_fit
from rbmle.spec import from_spec, to_spec

LEFT = [
    ArmBias(0.1, 2.0, 0.5, 1.0, 1.0, 1.0, rounds="left"),
    ArmBias(0.1, 1.8, 0.5, 1.0, 0.5, 0.1, rounds="left"),
    ArmBias(0.2, 1.5, 0.0, 0.5, 0.0, 0.1, rounds="left"),
]
SCALES = [Exponential(), Gamma(3.0)]


def alpha_at(bias: ArmBias, clock: Clock, n: float, n_arms: int = 10) -> float:
    level = bias.alpha(Gaussian(), Arms.fresh(n_arms), clock)
    return bias.of_arm(n, level)


@pytest.mark.parametrize("bias", LEFT, ids=str)
def test_alpha_falls_to_the_end_and_is_above_the_bound_of_the_proof(bias):
    n_arms = 10
    for horizon in (100, 10**6, 10**15):
        for n in (1.0, 7.0, 1e3, 1e15):
            rounds = np.unique(np.geomspace(1, horizon, 40).astype(int)).tolist()
            found = [alpha_at(bias, Clock(t, horizon), n, n_arms) for t in rounds]
            assert all(b <= a for a, b in pairwise(found))
            assert found[-1] > 0.0
            for t, alpha in zip(rounds, found, strict=True):
                share = (horizon - t + 1) / (n**bias.by_pulls * n_arms**bias.by_arms)
                least = bias.c * bias.least**bias.spread * log1p(share) ** (1.0 + bias.power)
                assert alpha >= least * (1.0 - 1e-12)
                top = log1p(horizon)
                if n >= top:
                    most = bias.c * top ** (1.0 + bias.power - bias.spread) * n**bias.spread
                    assert alpha <= most * (1.0 + 1e-12)


def test_without_a_horizon_as_many_rounds_are_to_come_as_have_been_played():
    bias = LEFT[0]
    assert alpha_at(bias, Clock(500, 0), 3.0) == alpha_at(bias, Clock(501, 1000), 3.0)
    assert RBMLE(bias).uses_horizon()
    assert not RBMLE(bias).needs_horizon()
    assert not RBMLE(ArmBias()).uses_horizon()


@pytest.mark.parametrize("bias", LEFT, ids=str)
def test_the_best_arm_is_lost_in_a_bounded_number_of_rounds(bias):
    """The double sum of the proof, over rounds and pulls, converges: it hardly depends on T."""
    gain, far, n_arms = 3.0, 0.3, 10  # g(theta_1) - g(theta'), D(theta', theta_1)

    def lost(horizon: int) -> float:
        edges = np.unique(np.geomspace(1, horizon, 80).astype(int))
        total = 0.0
        for n in range(1, 40):
            for low, high in pairwise(edges.tolist()):
                # rounds with low to high - 1 to come, at the first of which alpha is the smallest
                alpha = alpha_at(bias, Clock(horizon - low + 1, horizon), float(n), n_arms)
                total += (high - low) * min(exp(-alpha * gain), exp(-n * far))
        return total

    assert lost(10**9) < 1.2 * lost(10**5)


@pytest.mark.parametrize("family", SCALES, ids=str)
@pytest.mark.parametrize("n", [1.0, 3.0, 40.0])
@pytest.mark.parametrize("alpha", [0.5, 2.0, 35.0])
def test_the_index_is_the_maximum_over_bounded_means(family, n, alpha):
    largest = 1.5
    k = family.shape if isinstance(family, Gamma) else 1.0
    for mean in (1e-6, 0.3, 1.2, 1.5):
        thetas = np.geomspace(mean, largest, 20_001) if mean < largest else np.array([mean])
        divergence = k * (np.log(thetas / mean) + mean / thetas - 1.0)
        value = k**0.5 * np.log(thetas) - n / alpha * divergence
        found = family.bounded_index(n, n * mean, alpha, largest)
        assert found == pytest.approx(value.max(), rel=1e-6, abs=1e-6)
        assert found >= value.max() - 1e-9 * abs(value.max())


@pytest.mark.parametrize("family", SCALES, ids=str)
def test_the_bounded_index_rises_with_the_mean_and_falls_with_the_pulls(family):
    pulls, means = np.geomspace(1.0, 1e6, 60), np.linspace(0.01, 1.5, 60)
    by_pulls = [family.bounded_index(n, 0.4 * n, 20.0, 1.5) for n in pulls.tolist()]
    by_mean = [family.bounded_index(12.0, 12.0 * p, 20.0, 1.5) for p in means.tolist()]
    assert np.all(np.diff(by_pulls) < 0.0)
    assert np.all(np.diff(by_mean) > 0.0)
    assert by_mean[-1] < inf  # where `stable_index` is infinite
    g = (family.shape if isinstance(family, Gamma) else 1.0) ** 0.5 * np.log(1.5)
    assert by_mean[-1] == pytest.approx(g, rel=1e-12)
    assert family.bounded_index(12.0, 6.0, 20.0, inf) == family.stable_index(12.0, 6.0, 20.0)


def test_the_largest_mean_is_so_many_standard_deviations_above_the_largest():
    bias = ArmBias(0.1, 1.8, 0.5, 1.0, 1.0, 1.0, "left", 0.5)
    arms = Arms(np.array([5.0, 2.0, 9.0]), np.array([5.0, 6.0, 4.5]), np.zeros(3))
    assert bias.alpha(Exponential(), arms, Clock(17, 100)).highest == 4.5
    assert bias.alpha(Gamma(4.0), arms, Clock(17, 100)).highest == 3.75
    level = bias.alpha(Exponential(), arms, Clock(17, 100))
    policy = RBMLE(bias, f="stable")
    found = [policy.index_of(Exponential(), arms, i, level) for i in range(3)]
    assert all(abs(each) < inf for each in found)
    assert max(found) < log(4.5)


@pytest.mark.parametrize(
    ("family", "f"), [(Bernoulli(), "stable"), (Gaussian(), "stable"), (Exponential(), "mean")]
)
def test_reach_is_for_scale_families_and_the_stable_f(family, f):
    policy = RBMLE(ArmBias(reach=0.5), f=f)
    with pytest.raises(ParameterError, match="ArmBias: 'reach' must be inf unless f is 'stable'"):
        check_fit(policy, family)


def test_both_are_written_and_read():
    assert set(to_spec(ArmBias())) == {"name", *ArmBias._fields}
    bias = ArmBias(rounds="left", reach=0.5)
    assert from_spec(to_spec(bias)) == bias
