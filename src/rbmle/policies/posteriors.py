"""What conjugate posteriors say of the arms: which mean is the largest, and what others lose."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError, Words
from ..families import Conjugate
from .largest_draw import BETA, GAMMA, INVERSE_GAMMA, NORMAL, largest_draw

_KINDS = {"normal": NORMAL, "beta": BETA, "gamma": GAMMA, "inverse gamma": INVERSE_GAMMA}


def probability_best(family: object, pulls: Floats, sums: Floats) -> Floats:
    """The probability that each arm has the largest mean, to 1e-6, under the family's prior.

    pulls, sums: what is known of each arm, plain or effective.

    Coins that paid 0 of 0 and 1 of 1: the integral of 2 x^2 is 2/3.

    >>> from rbmle import Bernoulli
    >>> probability_best(Bernoulli(), np.array([0.0, 1.0]), np.array([0.0, 1.0])).round(6)
    array([0.333333, 0.666667])
    """
    return best_and_loss(family, pulls, sums, np.ones(pulls.size))[0]


def best_and_loss(
    family: object, pulls: Floats, sums: Floats, times: Floats
) -> tuple[Floats, Floats]:
    """`probability_best`, and what is lost in each round, by expectation under the posterior, if
    the arm is played from now on: the largest mean less its own.

    times: how many arms there are with these pulls and sums.
    """
    known, kind, a, b = _laws(family, pulls, sums, "Decider", "probability_best")
    best = np.empty(a.size)
    largest = _compiled()(_KINDS[kind], a, b, times, best)
    with np.errstate(all="ignore"):
        means = {
            "normal": a, "beta": a / (a + b), "gamma": a / b,
            "inverse gamma": np.where(a > 1.0, b / (a - 1.0), np.inf),
        }[kind]  # fmt: skip
        if np.isinf(means).any():
            largest = np.inf
        origin = 0.0 if kind == "normal" else known.mean_range()[0]
        unit = (known.posterior_mean(float(pulls[0]), float(sums[0])) - origin) / means[0]
        unit = unit if unit > 0.0 else 1.0  # it is NaN where both are 0 or infinite
        return best, np.maximum(unit * (largest - means), 0.0)


def probability_of_draws(owner: str, family: object, pulls: Floats, sums: Floats) -> Floats:
    """The probability of each arm that a draw from its posterior is the largest, to 1e-6."""
    _, kind, a, b = _laws(family, pulls, sums, owner, "probabilities")
    best = np.empty(a.size)
    _compiled()(_KINDS[kind], a, b, np.ones(a.size), best)
    return best


@cache
def _compiled() -> Callable[..., float]:
    """The code of `largest_draw`, whose types need not be looked up at each call."""
    return largest_draw.specialised(NORMAL, *(np.ones(1) for _ in range(4)))


def _laws(
    family: Any, pulls: Floats, sums: Floats, owner: str, asked: str
) -> tuple[Conjugate, str, Floats, Floats]:
    """The family, the kind of its posteriors, and two parameters of each.

    owner, asked: for error messages.
    """
    if not hasattr(type(family), "posterior_law"):
        allowed = f"one with a conjugate posterior, for {asked}"
        raise ParameterError(owner, "family", allowed, Words(type(family).__name__))
    laws = list(map(family.posterior_law, pulls.tolist(), sums.tolist()))
    a, b = (np.array([each[k] for each in laws], dtype=np.float64) for k in (1, 2))
    if not (np.isfinite(a).all() and 0.0 < b.min() <= b.max() < np.inf):
        allowed = f"one with a proper prior, for {asked} before every arm has a reward"
        raise ParameterError(owner, "family", allowed, family)
    return family, laws[0][0], a, b
