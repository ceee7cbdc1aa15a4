"""`rbmle.recommended`: a policy for each family, without anything to tune."""

import numpy as np
import pytest

import rbmle
from rbmle import Bernoulli, Binomial, Bounded, Exponential, Gamma, Gaussian, Poisson
from rbmle.errors import ParameterError
from rbmle.families import FAMILIES, GaussianUnknown, NegativeBinomial

FAMILIES_HERE = [
    Bernoulli(), Binomial(5), Gaussian(2.0), Exponential(), Gamma(3.0), Poisson(),
    Bounded(-1.0, 9.0),
]  # fmt: skip


def test_every_family_of_the_package_is_here():
    """But the negative binomial one and the Gaussian one with an unknown variance: nothing was
    chosen or played for them, and that is said."""
    ours = {each for each in FAMILIES.values() if each.__module__.startswith("rbmle.families")}
    assert ours - {type(each) for each in FAMILIES_HERE} == {NegativeBinomial, GaussianUnknown}
    for name in ("geometric", "gaussianunknown"):
        with pytest.raises(ParameterError, match=r"'family' must be one of Bernoulli\(\), "):
            rbmle.recommended(name)


@pytest.mark.parametrize("family", FAMILIES_HERE, ids=lambda each: type(each).__name__)
def test_each_family_has_one_that_keeps_the_guarantee(family):
    for risk in ("tails", "mean"):
        policy = rbmle.recommended(family, risk)
        assert isinstance(policy, rbmle.RBMLE)
        assert policy.alpha.power > 0.0  # what the bound on its regret needs
        assert rbmle.recommended(type(family).__name__.lower(), risk=risk) == policy


@pytest.mark.parametrize("family", FAMILIES_HERE, ids=lambda each: type(each).__name__)
def test_the_guard_keeps_what_the_data_do_not_rule_out(family):
    """The index is the larger of what it is without a guard, and g of KL-UCB's bound."""
    policy, plain = rbmle.recommended(family), rbmle.recommended(family, risk="mean")
    pulls, sums = np.array([4.0, 30.0, 900.0]), np.array([1.0, 12.0, 450.0])
    arms = rbmle.Arms(pulls, sums, sums)
    clock = rbmle.Clock(935, 20_000)
    level, seen = policy.level(family, arms, clock), set()
    for i in range(3):
        allowed = policy.alpha.guard * np.log1p(19_066 / (3 * pulls[i]))
        upper = family.kl_upper(arms.mean(i), allowed / pulls[i])
        without = plain.index_of(family, arms, i, plain.level(family, arms, clock))
        found = policy.index_of(family, arms, i, level)
        assert found == pytest.approx(max(without, policy.g(family, upper)), rel=1e-12)
        seen.add(found > without)
    assert True in seen


@pytest.mark.slow
def test_the_best_arm_is_not_lost():
    """With means .9 and 7 x .85, 2 of 100 runs of the form with the smallest mean never find the
    best arm; those with a guard have no longer tails than Thompson sampling."""
    problem = rbmle.Problem("bernoulli", [0.9] + [0.85] * 7)
    guarded, smallest = (rbmle.recommended("bernoulli", risk) for risk in ("tails", "mean"))
    result = rbmle.simulate(problem, ["ts", guarded, smallest], 20_000, 1_000, seed=2)
    usual, ours, other = np.quantile(result.final_regret, 0.99, axis=1)
    assert ours < usual < 0.5 * other
    lost = (result.final_regret > 900.0).sum(axis=1)
    assert lost[1] <= 2 < lost[2]


def test_an_edition_keeps_its_forms():
    assert rbmle.Recommended().on_family("gaussian") == rbmle.recommended("gaussian")
    mean = rbmle.recommended("gaussian", risk="mean")
    assert rbmle.Recommended(risk="mean").on_family("gaussian") == mean
    assert rbmle.Recommended(edition=1).on_family("gaussian") == mean
    with pytest.raises(ParameterError, match="'risk' must be one of 'tails', 'mean'"):
        rbmle.recommended("gaussian", risk="means")


@pytest.mark.parametrize("family", FAMILIES_HERE, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("horizon", [0, 10_000])
def test_every_index_is_finite(family, horizon):
    """Whatever the arms paid: nothing, the most, or something between."""
    policy, high = rbmle.recommended(family), min(family.mean_range()[1], 1e6)
    low = max(family.mean_range()[0], -1e6)
    pulls = np.array([1.0, 1.0, 3.0, 50.0, 9000.0])
    sums = pulls * np.array([high, low + 1e-9, 0.3, 0.5, 0.45])
    arms = rbmle.Arms(pulls, sums, sums * sums)
    for t in (9055, 10_000):
        level = policy.level(family, arms, rbmle.Clock(t, horizon))
        assert np.isfinite([policy.index_of(family, arms, i, level) for i in range(5)]).all()


def test_each_is_among_the_candidates_that_the_atlas_plays():
    from rbmle.atlas.efforts import candidates

    for family in ("bernoulli", "gaussian", "exponential"):
        for risk in ("tails", "mean"):
            assert rbmle.recommended(family, risk) in candidates(family).values()


@pytest.mark.slow
@pytest.mark.parametrize("horizon", [None, 20])
@pytest.mark.parametrize("family", [Bernoulli(), Exponential()])
def test_it_decides_live(family, horizon):
    policy = rbmle.recommended(family)
    decider = rbmle.Decider(["a", "b", "c"], policy, family, seed=1, horizon=horizon)
    for _ in range(20):
        arm = decider.pull()
        decider.update(arm, 1.0 if arm == "b" else 0.0)
    assert max(decider.counts, key=decider.counts.__getitem__) == "b"


@pytest.mark.parametrize("factor", [1e-3, 100.0])
def test_the_unit_of_exponential_rewards_does_not_matter(factor):
    """All indices change by log(factor)."""
    policy, family, clock = rbmle.recommended("exponential"), Exponential(), rbmle.Clock(60, 0)
    n, total = np.array([40.0, 12.0, 7.0]), np.array([55.0, 6.0, 9.0])
    found = []
    for sums in (total, factor * total):
        arms = rbmle.Arms(n, sums, sums)
        level = policy.level(family, arms, clock)
        found.append([policy.index_of(family, arms, i, level) for i in range(3)])
    assert found[1] == pytest.approx([each + np.log(factor) for each in found[0]], rel=1e-12)


def test_what_is_no_family_is_refused():
    with pytest.raises(ParameterError, match=r"'family' must be one of Bernoulli\(\), Binomial"):
        rbmle.recommended(None)
    with pytest.raises(ParameterError, match="coins"):
        rbmle.recommended("coins")
