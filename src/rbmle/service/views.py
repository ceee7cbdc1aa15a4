"""What the service tells of experiments: statistics, indices, traffic, metrics. Only reading."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from msgspec.structs import asdict

from ..policies.base import has_index
from .experiment import Experiment
from .ledger import Ledger
from .messages import ArmStatistics, Details, Summary, Traffic
from .rows import Row
from .storage import Key

_POSTERIOR_DRAWS = 400  # of the probability of being best: its standard error is at most 0.025
_METRICS = (
    ("rbmle_decisions_total", "counter", "Decisions made.", "decisions"),
    ("rbmle_rewards_total", "counter", "Rewards counted.", "rewards"),
    ("rbmle_expired_total", "counter", "Decisions whose reward did not come in time.", "expired"),
    ("rbmle_pending", "gauge", "Decisions whose reward may still come.", "pending"),
    ("rbmle_arms", "gauge", "Arms, in any state.", "n_arms"),
)
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def experiment_list(ledger: Ledger, who: Key) -> list[Summary]:
    """The experiments that the key may see; within a transaction."""
    seen = (each for each in ledger.cache.load_all() if who.sees(each.name))
    return [_summary(ledger.cache.catch_up(each)) for each in seen]


def experiment_details(ledger: Ledger, who: Key, name: str) -> Details | None:
    """Everything about one experiment; None if the key may not see it; within a transaction."""
    known = ledger.cache.named(name) if who.sees(name) else None
    return None if known is None else _details(ledger.cache.catch_up(known))


def events(ledger: Ledger, who: Key, name: str, after: int, limit: int) -> list[Row] | None:
    """Rows of the log after place `after`; None if the key may not see the experiment."""
    known = ledger.cache.named(name) if who.sees(name) else None
    return None if known is None else ledger.storage.rows(known.number, after, limit)


def metrics(experiments: Sequence[Summary]) -> str:
    """The metrics, in the text form of Prometheus. They come from the log, so that every worker
    tells the same."""
    lines = []
    for name, kind, help, field in _METRICS:
        lines += [f"# HELP {name} {help}", f"# TYPE {name} {kind}"]
        lines += [
            f'{name}{{experiment="{each.name.translate(_ESCAPED)}"}} {getattr(each, field)}'
            for each in experiments
        ]
    return "\n".join(lines) + "\n"


def _summary(known: Experiment) -> Summary:
    plain = known.definition.plain()
    return Summary(
        name=known.name,
        policy=plain.policy,
        family=plain.family,
        evidence=plain.evidence or "",
        n_arms=len(known.arms),
        decisions=known.made,
        rewards=known.rewarded,
        expired=known.expired,
        pending=known.made - known.rewarded - known.expired,
        last_seq=known.seq,
        updated=known.at,
    )


def _details(known: Experiment) -> Details:
    live, reads = known.live, known.definition.reads
    indices = {}
    if has_index(known.definition.settings.policy) and not reads:
        indices = live.indices()
    worth = [live.worth(arm) for arm in known.arms]
    best = _probability_best(known, worth)
    total = sum(arm.rounds for arm in known.arms)
    arms = [
        ArmStatistics(
            name=arm.name,
            state=state,
            pulls=arm.pulls,
            effective_pulls=None if reads else n_left,
            mean=_number(live.mean_of(arm)),
            pending=len(arm.pending),
            given_up=arm.lost,
            index=_number(indices.get(arm.name)),
            share=arm.rounds / total if total else 0.0,
            probability_best=chance,
            interval=_interval(n_left, *sums),
        )
        for arm, state, chance, (n_left, *sums) in zip(
            known.arms, known.states, best, worth, strict=True
        )
    ]
    paid, gain = _gain(known)
    return Details(
        **asdict(known.definition.plain()) | asdict(_summary(known)) | {"arms": arms},
        t=live.rounds + 1,
        paid=paid,
        gain=gain,
        traffic=[Traffic(**each) for each in known.history.shares(len(known.arms))],
    )


def _number(value: float | None) -> float | None:
    """The number, or None where JSON has none: before the first reward, or infinite."""
    return None if value is None or not isfinite(value) else value


def _interval(pulls: float, total: float, squares: float, origin: float) -> list[float] | None:
    """The 95 % interval of the mean by the normal approximation, mean +- 1.96 s / sqrt(n).

    Discounted pulls count as pulls here, which makes it wider than it need be: the variance of a
    discounted mean is s^2 sum w^2 / (sum w)^2, at most s^2 / n because no weight w exceeds 1.
    """
    if pulls < 2:
        return None
    mean = total / pulls
    away = mean - origin
    variance = max(squares / pulls - away * away, 0.0) * pulls / (pulls - 1)
    half = 1.959964 * (variance / pulls) ** 0.5
    return [mean - half, mean + half] if isfinite(half) else None


def _probability_best(
    known: Experiment, worth: list[tuple[float, float, float, float]]
) -> list[float | None]:
    """How often each active arm has the largest mean among draws from the posteriors, each taken as
    normal with the posterior's mean and standard deviation.

    None where the family has no posterior, for arms that rest, if some active arm has no reward
    yet, and with features, on which it depends which arm is best. The draws depend on the seed and
    on the row only, so that looking twice shows the same.
    """
    family = known.definition.settings.family
    places = [place for place, state in enumerate(known.states) if state == "active"]
    nothing: list[float | None] = [None] * len(known.arms)
    if not hasattr(type(family), "posterior_mean") or len(places) * _POSTERIOR_DRAWS > 40_000:
        return nothing
    if known.definition.reads or any(not worth[place][0] for place in places):
        return nothing
    means = np.array([family.posterior_mean(*worth[place][:2]) for place in places])
    spreads = np.array([family.posterior_sd(*worth[place][:2]) for place in places])
    if not (np.isfinite(means).all() and np.isfinite(spreads).all()):
        return nothing
    generator = np.random.default_rng([known.definition.settings.seed, known.seq])
    drawn = means + spreads * generator.standard_normal((_POSTERIOR_DRAWS, len(places)))
    wins = np.bincount(drawn.argmax(axis=1), minlength=len(places)) / _POSTERIOR_DRAWS
    for place, share in zip(places, wins.tolist(), strict=True):
        nothing[place] = share
    return nothing


def _gain(known: Experiment) -> tuple[float, float | None]:
    """What was paid, and an estimate of what equal shares would have paid for as many rewards.

    The estimate is the number of rewards times the plain average of the arms' means: None until
    every arm has a reward, and with features: then an arm's mean is that of the visits that it was
    chosen for, and says nothing of the others.
    """
    rewards = sum(arm.pulls for arm in known.arms)
    paid = sum(arm.total for arm in known.arms)
    if known.definition.reads or any(not arm.pulls for arm in known.arms):
        return paid, None
    equal = rewards * sum(arm.mean for arm in known.arms) / len(known.arms)
    return paid, _number(paid - equal)
