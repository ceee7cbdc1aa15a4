"""What the code behind the published tables computed differently from the paper's text.

These are the parts that depend on the family; docs/errata.md says what each gets wrong. Policies
offer them by name: `RBMLE(boundary="published")`, `KLUCB(search="published")`,
`KG(form="published")`.
"""

from __future__ import annotations

from math import inf, log

from .._numba.compile import njit


@njit
def unclipped_entropy(p: float) -> float:
    """p log p + (1 - p) log(1 - p) for p < 1; p log p alone from p = 1 on."""
    value = p * log(p) if p > 0.0 else 0.0
    return value + (1.0 - p) * log(1.0 - p) if p < 1.0 else value


@njit
def clipped_coin_kl(mean: float, other: float) -> float:
    """D of coins with both means clipped to [1e-15, 1 - 1e-15]."""
    p = min(max(mean, 1e-15), 1.0 - 1e-15)
    q = min(max(other, 1e-15), 1.0 - 1e-15)
    return p * log(p / q) + (1.0 - p) * log((1.0 - p) / (1.0 - q))


@njit
def plain_scale_kl(mean: float, other: float) -> float:
    """D of exponential rewards by the plain formula, so that it rounds as in the tables."""
    ratio = mean / other if other > 0.0 else inf
    return ratio - 1.0 - log(ratio) if 0.0 < ratio < inf else inf


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
