"""What posteriors say, against SciPy, against random draws, and against the tables of IDS."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import integrate, stats

import rbmle
from rbmle._numba.compile import defaults_of, record
from rbmle.errors import ParameterError
from rbmle.families.protocols import Learns, Shaped
from rbmle.policies import IDS
from rbmle.policies.base import fresh_state
from rbmle.policies.posteriors import probability_best

LAWS: dict[str, Any] = {
    "normal": lambda a, b: stats.norm(a, b),
    "beta": stats.beta,
    "gamma": lambda a, b: stats.gamma(a, scale=1.0 / b),
    "inverse gamma": lambda a, b: stats.invgamma(a, scale=b),
}
FAMILIES = [
    rbmle.Bernoulli(), rbmle.Bernoulli(0.5, 0.5), rbmle.Bernoulli(3.0, 0.2), rbmle.Binomial(5),
    rbmle.Gaussian(2.0, 1.0, 3.0), rbmle.Gaussian(), rbmle.Exponential(), rbmle.Gamma(2.5),
    rbmle.Poisson(), rbmle.Poisson(0.2, 0.1), rbmle.Bounded(0.0, 10.0),
]  # fmt: skip


def posterior(family: Any, pulls: float, total: float) -> Any:
    kind, a, b = family.posterior_law(pulls, total)
    return LAWS[kind](a, b)


def best(family: Any, pulls: Any, sums: Any) -> Any:
    return probability_best(family, np.array(pulls, float), np.array(sums, float))


def by_scipy(family: Any, pulls: Any, sums: Any, n_arms: int) -> list[float]:
    """P(arm a is best) = E[prod of the other F at a quantile of arm a], for the first arms."""
    laws = [posterior(family, n, total) for n, total in zip(pulls, sums, strict=True)]
    steps = 10.0 ** np.arange(-9, 0, 2)
    ends = [*steps, 0.5, *(1.0 - steps[::-1])]

    def others(u: float, a: int) -> float:
        x = laws[a].ppf(u)
        return float(np.prod([law.cdf(x) for i, law in enumerate(laws) if i != a]))

    return [
        sum(
            integrate.quad(others, low, high, (a,), epsabs=1e-10, limit=100)[0]
            for low, high in zip([0.0, *ends], [*ends, 1.0], strict=True)
        )
        for a in range(n_arms)
    ]


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_which_arm_is_best_agrees_with_scipy(family: Any) -> None:
    pulls, sums = [0.0, 3.0, 7.5, 40.0], [0.0, 2.0, 2.25, 19.0]
    if isinstance(family, rbmle.Gaussian):
        sums[1] = -2.0
    found = best(family, pulls, sums)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    assert found[:2] == pytest.approx(by_scipy(family, pulls, sums, 2), abs=1e-6)


def test_clicks_that_are_rare() -> None:
    """Arms without a click, for which a normal approximation is several times too low."""
    pulls, sums = [100, 100, 40, 10], [5, 2, 0, 0]
    found = best(rbmle.Bernoulli(), pulls, sums)
    assert found == pytest.approx(by_scipy(rbmle.Bernoulli(), pulls, sums, 4), abs=1e-6)
    posteriors = [posterior(rbmle.Bernoulli(), *each) for each in zip(pulls, sums, strict=True)]
    draws = np.random.default_rng(1).normal(
        [each.mean() for each in posteriors], [each.std() for each in posteriors], (400_000, 4)
    )
    normal = np.bincount(draws.argmax(axis=1)) / len(draws)
    assert abs(normal - found).max() > 0.02


@pytest.mark.parametrize("n_arms", [2, 10, pytest.param(300, marks=pytest.mark.slow)])
def test_random_draws_agree(n_arms: int) -> None:
    rng, draws = np.random.default_rng(n_arms), 100_000
    pulls = rng.integers(0, 60, n_arms)
    sums = rng.binomial(pulls, 0.1)
    found = best(rbmle.Bernoulli(), pulls, sums)
    winners = np.zeros(n_arms)
    for _ in range(10):
        drawn = rng.beta(1 + sums, 1 + pulls - sums, (draws // 10, n_arms))
        winners += np.bincount(drawn.argmax(axis=1), minlength=n_arms)
    error = np.sqrt(found * (1.0 - found) / draws) + 1.0 / draws
    assert (abs(winners / draws - found) < 5.0 * error).all()


@pytest.mark.parametrize("family", [rbmle.Bernoulli(), rbmle.Gaussian(), rbmle.Exponential()])
def test_the_tables_of_ids_say_the_same(family: Any) -> None:
    rng, policy = np.random.default_rng(2), IDS()
    pulls = rng.integers(3, 400, 4).astype(float)
    sums = pulls * rng.uniform(0.4, 0.6, 4)
    beliefs = policy.beliefs_in(fresh_state(policy, family, 4)[1:], 4)
    beliefs.solve(family, rbmle.Arms(pulls, sums, sums))
    assert best(family, pulls, sums) == pytest.approx(beliefs.best, abs=1e-9)


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_it_does_not_depend_on_the_order_and_ignores_arms_out_of_reach(family: Any) -> None:
    pulls, sums = np.array([5.0, 9.0, 9.0, 0.0]), np.array([2.0, 4.0, 4.0, 0.0])
    found = best(family, pulls, sums)
    assert found[1] == pytest.approx(found[2], abs=1e-12)
    assert best(family, pulls[::-1], sums[::-1]) == pytest.approx(found[::-1], abs=1e-12)
    paid = -1e10 if isinstance(family, rbmle.Gaussian) else 1.0
    assert best(family, [*pulls, 1e9], [*sums, paid]) == pytest.approx([*found, 0.0], abs=1e-6)


@pytest.mark.parametrize("prior", [1e-4, 1e-2, 1.0, 1e4, 1e9])
def test_arms_with_the_same_prior_are_equally_good(prior: float) -> None:
    for family in (
        rbmle.Bernoulli(prior, prior), rbmle.Bernoulli(prior, 1.0), rbmle.Poisson(prior, prior),
        rbmle.Exponential(prior, 1.0), rbmle.Gaussian(prior, 1e6, prior),
    ):  # fmt: skip
        assert best(family, [0, 0, 0], [0, 0, 0]) == pytest.approx([1 / 3] * 3, abs=1e-9)


def test_a_million_pulls_and_means_far_from_zero() -> None:
    coin = best(rbmle.Bernoulli(), [10_000_000, 10_000_000], [200_000, 200_300])
    a, b = (posterior(rbmle.Bernoulli(), 1e7, each) for each in (200_000, 200_300))
    z = (b.mean() - a.mean()) / np.hypot(a.std(), b.std())  # normal to 1e-5 with so many
    assert coin[1] == pytest.approx(stats.norm.cdf(z), abs=1e-5)
    flat = rbmle.Gaussian(1.0, 0.0, np.inf)
    far = best(flat, [1e6, 1e6], [1e9, 1e9 + 1e3])
    assert far[1] == pytest.approx(stats.norm.cdf(1.0 / np.sqrt(2.0)), abs=1e-6)


class NoPosterior(NamedTuple):
    """A family without a posterior. It is not registered: other tests try all families."""

    sigma: float = 1.0

    def natural(self, mean: float) -> float:
        return mean

    def log_partition(self, eta: float) -> float:
        return 0.5 * eta * eta

    def mean_range(self) -> tuple[float, float]:
        return -np.inf, np.inf


record(NoPosterior, defaults_of(Learns, Shaped))


def test_what_is_refused_is_one_sentence() -> None:
    for family in (rbmle.Gaussian(prior_sd=np.inf), rbmle.Poisson(1.0, 0.0)):
        with pytest.raises(ParameterError, match="one with a proper prior") as improper:
            best(family, [3, 0], [1, 0])
        assert str(improper.value).count(". ") == 1
        assert best(family, [3, 1], [1, 0]).sum() == pytest.approx(1.0)
    with pytest.raises(ParameterError, match="a conjugate posterior"):
        best(NoPosterior(), [3, 1], [1, 0])
