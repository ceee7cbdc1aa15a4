"""What the service tells of experiments: statistics, indices, traffic, metrics. Only reading."""

from __future__ import annotations

import functools
from contextlib import suppress
from math import isfinite
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import asdict

from ..inference.summary import Summary as Conclusions
from ..inference.summary import summarise, why_no_intervals
from ..policies.base import has_index
from .contexts import features_of_arm
from .experiment import Experiment
from .ledger import Ledger
from .meters import metric, sample
from .rows import Kind
from .shown import ArmStatistics, Details, LastDecision, OverTime, Overview, Traffic
from .storage import Key, Storage
from .timeline import KEPT

_ROWS_PER_READ = 500  # some 5 ms of work, before others have their turn
_encoder = msgspec.json.Encoder()
_MAX_COMPARED_ARMS = 1_000  # of which the probability of being best is told
# The family; pulls and sum of each arm; why there are no intervals, if there are none.
Known = tuple[Any, list[tuple[float, float]], str]
_METRICS = (
    ("rbmle_decisions_total", "counter", "Decisions made.", "decisions"),
    ("rbmle_rewards_total", "counter", "Rewards counted.", "rewards"),
    ("rbmle_expired_total", "counter", "Decisions whose reward did not come in time.", "expired"),
    ("rbmle_pending", "gauge", "Decisions whose reward may still come.", "pending"),
    ("rbmle_arms", "gauge", "Arms, in any state.", "n_arms"),
)
_NEAR_ROWS = 48  # that are read at once for the last decisions: mostly all that is needed
_STATES: dict[int | None, str] = {None: "pending", Kind.REWARD: "rewarded", Kind.EXPIRED: "expired"}


def experiment_list(ledger: Ledger, who: Key) -> list[Overview]:
    """The experiments that the key may see; within a transaction."""
    return [_summary(each) for each in ledger.cache.load_all() if who.sees(each.name)]


def experiment_details(ledger: Ledger, who: Key, name: str) -> tuple[Details, Known] | None:
    """Everything about one experiment but `with_conclusions`, and what that needs; within a
    transaction. None if the key may not see it."""
    known = ledger.cache.current(ledger.storage.find(name)) if who.sees(name) else None
    if known is None:
        return None
    definition = ledger.cache.ready(known).definition
    worth = [] if definition.reads else [known.live.worth(arm)[:2] for arm in known.arms]
    family, evidence = definition.settings.family, definition.settings.evidence
    with ledger.cache.reading(known, min(known.history.last, default=known.seq), known.seq):
        last = _last(known, ledger.storage)
    return _details(known, last), (family, worth, why_no_intervals(evidence))


def with_conclusions(shown: Details, known: Known) -> Details:
    """The details with what may be concluded, as in `Decider.summary`: intervals that hold at every
    look, who is probably the best, and whether it is safe to stop.

    With features nothing is told of the means. This is done outside the transaction: for 1,000 arms
    it takes some 30 ms.
    """
    family, worth, note = known
    names = tuple(arm.name for arm in shown.arms)
    active = tuple(arm.state == "active" for arm in shown.arms)
    if not worth or not any(active):
        return shown
    with suppress(TypeError):  # a user's family without a hash
        found = _concluded(family, names, tuple(worth), active, note)
        shown.leader = None if found.leader is None else str(found.leader)
        shown.safe_to_stop, shown.verdict = found.safe_to_stop, found.verdict
        for arm, each in zip(shown.arms, found.arms.values(), strict=True):
            ends = [each.low, each.high]
            arm.interval = ends if all(map(isfinite, ends)) else None
            arm.probability_best = _number(each.probability_best)
            arm.expected_loss = _number(each.expected_loss)
    return shown


@functools.lru_cache(maxsize=64)
def _concluded(
    family: Any, names: tuple[str, ...], worth: tuple[tuple[float, float], ...],
    active: tuple[bool, ...], note: str,
) -> Conclusions:  # fmt: skip
    """What may be concluded, computed once for all who look before the next reward."""
    pulls, sums = np.array(worth, float).T
    compared = sum(active) <= _MAX_COMPARED_ARMS
    return summarise(names, family, pulls, sums, 0.95, np.array(active), note, compared)


