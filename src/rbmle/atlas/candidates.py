"""The forms of RBMLE among which the recommended ones were chosen, on the training sets."""

from __future__ import annotations

from itertools import product
from math import inf

from .._records.record import Record
from ..policies import RBMLE, ArmBias, BetaBias

# Forms by the rounds that were played: c, spread, by_pulls, by_arms and least, at the power 0.1.
# For Gaussian rewards the width is c L^0.6 / (2 sqrt n) at the spread 1/2. MOSS has sqrt(L / n)
# there, which at L = 9 is c = 1.6, and KL-UCB has sqrt(2 L / n), which is c = 2.3. For exponential
# rewards the index is infinite up to n = alpha, which is exploration enough for a smaller c.
_PAST: dict[str, tuple[tuple[float, float, float, float, float], ...]] = {
    "bernoulli": (
        *((2.1, 0.5, 1.0, 0.0, 0.1), (2.1, 0.5, 1.0, 0.5, 0.1), (2.1, 0.5, 1.0, 0.5, 1.0)),
        (2.5, 0.5, 1.0, 1.0, 0.1),
    ),
    "gaussian": (
        *((1.6, 0.5, 1.0, 0.0, 0.1), (1.8, 0.5, 1.0, 0.5, 0.1), (2.1, 0.5, 1.0, 0.5, 0.1)),
        *((2.1, 0.5, 1.0, 1.0, 0.1), (2.5, 0.5, 1.0, 1.0, 0.1)),
    ),
    "exponential": (
        *((1.1, 0.5, 1.0, 0.5, 0.1), (1.3, 0.5, 1.0, 0.0, 0.1), (1.3, 0.5, 1.0, 1.0, 0.1)),
        *((1.5, 0.35, 0.0, 0.0, 0.1), (1.7, 0.5, 1.0, 0.5, 0.5)),
    ),
}


# Forms that use the horizon, at the spread 1/2: power, c, by_arms, least and reach.
_LEFT: dict[str, tuple[tuple[float, ...], ...]] = {
    "bernoulli": ((0.1,), (1.8, 2.1, 2.4), (0.5, 1.0), (1.0,), (inf,)),
    "gaussian": ((0.1,), (1.7, 1.8, 1.9, 2.0, 2.1), (0.5, 1.0), (0.1, 0.5), (inf,)),
    "exponential": ((0.2,), (1.6, 1.8, 2.0), (0.5, 1.0), (1.0,), (0.3, 0.5, 1.0)),
}


def candidates(family: str) -> dict[str, Record]:
    """The candidates for a family, by labels that state their parameters."""
    own = [ArmBias(0.1, *each) for each in _PAST[family]]
    own += [
        ArmBias(power, c, 0.5, 1.0, arms, least, "left", reach)
        for power, c, arms, least, reach in product(*_LEFT[family])
    ]
    named: list[tuple[str, ArmBias | BetaBias]] = [("stable", each) for each in own]
    named += [("stable", BetaBias(0.5, c)) for c in (0.5, 1.0, 2.0)]
    if family == "exponential":
        named += [("canonical", ArmBias(0.1, 1.7, 0.5, 1.0, 0.5, 0.5))]
    named += [("canonical", BetaBias())] if family != "gaussian" else []
    named += [("mean", BetaBias(0.5, 4.0))] if family == "bernoulli" else []
    return {_label(f, bias): RBMLE(bias, f=f) for f, bias in named}


def _label(f: str, bias: ArmBias | BetaBias) -> str:
    """The f and the numbers of alpha; of `ArmBias` `rounds` and `reach` only where they are set."""
    said = [f"{each:g}" for each in bias[:6]]
    if isinstance(bias, ArmBias):
        said += [str(bias.rounds)] if bias.rounds else []
        said += [f"reach {bias.reach:g}"] if bias.reach < inf else []
    return f"{f} {type(bias).__name__} {' '.join(said)}"
