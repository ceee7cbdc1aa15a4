"""`NegativeBinomial` where means are much larger or smaller than r, against 80 digits."""

from __future__ import annotations

from decimal import Decimal, localcontext

import pytest

from rbmle import NegativeBinomial
from rbmle.testing import check_family

SIZES = [1e-3, 0.1, 1.0, 5.0, 1e3, 1e6]
MEANS = [1e-12, 1e-6, 1e-3, 0.3, 1.0, 30.0, 1e3, 1e6, 1e9, 1e12]


def exact_kl(r: float, mean: float, other: float) -> float:
    with localcontext() as context:
        context.prec = 80
        size, p, q = Decimal(r), Decimal(mean), Decimal(other)
        return float(p * (p / q).ln() - (p + size) * ((p + size) / (q + size)).ln())


def exact_conjugate(size: Decimal, mean: Decimal) -> Decimal:
    return mean * (mean / (size + mean)).ln() - size * (1 + mean / size).ln()


@pytest.mark.parametrize("r", SIZES)
def test_the_divergence_is_right_at_every_size_of_means(r: float) -> None:
    """D of means 10^12 and 0.9 10^12 was 0 with r = 0.001, and 0.2 % off with r = 1."""
    family = NegativeBinomial(r)
    for mean in MEANS:
        for ratio in (1e-3, 0.5, 0.9, 0.999, 1.001, 1.1, 2.0, 1e3):
            exact = exact_kl(r, mean, mean * ratio)
            assert family.kl(mean, mean * ratio) == pytest.approx(exact, rel=1e-9, abs=0.0)
        for bound in (1e-3, 0.3, 5.0):
            upper = family.kl_upper(mean, bound)
            if upper < 1e300:
                assert exact_kl(r, mean, upper) == pytest.approx(bound, rel=1e-9, abs=0.0)


@pytest.mark.parametrize("r", SIZES)
def test_the_index_is_right_at_every_size_of_means(r: float) -> None:
    """It was twice too large with r = 1 and means of 10^9, and 0 after 10^12 pulls of 10^6."""
    family, alpha = NegativeBinomial(r), 30.0
    for mean in MEANS:
        for pulls in (1.0, 100.0, 1e9):
            total = pulls * mean
            with localcontext() as context:
                context.prec = 80
                size, n, nu = Decimal(r), Decimal(pulls), Decimal(total) / Decimal(pulls)
                biased = nu + Decimal(alpha) / n
                exact = n * (exact_conjugate(size, biased) - exact_conjugate(size, nu))
            found = family.bias_index(pulls, total, alpha)
            assert found == pytest.approx(float(exact), rel=1e-9, abs=0.0)
    assert family.bias_index(5.0, 0.0, 0.0) == 0.0


@pytest.mark.parametrize("r", SIZES)
def test_the_mean_is_found_again_from_the_canonical_parameter(r: float) -> None:
    """F(eta) = r log(1 + theta / r)."""
    family = NegativeBinomial(r)
    for mean in MEANS:
        with localcontext() as context:
            context.prec = 80
            exact = float(Decimal(r) * (1 + Decimal(mean) / Decimal(r)).ln())
        assert family.log_partition(family.natural(mean)) == pytest.approx(
            exact, rel=1e-12, abs=0.0
        )


def test_the_stable_form_of_small_means_is_that_of_poisson_rewards() -> None:
    """g = 2 sqrt theta; 2 sqrt r arsinh sqrt(theta / r) was 3e-9 of itself off."""
    family = NegativeBinomial(1e6)
    for mean in (1e-9, 1e-6):
        assert family.stable_index(1e3, 1e3 * mean, 1e-200) == pytest.approx(
            2.0 * mean**0.5, rel=1e-12, abs=0.0
        )


def test_posteriors_of_small_r_have_their_tails() -> None:
    """The posterior of the mean is heavy there; where it is large, successes are rare, and a
    failure's probability rounds to 1."""
    family, history = NegativeBinomial(0.01), (6.0, 34.0)
    for tail in (0.9, 0.5, 1e-3, 1e-30, 1e-100, 1e-300):
        value = family.posterior_quantile(*history, tail)
        assert family.posterior_tail(*history, value) == pytest.approx(tail, rel=1e-9, abs=0.0)
    law = "moments_are_those_of_the_quantiles"
    assert dict(check_family(family))[law] == "holds"
    assert "too heavy" in dict(check_family(NegativeBinomial(1e-3)))[law]
