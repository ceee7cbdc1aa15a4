"""`rbmle.recommended`: a policy for each family, without anything to tune."""

import numpy as np
import pytest

import rbmle
from rbmle import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.errors import ParameterError
from rbmle.families import FAMILIES, NegativeBinomial

FAMILIES_HERE = [Bernoulli(), Binomial(5), Gaussian(2.0), Exponential(), Gamma(3.0), Poisson()]


def test_every_family_of_the_package_is_here():
    """But the negative binomial one: nothing was chosen or played for it, and that is said."""
    ours = {each for each in FAMILIES.values() if each.__module__.startswith("rbmle.families")}
    assert ours - {type(each) for each in FAMILIES_HERE} == {NegativeBinomial}
    with pytest.raises(ParameterError, match=r"'family' must be one of Bernoulli\(\), "):
        rbmle.recommended("geometric")


@pytest.mark.parametrize("family", FAMILIES_HERE, ids=lambda each: type(each).__name__)
def test_each_family_has_one_that_keeps_the_guarantee(family):
    policy = rbmle.recommended(family)
    assert isinstance(policy, rbmle.RBMLE)
    assert policy.alpha.power > 0.0  # what the bound on its regret needs
    assert rbmle.recommended(type(family).__name__.lower()) == policy


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
        assert rbmle.recommended(family) in candidates(family).values()


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
