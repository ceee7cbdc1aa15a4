"""An index that mathematics makes equal is equal to the last bit: rounding decides no tie."""

import numpy as np
import pytest
from tiers import tiered

import rbmle
from rbmle import IMED, KLUCB, MOSS, RBMLE, UCB, Arms, BayesUCB, Clock, GPUCBTuned, UCBTuned
from rbmle.families import Bernoulli, Binomial, Bounded, Exponential, Gamma, Gaussian, Poisson

FAMILIES = [
    Bernoulli(),
    Binomial(5),
    Poisson(),
    Exponential(),
    Gamma(2.0),
    Gaussian(),
    Bounded(-1.0, 1.0),
]
POLICIES = [
    RBMLE(), RBMLE(f="mean"), RBMLE(f="stable"), UCB(), UCBTuned(), MOSS(), KLUCB(),
    KLUCB(upto="plus"), IMED(), BayesUCB(), GPUCBTuned(), rbmle.Recommended(),
]  # fmt: skip
# 3 pulls with sum 1 and 4 with sum 2 have n D(p, 1) + log n = 2: no formula makes that one number.
IDENTITIES = {(IMED, Poisson): [(3.0, 1.0), (4.0, 2.0)]}


def states(family):
    """Up to 40 pulls, with every sum of rewards that are whole numbers."""
    most = 5 if isinstance(family, Binomial) else 1
    least = 1 if isinstance(family, (Exponential, Gamma)) else 0
    found = [(n, s) for n in range(1, 41) for s in range(least, most * n + 1)]
    pulls, sums = np.array(found, dtype=float).T
    return Arms(pulls, sums, sums + 0.3 * pulls, np.zeros(pulls.size))


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
@pytest.mark.parametrize(
    "family", tiered(FAMILIES, lambda each: isinstance(each, Bernoulli)), ids=repr
)
def test_indices_that_are_almost_equal_are_equal(policy, family):
    """Different ones of so few states come no nearer to each other than this by chance."""
    policy = rbmle.recommended(family) if policy == rbmle.Recommended() else policy
    arms = states(family)
    level = policy.level(family, arms, Clock(20_000, 50_000 if policy.uses_horizon() else 0))
    index = np.array([policy.index_of(family, arms, i, level) for i in range(arms.n_arms())])
    order = np.argsort(index)
    order = order[np.isfinite(index[order])]
    near = np.diff(index[order]) <= 1e-13 * np.abs(index[order][1:])
    wrong = near & (np.diff(index[order]) != 0.0)
    pairs = [order[k : k + 2] for k in np.flatnonzero(wrong)]
    found = [sorted((arms.pulls[i], arms.sums[i]) for i in pair) for pair in pairs]
    known = IDENTITIES.get((type(policy), type(family)))
    assert found == ([known] if known else [])


@pytest.mark.parametrize("family", [Bernoulli(), Binomial(5), Bounded(-0.3, 0.7)], ids=repr)
@pytest.mark.parametrize("horizon", [0, 50_000])
def test_the_recommended_form_ranks_arms_with_only_successes_by_pulls(family, horizon):
    """Its index is g at the end of the means, whatever the pulls; then fewer pulls decide."""
    policy, pulls = rbmle.recommended(family), np.arange(1.0, 200.0)
    high = family.mean_range()[1]
    arms = Arms(pulls, high * pulls, high * high * pulls, np.zeros(pulls.size))
    level = policy.level(family, arms, Clock(20_000, horizon))
    index = {policy.index_of(family, arms, i, level) for i in range(pulls.size)}
    assert len(index) == 1
    assert all(policy.prefer(family, arms, i, i + 1, level) > 0.0 for i in range(pulls.size - 1))
