"""Indices equal their definitions, and rise and fall with the mean and the pulls as they should."""

from math import inf, log

import numpy as np
import pytest
from scipy import stats
from tiers import tiered

from rbmle.families import Bernoulli, Exponential, Gaussian, Poisson
from rbmle.policies import (
    GPUCB,
    IMED,
    KG,
    KGMN,
    KLUCB,
    MOSS,
    RBMLE,
    UCB,
    BayesUCB,
    GPUCBTuned,
    KGMin,
    KGStar,
    UCBTuned,
    policy_named,
)
from rbmle.policies.arms import Arms, Clock
from rbmle.special.grid import on_grid

CLOCK = Clock(500, 10_000)
OPTIMISTIC = [
    UCB(), UCBTuned(), MOSS(), KLUCB(), KLUCB(upto="plus"), BayesUCB(), GPUCB(), GPUCBTuned(),
    RBMLE(), RBMLE(f="mean"), RBMLE(f="stable"),
]  # fmt: skip
FAMILIES = [Bernoulli(), Gaussian(), Exponential(), Poisson()]


def is_quick(policy):
    return not isinstance(policy, BayesUCB)


def arms_of(pulls, sums, squares=None):
    sums = np.array(sums, float)
    return Arms(np.array(pulls, float), sums, sums if squares is None else np.array(squares, float))


def index(policy, family, arms, i=0, clock=CLOCK):
    return policy.index_of(family, arms, i, policy.level(family, arms, clock))


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("policy", tiered(OPTIMISTIC, is_quick), ids=repr)
def test_index_rises_with_the_mean(policy, family):
    sums = np.linspace(4.0, 30.0, 14)
    values = [index(policy, family, arms_of([40, 40], [s, 10.0])) for s in sums]
    finite = [v for v in values if v < inf]
    assert len(finite) > 5
    assert values == sorted(values)
    assert len(set(finite)) == len(finite)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("policy", tiered(OPTIMISTIC, is_quick), ids=repr)
def test_index_falls_with_pulls_at_the_same_mean(policy, family):
    values = [index(policy, family, arms_of([n, 40], [0.4 * n, 10.0])) for n in range(40, 400, 40)]
    assert values == sorted(values, reverse=True)


def test_klucb_is_the_largest_plausible_mean():
    arms = arms_of([40], [10.0])
    for family in FAMILIES:
        theta = index(KLUCB(c=3.0), family, arms)
        bound = log(500) + 3.0 * log(log(500))
        assert 40 * family.kl(0.25, theta) == pytest.approx(bound, rel=1e-10)


@pytest.mark.parametrize(("total", "value"), [(0.0, 0.0), (40.0, 1.0)])
def test_klucb_at_the_ends_of_the_range(total, value):
    theta = index(KLUCB(), Bernoulli(), arms_of([40], [total]))
    assert theta == 1.0 if value else 0.0 < theta < 1.0
    assert index(KLUCB(), Exponential(), arms_of([40], [0.0])) == pytest.approx(0.0, abs=1e-200)


def test_klucb_plus_allows_log_of_t_over_n():
    arms = arms_of([40], [10.0])
    for family in FAMILIES:
        for c, more in ((0.0, 0.0), (3.0, 3.0 * log(log(500)))):
            theta = index(KLUCB(c=c, upto="plus"), family, arms)
            assert 40 * family.kl(0.25, theta) == pytest.approx(log(500 / 40) + more, rel=1e-10)
    assert index(KLUCB(upto="plus"), Bernoulli(), arms, clock=Clock(40, 0)) == 0.25


def test_imed_is_the_divergence_from_the_best_mean_and_log_n():
    arms = arms_of([40, 9, 25], [10.0, 4.5, 10.0])
    for family in FAMILIES:
        values = [index(IMED(), family, arms, i) for i in range(3)]
        assert values[1] == -on_grid(log(9))
        assert values[0] == pytest.approx(-(40 * family.kl(0.25, 0.5) + log(40)))
        above = [index(KLUCB(upto="plus"), family, arms, i) > 0.5 for i in range(3)]
        assert above == [-each < log(500) for each in values]  # they rule out the same arms


def test_imed_where_the_divergence_is_infinite():
    """An arm that always paid is played until it fails; of several, the one with fewer pulls."""
    arms = arms_of([4, 3, 50], [4.0, 3.0, 49.0])
    logs = [-on_grid(log(4)), -on_grid(log(3))]
    assert [index(IMED(), Bernoulli(), arms, i) for i in range(3)] == [*logs, -inf]
    zeros = arms_of([4, 3], [0.0, 0.0])
    assert [index(IMED(), Bernoulli(), zeros, i) for i in range(2)] == logs
    waits = arms_of([4, 3], [0.0, 3.0])
    assert [index(IMED(), Exponential(), waits, i) for i in range(2)] == [-inf, logs[1]]
    assert index(IMED(), Poisson(), waits, 0) == -on_grid(4.0 + log(4))


def test_klucb_published_search_is_near_the_exact_one():
    arms = arms_of([40], [10.0])
    for family in (Bernoulli(), Exponential()):
        exact, found = (index(KLUCB(search=s), family, arms) for s in ("exact", "published"))
        assert exact - 1e-6 <= found <= exact


