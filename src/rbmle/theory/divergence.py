"""The three functions in which the analysis is written: D, xi and K* (Sections 3.2 and 4)."""

from __future__ import annotations

from math import inf

from ..errors import Interval, ParameterError, number
from ..families import FAMILIES, Family
from ..policies.fit import as_family
from . import close_means


def divergence(family: object, m1: float, m2: float) -> float:
    """D(theta', theta'') of Section 4: the KL divergence between two rewards with these means.

    It is infinite where rewards that have mean m1 are impossible with mean m2.

    >>> from rbmle import Bernoulli
    >>> round(divergence(Bernoulli(), 0.2, 0.5), 6), divergence(Bernoulli(), 0.2, 1.0)
    (0.192745, inf)
    """
    model = family_of("divergence", family)
    means = closed_range(model)
    m1 = number("divergence", "m1", m1, means)
    m2 = number("divergence", "m2", m2, means)
    return close_means.kl(model, m1, m2)


def xi(family: object, k: float, nu: float) -> float:
    """xi(k; nu) = k (F*(nu + 1/k) - F*(nu)) of Section 3.2, with its limits.

    It is the average of the natural parameter over the means from nu to nu + 1/k. Times alpha, it
    is the index of an arm pulled k alpha times: I(nu, k alpha, alpha) = alpha xi(k; nu). It
    decreases in k, from the supremum of the natural parameter at k = 0 (0 for exponential and gamma
    rewards, infinity for the others) to natural(nu) at k = infinity. It is infinite while nu + 1/k
    is beyond the upper end of the means; for Bernoulli rewards it jumps there.

    >>> from rbmle import Exponential, Gaussian
    >>> xi(Gaussian(), 2.0, 0.5), xi(Gaussian(), inf, 0.5), xi(Exponential(), 0.0, 0.5)
    (0.75, 0.5, 0.0)
    """
    model = family_of("xi", family)
    k = number("xi", "k", k, "[0, inf]")
    _, high = model.mean_range()
    nu = number("xi", "nu", nu, closed_range(model))
    if k == 0.0:
        return inf if high < inf else _highest_natural(model)
    if k == inf or nu == high:
        return natural(model, nu) if nu < high else inf
    if 1.0 / k == inf:
        return xi(model, 0.0, nu)
    return model.xi(k, nu)


def k_star(family: object, m1: float, m2: float) -> float:
    """K*(theta', theta'') = inf {k : natural(theta') > xi(k; theta'')} of Section 3.2.

    An arm with empirical mean theta'' loses against one with theta' once it has been pulled more
    than K* alpha(t) times (Lemma 2). Special cases, which `explain_k_star` names:
    infinity unless theta' > theta'', because no k satisfies the definition;
    0 where every k does, as for exponential rewards at theta'' = 0;
    1/(high - theta'') where xi jumps past natural(theta'), as for Bernoulli rewards with
    theta' > 1/2 and theta'' = 0.

    >>> from rbmle import Bernoulli, Exponential, Gaussian
    >>> round(k_star(Gaussian(), 1.0, 0.5), 12), k_star(Gaussian(), 0.5, 1.0)
    (1.0, inf)
    >>> round(k_star(Bernoulli(), 0.9, 0.0), 12), k_star(Exponential(), 1.0, 0.0)
    (1.0, 0.0)
    """
    model = family_of("k_star", family)
    means = closed_range(model)
    m1 = number("k_star", "m1", m1, means)
    m2 = number("k_star", "m2", m2, means)
    _, high = model.mean_range()
    if m1 > m2 and m1 == high:  # natural(theta') is infinite: every k with a finite xi will do
        return 1.0 / (high - m2)
    return close_means.k_star(model, m1, m2)


def explain_k_star(family: object, m1: float, m2: float) -> str:
    """K*(m1, m2) in one sentence: its value, and whether the paper's conditions for it hold.

    >>> from rbmle import Bernoulli, Exponential
    >>> explain_k_star(Exponential(), 1.0, 0.0)
    "K* = 0: F* is infinite at theta'' = 0, so every k satisfies the definition."
    >>> explain_k_star(Bernoulli(), 0.3, 0.4)
    "K* is infinite: Lemma 2 needs theta' > theta''. Got 0.3 and 0.4."
    """
    value = k_star(family, m1, m2)
    if value == inf:
        return f"K* is infinite: Lemma 2 needs theta' > theta''. Got {m1:g} and {m2:g}."
    if value == 0.0:
        return f"K* = 0: F* is infinite at theta'' = {m2:g}, so every k satisfies the definition."
    _, high = family_of("k_star", family).mean_range()
    end = 1.0 / (high - m2)
    if abs(value - end) <= 1e-12 * end:
        return (
            f"K* = {value:g}: theta'' + 1/k reaches the upper end {high:g} of the means, where xi "
            f"jumps to infinity; natural(theta') = xi(k; theta'') has no solution."
        )
    return f"K* = {value:g} solves natural(theta') = xi(k; theta'')."


def family_of(owner: str, family: object) -> Family:
    """The given family, or the one of the given name; anything else is refused."""
    model: Family = as_family(family, owner)
    if not isinstance(model, tuple(FAMILIES.values())):
        raise ParameterError(owner, "family", "a reward family, as in Bernoulli()", family)
    return model


def closed_range(family: Family) -> Interval:
    """The range of the means, including its finite ends."""
    low, high = family.mean_range()
    return Interval(low, high, closed_low=low > -inf, closed_high=high < inf)


def open_range(family: Family) -> Interval:
    """The range of the means without its ends: the means that have a natural parameter."""
    low, high = family.mean_range()
    return Interval(low, high, closed_low=False, closed_high=False)


def natural(family: Family, mean: float) -> float:
    """natural(mean), which is minus infinity at the lower end of the means."""
    low, _ = family.mean_range()
    return -inf if mean <= low else family.natural(mean)


def _highest_natural(family: Family) -> float:
    """The limit of natural(theta) for large theta, judged from its values at 1e150 and 1e300."""
    large, larger = family.natural(1e150), family.natural(1e300)
    if larger - large > 1e-9 * max(1.0, abs(larger)):
        return inf
    return 0.0 if abs(larger) < 1e-100 else larger
