"""Logarithms, entropies, divergences and gains, as functions of numbers for compiled code."""

from __future__ import annotations

from math import inf, log, log1p

from .._numba.compile import njit

LARGEST_RATIO = 1e100  # beyond it (alpha / n)^2 may overflow; the index is at its limit
SMALL_RATIO = 1e-8  # below it log(1 - r) is -r - r^2 / 2 to all digits


@njit
def log_ratio(a: float, b: float, gap: float) -> float:
    """log(a / b); the caller gives gap = a - b, which it may know more exactly than a - b rounds.

    For a near b it is log1p(gap / b): in log(a / b) the rounding of a / b, 1e-16, would be a large
    relative error, as the logarithm is near 0.
    """
    return log1p(gap / b) if abs(gap) <= 0.5 * b else log(a / b)


@njit
def negative_entropy(p: float) -> float:
    """p log p + (1 - p) log(1 - p), with 0 log 0 = 0; infinite for p > 1."""
    if p >= 1.0:
        return 0.0 if p == 1.0 else inf
    value = p * log(p) if p > 0.0 else 0.0
    # log1p for small p: there the rounding of 1 - p, 1e-16, is a large part of log(1 - p).
    return value + (1.0 - p) * (log(1.0 - p) if p > 0.01 else log1p(-p))


@njit
def bernoulli_kl(p: float, q: float) -> float:
    """p log(p/q) + (1 - p) log((1 - p)/(1 - q)); infinite for q = 0 or 1, unless p = q.

    Both logarithms are accurate to some units in the last place, also for p near q and near an end.
    So the root q of D(p, q) = bound is accurate to some units in its last place too.
    """
    if p == q:
        return 0.0
    if q <= 0.0 or q >= 1.0:
        return inf
    value = p * log_ratio(p, q, p - q) if p > 0.0 else 0.0
    return value + (1.0 - p) * log_ratio(1.0 - p, 1.0 - q, q - p) if p < 1.0 else value


@njit
def plain_coin_kl(p: float, q: float) -> float:
    """`bernoulli_kl` from two plain logarithms, error: some units in 1's last place."""
    if p == q:
        return 0.0
    if q <= 0.0 or q >= 1.0:
        return inf
    value = p * log(p / q) if p > 0.0 else 0.0
    return value + (1.0 - p) * log((1.0 - p) / (1.0 - q)) if p < 1.0 else value


@njit
def close_coin_kl(p: float, q: float) -> float:
    """`bernoulli_kl`, for close p and q without cancellation: with s = p - q it is

        q g(s / q) + (1 - q) g(-s / (1 - q)),    g(u) = (1 + u) log(1 + u) - u.

    Eleven terms of g(u) = u^2 / 2 - u^3 / 6 + u^4 / 12 - ... are accurate to 1e-11 for |u| <= 1/10.
    """
    s = p - q
    if not abs(s) <= 0.1 * min(q, 1.0 - q):
        return plain_coin_kl(p, q)
    u, v = s / q, s / (q - 1.0)
    return s * (u * entropy_series(u) - v * entropy_series(v))


@njit
def entropy_series(u: float) -> float:
    """((1 + u) log(1 + u) - u) / u^2 for |u| <= 1/10, from its power series."""
    r = 1.0 / 110.0 - u / 132.0
    r = 1.0 / 56.0 - u * (1.0 / 72.0 - u * (1.0 / 90.0 - u * r))
    r = 0.05 - u * (1.0 / 30.0 - u * (1.0 / 42.0 - u * r))
    return 0.5 - u * (1.0 / 6.0 - u * (1.0 / 12.0 - u * r))


@njit
def coin_divergence(p: float, m: float, q: float, step: float) -> float:
    """D(p, m) for coins, with p < 1, q = 1 - m and step = m - p."""
    value = p * log_ratio(p, m, -step) if p > 0.0 else 0.0
    return value + (1.0 - p) * log_ratio(1.0 - p, q, step)


# Below: what the code behind the published tables computed differently from the paper's text, as
# far as it depends on the family; docs/explanation/errata.md says what each gets wrong. Policies
# offer it by name: `RBMLE(boundary="published")`, `KLUCB(search="published")`,
# `KG(form="published")`.


@njit
def unclipped_entropy(p: float) -> float:
    """p log p + (1 - p) log(1 - p) for p < 1; p log p alone from p = 1 on."""
    value = p * log(p) if p > 0.0 else 0.0
    return value + (1.0 - p) * log(1.0 - p) if p < 1.0 else value


@njit
def underflowing_gain(a: float, b: float, rival: float, leads: bool) -> float:
    """KG's gain for exponential rewards with posterior shape a and rate b, by plain powers.

    They turn into 0, inf and NaN after some hundred pulls. It is compiled because compiled code
    gives inf for 1/0, where the interpreter raises an error.
    """
    excess = float(1.0 / (rival ** (a - 1.0) * (a - 1.0)) * (b / a) ** a)
    if not leads:
        return excess
    return excess - (b / (a - 1.0) - rival) if rival >= b / a else 0.0
