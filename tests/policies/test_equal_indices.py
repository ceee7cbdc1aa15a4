"""An index that mathematics makes equal is equal to the last bit: rounding decides no tie."""

import numpy as np
import pytest
from test_policy_laws import FITTING, VARIANTS
from tiers import tiered

import rbmle
from rbmle import IMED, Arms, Clock, EmpiricalIMED
from rbmle.families import (
    Bernoulli,
    Binomial,
    Bounded,
    Exponential,
    Gamma,
    Gaussian,
    NegativeBinomial,
    Poisson,
)
from rbmle.policies.base import ranks_only

RECOMMENDED = [
    (rbmle.recommended(family, risk), family)
    for family in (
        *(Bernoulli(), Binomial(5), Bounded(-1.0, 1.0), Poisson()),
        *(Exponential(), Gamma(2.0), Gaussian()),
    )
    for risk in ("tails", "mean")
]
# KG's index is a mean plus what one more pull is worth, which in truth may be as small as 1e-16.
TRULY_CLOSE = ((rbmle.KG, Gaussian), (rbmle.KG, Exponential))
PAIRS = [
    (policy, family)
    for policy, family in [*FITTING, *VARIANTS, *RECOMMENDED, (IMED(), NegativeBinomial(1.0))]
    if ranks_only(policy) and (type(policy), type(family)) not in TRULY_CLOSE
]
CLOCKS = [Clock(50, 1_000), Clock(20_000, 50_000)]
SHARES = [1.0, 0.9, 0.8, 0.75, 2 / 3, 0.6, 0.5, 0.25]  # of the largest reward: the largest mean


def states(family, share):
    """Up to 40 pulls (16 of several coins), with every sum of whole rewards up to such a mean."""
    coins = 5 if isinstance(family, Binomial) else 1
    least = 1 if isinstance(family, (Exponential, Gamma)) else 0
    pulls = range(1, 41 if coins == 1 else 17)
    found = [(n, s) for n in pulls for s in range(least, coins * n + 1) if s <= share * coins * n]
    pulls, sums = np.array(found, dtype=float).T
    return Arms(pulls, sums, sums + 0.3 * pulls, np.zeros(pulls.size))


@pytest.mark.parametrize(
    ("policy", "family"), tiered(PAIRS, lambda pair: isinstance(pair[1], Bernoulli))
)
def test_indices_that_are_almost_equal_are_equal(policy, family):
    """Different ones of so few states come no nearer to each other than this by chance."""
    for share in SHARES:
        arms = states(family, share)
        for clock in CLOCKS:
            clock = clock if policy.uses_horizon() else Clock(clock.t, 0)
            level = policy.level(family, arms, clock)
            index = [policy.index_of(family, arms, i, level) for i in range(arms.n_arms())]
            order = np.argsort(index)
            order = order[np.isfinite(np.array(index)[order])]
            ranked = np.array(index)[order]
            gaps = np.diff(ranked)
            near = np.flatnonzero((gaps > 0.0) & (gaps <= 1e-13 * np.abs(ranked[1:])))
            pairs = [[(arms.pulls[i], arms.sums[i]) for i in order[k : k + 2]] for k in near]
            assert pairs == [], (share, clock)


def test_imed_draws_between_arms_that_are_as_likely_the_best():
    """After 1 pull without a reward and 3 with two, for example, both indices are -log 3."""
    for pulls, sums in (([1, 3], [0, 2]), ([3, 6], [1, 4]), ([3, 24], [0, 12])):
        assert IMED().probabilities("bernoulli", pulls, sums).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("seed", range(5))
def test_empirical_imed_does_not_read_the_order_of_rewards(seed):
    policy, family = EmpiricalIMED(memory=50), Bounded(0.0, 1.0)
    rewards = np.random.default_rng(seed).uniform(0.0, 0.6, 50)
    arms = Arms(np.array([50.0]), np.array([rewards.sum()]), np.zeros(1))
    orders = (rewards, np.sort(rewards), np.sort(rewards)[::-1])
    states = [np.array([50.0, arms.sums[0], *each]) for each in orders]
    assert len({policy.score(each, family, arms, 0, 0.7) for each in states}) == 1


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
