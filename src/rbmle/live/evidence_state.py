"""What a decider's evidence knows, as data that JSON can hold, and back."""

from __future__ import annotations

from math import inf, isnan, nan
from sys import float_info
from typing import Any

import numpy as np

from .._numba.compile import Floats
from .evidence_arms import EvidenceArms
from .feature_arms import FeatureArms, Pull
from .live_arms import LiveArms
from .state import Reader

_FORGOTTEN = "forgotten"  # JSON has no NaN
_INFINITE = "inf"  # nor this: features that are all 0 are worth 1e300 pulls, whose squares overflow


def plain_evidence(live: LiveArms) -> dict[str, Any]:
    """What the evidence of these arms knows; nothing for `Counting`, whose arms say it all."""
    if not isinstance(live, EvidenceArms):
        return {}
    known: dict[str, Any] = {
        "statistics": [[_INFINITE if x == inf else x for x in row.tolist()] for row in live.known],
        "memory": live.remembered.tolist(),
        "last": [arm.last for arm in live.arms.values()],
    }
    if isinstance(live, FeatureArms):
        known["pulls"] = [_plain(each) for each in live.pulls.values()]
        known["came"] = [_plain(each) for each in live.came]
    return {"known": known}


def _plain(pull: Pull) -> list[Any]:
    before: Any = pull.supposed
    if before is not None and isnan(before):
        before = _FORGOTTEN
    return [pull.number, pull.arm.name, pull.context.tolist(), before, pull.reward]


def restore(live: LiveArms, saved: Reader) -> None:
    """Bring what the evidence knows to the state that `plain_evidence` wrote."""
    if not isinstance(live, EvidenceArms):
        return
    known = Reader(saved.path, saved.take("known"), "known: ")
    if not isinstance(known.data, dict):
        raise saved.bad("known", "an object", known.data)
    n_arms, listed = len(live.arms), known.take("statistics")
    if not isinstance(listed, list) or len(listed) != len(live.known):
        raise known.bad("statistics", f"{len(live.known)} lists", listed)
    for mine, given in zip(live.known, listed, strict=True):
        mine[:] = _statistics(known, given, n_arms)
    live.remembered[:] = _numbers(known, "memory", known.take("memory"), live.remembered.size)
    if not live.evidence.holds(n_arms, live.remembered):
        kind = type(live.evidence).__name__
        raise known.bad("memory", f"what {kind} remembers", live.remembered.tolist())
    last = _numbers(known, "last", known.take("last"), n_arms)
    for arm, number in zip(live.arms.values(), last.tolist(), strict=True):
        arm.last = int(number)
    if isinstance(live, FeatureArms):
        pulls = [_pull(live, known, "pulls", each) for each in _list(known, "pulls")]
        live.pulls = {each.number: each for each in pulls if each.number is not None}
        pending = sorted((n, arm.name) for arm in live.arms.values() for n in arm.pending)
        if [(each.number, each.arm.name) for each in pulls] != pending:
            raise known.bad("pulls", "the pending pulls of the arms", [each[0] for each in pending])
        live.came = [_pull(live, known, "came", each) for each in _list(known, "came")]
        if any(each.reward is None for each in live.came):
            raise known.bad("came", "pulls with a reward", None)


def _list(known: Reader, key: str) -> list[Any]:
    value = known.take(key)
    if not isinstance(value, list):
        raise known.bad(key, "a list", value)
    return value


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= float_info.max


def _numbers(known: Reader, key: str, given: Any, size: int) -> Floats:
    """A list of so many finite numbers."""
    if not isinstance(given, list) or len(given) != size or not all(map(_is_number, given)):
        raise known.bad(key, f"lists of {size} finite numbers", given)
    return np.array(given, dtype=np.float64)


def _statistics(known: Reader, given: Any, size: int) -> Floats:
    """A list of so many numbers, of which some may be infinite."""
    infinite = [each == _INFINITE for each in given] if isinstance(given, list) else []
    finite = [0.0 if each == _INFINITE else each for each in given] if infinite else given
    values = _numbers(known, "statistics", finite, size)
    values[np.array(infinite, dtype=bool)] = inf
    return values


def _pull(live: FeatureArms, known: Reader, key: str, given: Any) -> Pull:
    """One pull: its number, arm, features, what is supposed of it, and its reward."""
    form = isinstance(given, list) and len(given) == 5
    if not form or type(given[0]) not in (int, type(None)) or given[1] not in live.arms:
        raise known.bad(key, "lists of number, arm, context, supposed and reward", given)
    number, arm, context, before, reward = given
    vector = _numbers(known, key, context, live.evidence.reads())
    before = nan if before == _FORGOTTEN else before
    for each in (before, reward):
        if each is not None and type(each) not in (int, float):
            raise known.bad(key, "lists of number, arm, context, supposed and reward", given)
    return Pull(number, live.arms[arm], vector, before, reward)
