"""An index that mathematics makes equal is equal to the last bit: rounding decides no tie."""

import numpy as np
import pytest
from test_policy_laws import FITTING, VARIANTS
from tiers import tiered

import rbmle
from rbmle import IMED, NPTS, Arms, Clock, EmpiricalIMED
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
from rbmle.random import Draws
from rbmle.spec import from_spec

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


TENTHS = [Bounded(0.0, 0.1), Bounded(0.1, 0.4), Bounded(-0.3, 0.7)]  # ends that are no doubles


@pytest.mark.parametrize("family", [Bernoulli(), Binomial(5), *TENTHS], ids=repr)
@pytest.mark.parametrize("horizon", [0, 50_000])
def test_the_recommended_form_ranks_arms_with_only_successes_by_pulls(family, horizon):
    """Its index is g at the end of the means, whatever the pulls; then fewer pulls decide."""
    policy, pulls = rbmle.recommended(family), np.arange(1.0, 200.0)
    high = family.mean_range()[1]
    sums = np.cumsum(np.full(pulls.size, high))  # as a game adds them up
    arms = Arms(pulls, sums, high * sums, np.zeros(pulls.size))
    level = policy.level(family, arms, Clock(20_000, horizon))
    index = {policy.index_of(family, arms, i, level) for i in range(pulls.size)}
    assert len(index) == 1
    assert all(policy.prefer(family, arms, i, i + 1, level) > 0.0 for i in range(pulls.size - 1))


BY_FAMILY = [
    *(from_spec(f"klucb(level={level})") for level in ("t", "plus", "moss", "left", "plus_plus")),
    *(from_spec(f"rbmle(f={f})") for f in ("canonical", "mean", "stable")),
    *(IMED(), rbmle.BayesUCB(), rbmle.GPUCB(), rbmle.GPUCBTuned()),
]


@pytest.mark.parametrize("family", TENTHS, ids=repr)
@pytest.mark.parametrize("policy", [*BY_FAMILY, "tails", "mean"], ids=str)
def test_the_order_of_rewards_does_not_matter(policy, family):
    """Sums of the same rewards, added up in another order, differ in their last digits."""
    policy = rbmle.recommended(family, policy) if isinstance(policy, str) else policy
    rng = np.random.default_rng(1)
    for pulls, paid in ((5, 2), (7, 3), (7, 6), (11, 7), (20, 9), (20, 19), (40, 21)):
        rewards, arms = [family.high] * paid + [family.low] * (pulls - paid), Arms.fresh(20)
        for i in range(20):
            for reward in rng.permutation(rewards):
                arms.learn(i, reward)
        for clock in (Clock(200, 1_000), Clock(200, 50_000)):
            level = policy.level(family, arms, clock)
            assert len({policy.index_of(family, arms, i, level) for i in range(20)}) == 1


@pytest.mark.parametrize("family", TENTHS, ids=repr)
@pytest.mark.parametrize("name", ["imed", "maillardsampling", "rbmle", "recommended"])
def test_an_arm_that_always_paid_all_is_a_coin_without_failures(family, name):
    pulls, high = [8, 20, 3], family.high
    sums = [sum([high] * 8), sum([high] * 20), high + family.low + high]
    policy = rbmle.recommended(family) if name == "recommended" else from_spec(name)
    found = policy.probabilities(family, pulls, sums)
    policy = rbmle.recommended(Bernoulli()) if name == "recommended" else policy
    assert found == pytest.approx(policy.probabilities(Bernoulli(), pulls, [8, 20, 2]), abs=1e-9)


@pytest.mark.parametrize("name", ["epsilongreedy(epsilon=0)", "explorethencommit(m=1)"])
def test_means_of_rewards_that_are_all_equal_are_equal(name):
    """0.1 + 0.1 + 0.1 is a little more than 0.3: the arm with three pulls alone was played."""
    policy, pulls = from_spec(name), np.array([1.0, 3.0, 6.0])
    arms = Arms.fresh(3)
    for i, n in enumerate(pulls):
        for _ in range(int(n)):
            arms.learn(i, 0.1)
    assert policy.probabilities("gaussian", pulls, arms.sums).tolist() == [1 / 3] * 3
    chosen = {
        policy.choose(np.zeros(6), Gaussian(), arms, Clock(t, 0), Draws(1, 0, 0, t, True))
        for t in range(11, 51)
    }
    assert chosen == {0, 1, 2}


def test_arms_that_have_always_paid_all_are_drawn_by_lot_by_npts():
    """The draw of each is the largest reward, whatever the weights."""
    policy, pulls = NPTS(memory=30), np.array([8.0, 20.0, 3.0])
    for family in (Bounded(), *TENTHS):
        sums = np.array([sum([family.high] * int(n)) for n in pulls])
        arms, state = Arms(pulls, sums, sums, np.zeros(3)), np.zeros(policy.remembers(3) + 3)
        chosen = {
            policy.choose(state, family, arms, Clock(t, 0), Draws(1, 0, 0, t, True))
            for t in range(32, 92)
        }
        assert chosen == {0, 1, 2}


@pytest.mark.slow
@pytest.mark.parametrize("shares", [[0.02, 0.05, 0.1], [0.9, 0.95, 0.98]])
@pytest.mark.parametrize("name", ["rbsda", "wrsda", "lbsda", "npts", "empiricalimed"])
def test_kept_rewards_do_not_tell_in_which_order_they_were_added_up(name, shares):
    """The same coins on any interval: the same wins, draws and choices."""
    shares, policy = np.array(shares), f"{name}(memory=1000)"
    regrets = []
    for family in (Bounded(), *TENTHS):
        problem = rbmle.Problem(family, family.low + family.width() * shares)
        regrets.append(
            rbmle.simulate(problem, [policy], 1_000, 100).final_regret[0] / family.width()
        )
    for other in regrets[1:]:
        assert other == pytest.approx(regrets[0])