def test_bayes_ucb_is_the_posterior_quantile():
    arms = arms_of([40], [10.0])
    level = 1.0 / (500 * log(10_000) ** 5)
    reference = stats.beta(11, 31).isf(level)
    assert index(BayesUCB(c=5.0), Bernoulli(), arms) == pytest.approx(reference, rel=1e-12)


def test_moss_with_the_round_for_the_horizon():
    arms = arms_of([40, 2], [10.0, 1.0])
    assert index(MOSS(anytime=True), Bernoulli(), arms) == index(
        MOSS(), Bernoulli(), arms, clock=Clock(9, 500)
    )


def test_ucb_tuned_uses_the_sum_of_squares():
    loud, calm = arms_of([40], [10.0], [40.0]), arms_of([40], [10.0], [3.0])
    assert index(UCBTuned(cap=inf), Gaussian(), loud) > index(UCBTuned(cap=inf), Gaussian(), calm)


def test_kgmin_ranks_arms_that_many_outcomes_separate():
    """q^m is below the least float for both arms here: its logarithm still ranks them."""
    arms = arms_of([9000, 9000, 1000], [4500, 8100, 800])
    level = KGMin().level(Bernoulli(), arms, Clock(19_001, 0))
    values = [KGMin().index_of(Bernoulli(), arms, i, level) for i in range(3)]
    assert -inf < values[0] < values[1] < values[2]
    crossed = [Bernoulli().pulls_to_cross(n, s, level.rival(i))
               for i, (n, s) in enumerate(zip(arms.pulls, arms.sums, strict=True))]  # fmt: skip
    assert max(q**m for m, q in crossed[:2]) == 0.0


RIVALS = [0.05, 0.2, 0.26, 0.3, 0.6]


@pytest.mark.parametrize("rival", RIVALS)
def test_kg_gain_is_the_expected_rise_of_the_larger_mean(rival):
    """E[max(mu', rival)] - max(mu, rival) over the next reward's predictive law."""
    n, total = 8.0, 2.0
    p = 3 / 10
    up, down = 4 / 11, 3 / 11
    bernoulli = p * max(up, rival) + (1 - p) * max(down, rival) - max(p, rival)
    assert Bernoulli().knowledge_gain(n, total, rival) == pytest.approx(bernoulli, abs=1e-15)

    mean, sd = total / 9, 1 / 3
    change = stats.norm(mean, sd * np.sqrt(1 / (1 + 9)))
    gaussian = change.expect(lambda m: max(m, rival), epsabs=1e-12) - max(mean, rival)
    assert Gaussian().knowledge_gain(n, total, rival) == pytest.approx(gaussian, abs=1e-8)

    a, b = 9.0, 3.0
    reward = stats.lomax(a, scale=b)
    exponential = reward.expect(lambda y: max((b + y) / a, rival)) - max(b / (a - 1), rival)
    assert Exponential().knowledge_gain(n, total, rival) == pytest.approx(exponential, abs=1e-8)


def test_kg_gain_does_not_underflow():
    """After 2000 pulls the published form by powers is NaN; ours, by logarithms, is a number."""
    family = Exponential()
    assert np.isnan(family.published_gain(2000.0, 600.0, 0.31, False))
    assert 0.0 < family.knowledge_gain(2000.0, 600.0, 0.31) < 1.0
    early = family.published_gain(20.0, 6.0, 0.5, False)
    assert family.knowledge_gain(20.0, 6.0, 0.5) == pytest.approx(early, rel=1e-12)


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.3, 1.0, -0.5])
@pytest.mark.parametrize("n", [1, 10, 300])
def test_kg_star_finds_the_best_number_of_pulls(n, gap):
    family, left = Gaussian(), 700.0
    tried = [KGStar().rate(family, n, gap, m) for m in range(1, 701)]
    assert KGStar().best_rate(family, n, gap, left) == pytest.approx(max(tried), rel=1e-12)


def test_kgmin_counts_the_pulls_to_cross():
    """2 successes in 6 pulls, rival at 1/2: (3 + m) / (8 + m) = 1/2 at m = 2, with q = 3/8."""
    arms = arms_of([6, 6], [2, 3])
    assert Bernoulli().pulls_to_cross(6.0, 2.0, 0.5) == pytest.approx((2.0, 3 / 8))
    assert index(KGMin(), Bernoulli(), arms) == pytest.approx(log((3 / 8) ** 2 / 2))
    assert index(KGMN(), Bernoulli(), arms) == pytest.approx(-2.0)
    tied = arms_of([6, 6], [3, 3])
    assert index(KGMin(), Bernoulli(), tied) == inf


def test_kg_rival_of_the_leader_is_the_second():
    arms = arms_of([10, 10, 10], [2, 8, 5])
    race = KG().level(Bernoulli(), arms, CLOCK)
    assert race.leader == 1
    assert [race.rival(i) for i in range(3)] == [9 / 12, 6 / 12, 9 / 12]


def test_policies_are_found_by_name_in_any_case():
    assert policy_named("thompsonsampling").__name__ == "ThompsonSampling"
    assert policy_named("kgstar") is KGStar