def events(ledger: Ledger, who: Key, name: str, after: int) -> tuple[bytes, int] | None:
    """Some rows of the log after place `after`, a line each, and the place to go on after; 0 if
    these are the last. None if the key may not see the experiment."""
    stored = ledger.storage.find(name) if who.sees(name) else None
    if stored is None:
        return None
    rows = ledger.storage.rows(stored.number, after, _ROWS_PER_READ)
    with ledger.cache.reading(stored, after + 1, rows[-1].seq if rows else after):
        lines = _encoder.encode_lines([each.event() for each in rows])
    return lines, rows[-1].seq if len(rows) == _ROWS_PER_READ else 0


def metrics(ledger: Ledger, who: Key) -> str:
    """The metrics, in the text form of Prometheus. They come from the log, so that every worker
    tells the same; within a transaction."""
    experiments = experiment_list(ledger, who)
    bad = sum(map(who.sees, ledger.cache.quarantined()))
    count = f"rbmle_quarantined {bad}"
    lines = metric("rbmle_quarantined", "gauge", "Experiments that cannot be used.", [count])
    for name, kind, help, field in _METRICS:
        samples = [
            sample(name, {"experiment": each.name}, getattr(each, field)) for each in experiments
        ]
        lines += metric(name, kind, help, samples)
    return "\n".join(lines) + "\n"


def _summary(known: Experiment) -> Overview:
    plain = known.definition.plain()
    return Overview(
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
        ended=known.ended,
    )


def _details(known: Experiment, last: list[LastDecision]) -> Details:
    live, reads = known.live, known.definition.reads
    indices = {}
    if has_index(known.definition.settings.policy) and not reads:
        indices = live.indices()
    total = sum(arm.rounds for arm in known.arms)
    arms = [
        ArmStatistics(
            name=arm.name,
            state=state,
            pulls=arm.pulls,
            effective_pulls=None if reads else live.worth(arm)[0],
            mean=_number(live.mean_of(arm)),
            pending=len(arm.pending),
            given_up=arm.lost,
            index=_number(indices.get(arm.name)),
            share=arm.rounds / total if total else 0.0,
            probability_best=None,
            expected_loss=None,
            interval=None,
            reason=arm.reason or None,
        )
        for arm, state in zip(known.arms, known.states, strict=True)
    ]
    paid, gain = _gain(known)
    plain = asdict(known.definition.plain())
    for name in ("cost", "objective", "price", "budget"):  # they are parts of the policy
        del plain[name]
    spend = live.spend()
    return Details(
        **plain | asdict(_summary(known)) | {"arms": arms},
        spent=spend.spent,
        left=_number(spend.left),
        t=live.rounds + 1,
        paid=paid,
        gain=gain,
        warning=live.misfit(),
        leader=None,
        safe_to_stop=False,
        verdict="",
        traffic=[Traffic(**each) for each in known.history.shares(len(known.arms))],
        over_time=_over_time(known),
        last=last,
    )


def _over_time(known: Experiment) -> list[OverTime]:
    """Decisions and rewards per minute, hour and day."""
    shown = zip(KEPT, known.history.timeline.buckets(), strict=True)
    return [
        OverTime(width, *([each[column] for each in buckets] for column in range(4)))
        for (width, _), buckets in shown
    ]


def _last(known: Experiment, storage: Storage) -> list[LastDecision]:
    """The last decisions, newest first. The state knows their places in the log, not their ids,
    which may be those of persons: they are in the log alone."""
    shown, places, number = [], known.history.last, known.number
    near = storage.rows(number, places[0] - 1, _NEAR_ROWS) if places else []
    made, ends = {row.seq: row for row in near}, {row.of: row for row in near}
    for seq in reversed(places):
        row = made.get(seq) or storage.decision(number, seq)
        if row is None:
            continue
        end = None if seq in known.open else ends.get(seq) or storage.outcome(number, seq)
        arm, context = row.arm or 0, row.context
        shown.append(
            LastDecision(
                id=row.name(),
                arm=known.arms[arm].name,
                t=row.t or 1,
                at=row.at,
                state=_STATES[None if end is None else end.kind],
                reward=None if end is None else end.value,
                features=None if context is None else list(features_of_arm(context, arm)),
            )
        )
    return shown


def _number(value: float | None) -> float | None:
    """The number, or None where JSON has none: before the first reward, or infinite."""
    return None if value is None or not isfinite(value) else value


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
