"""What the service tells of experiments: statistics, indices, shares of traffic. Only reading."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from ..policies.base import has_index
from .experiment import Experiment
from .keys import Key
from .ledger import Ledger
from .rows import Row

_DRAWS = 400  # draws for the probability of being best: its standard error is at most 0.025


def experiment_list(ledger: Ledger, who: Key) -> list[dict[str, Any]]:
    """The experiments that the key may see; within a transaction."""
    ledger.cache.load_all()
    return [
        _summary(_up_to_date(ledger, each))
        for each in ledger.cache.all()
        if who.experiment in (None, each.name)
    ]


def experiment_view(ledger: Ledger, who: Key, name: str) -> dict[str, Any] | None:
    """Everything about one experiment; None if the key may not see it; within a transaction."""
    known = ledger.cache.named(name) if who.experiment in (None, name) else None
    return None if known is None else _details(_up_to_date(ledger, known))


def events(ledger: Ledger, who: Key, name: str, after: int, limit: int) -> list[Row] | None:
    """Rows of the log after place `after`; None if the key may not see the experiment."""
    known = ledger.cache.named(name) if who.experiment in (None, name) else None
    return None if known is None else ledger.storage.rows(known.number, after, limit)


def _up_to_date(ledger: Ledger, known: Experiment) -> Experiment:
    ledger.cache.catch_up(known)
    return known


def _summary(known: Experiment) -> dict[str, Any]:
    data = known.definition.plain()
    return {
        "name": known.name,
        "policy": data["policy"],
        "family": data["family"],
        "n_arms": len(known.arms),
        "decisions": known.made,
        "rewards": known.rewarded,
        "expired": known.expired,
        "pending": known.made - known.rewarded - known.expired,
        "last_seq": known.seq,
        "updated": known.at,
    }


def _details(known: Experiment) -> dict[str, Any]:
    data = known.definition.plain()
    del data["arms"]
    live, indices = known.live, {}
    if has_index(known.definition.settings.policy):
        indices = live.indices()
    best = _probability_best(known)
    played = [arm.rounds for arm in known.arms]
    total = sum(played)
    arms = [
        {
            "name": arm.name,
            "state": state,
            "pulls": arm.pulls,
            "mean": _number(arm.mean),
            "pending": len(arm.pending),
            "given_up": arm.lost,
            "index": _number(indices.get(arm.name)),
            "share": n / total if total else 0.0,
            "probability_best": chance,
            "interval": _interval(arm.pulls, arm.total, arm.squares, arm.origin),
        }
        for arm, state, n, chance in zip(known.arms, known.states, played, best, strict=True)
    ]
    return {
        **_summary(known),
        **data,
        "t": live.rounds + 1,
        **_gain(known),
        "arms": arms,
        "traffic": known.history.shares(len(known.arms)),
    }


def _number(value: float | None) -> float | None:
    """The number, or None where JSON has none: before the first reward, or infinite."""
    return None if value is None or not isfinite(value) else value


def _interval(pulls: int, total: float, squares: float, origin: float) -> list[float] | None:
    """The 95 % interval of the mean by the normal approximation, mean +- 1.96 s / sqrt(n)."""
    if pulls < 2:
        return None
    mean = total / pulls
    away = mean - origin
    variance = max(squares / pulls - away * away, 0.0) * pulls / (pulls - 1)
    half = 1.959964 * (variance / pulls) ** 0.5
    return [mean - half, mean + half] if isfinite(half) else None


def _probability_best(known: Experiment) -> list[float | None]:
    """How often each active arm has the largest mean among draws from the posteriors, each taken as
    normal with the posterior's mean and standard deviation.

    None where the family has no posterior, for arms that rest, and if some active arm has no
    reward yet. The draws depend on the seed and on the row only, so that looking twice shows the
    same.
    """
    family = known.definition.settings.family
    places = [place for place, state in enumerate(known.states) if state == "active"]
    nothing: list[float | None] = [None] * len(known.arms)
    if not hasattr(type(family), "posterior_mean") or len(places) * _DRAWS > 40_000:
        return nothing
    if any(not known.arms[place].pulls for place in places):
        return nothing
    pulls = np.array([known.arms[place].pulls for place in places], float)
    means = np.array([family.posterior_mean(a.pulls, a.total) for a in _at(known, places)])
    spreads = np.array([family.posterior_sd(a.pulls, a.total) for a in _at(known, places)])
    if not (np.isfinite(means).all() and np.isfinite(spreads).all() and pulls.all()):
        return nothing
    generator = np.random.default_rng([known.definition.settings.seed, known.seq])
    drawn = means + spreads * generator.standard_normal((_DRAWS, len(places)))
    wins = np.bincount(drawn.argmax(axis=1), minlength=len(places)) / _DRAWS
    for place, share in zip(places, wins.tolist(), strict=True):
        nothing[place] = share
    return nothing


def _at(known: Experiment, places: list[int]) -> list[Any]:
    return [known.arms[place] for place in places]


def _gain(known: Experiment) -> dict[str, float | None]:
    """What was paid, and an estimate of what equal shares would have paid for as many rewards.

    The estimate is the number of rewards times the plain average of the arms' means: None until
    every arm has a reward.
    """
    rewards = sum(arm.pulls for arm in known.arms)
    paid = sum(arm.total for arm in known.arms)
    if any(not arm.pulls for arm in known.arms):
        return {"paid": paid, "gain": None}
    equal = rewards * sum(arm.mean for arm in known.arms) / len(known.arms)
    return {"paid": paid, "gain": _number(paid - equal)}
