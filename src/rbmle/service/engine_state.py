"""What the engine of an experiment knows of its evidence, as data for a snapshot, and back.

Arrays are written as their bytes: the same bits come back, infinities too, and a million numbers
take 10 ms. The features of the last decision belong to it: evidence may leave traces of them where
it works, and a state that was restored must be the one that was left, to the bit.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from math import nan
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..live.evidence_arms import EvidenceArms
from ..live.feature_arms import FeatureArms, Pull
from ..live.live_arms import LiveArms


def plain_engine(live: LiveArms) -> dict[str, Any]:
    """What the evidence of these arms knows; nothing for `Counting`, whose arms say it all."""
    if not isinstance(live, EvidenceArms):
        return {}
    known: dict[str, Any] = {
        "statistics": [_packed(each) for each in live.known],
        "memory": _packed(live.remembered),
    }
    if isinstance(live, FeatureArms):
        known["features"] = _packed(live.features.values)
        known["pulls"] = [_plain(each) for each in live.pulls.values()]
        known["came"] = [_plain(each) for each in live.came]
    return {"evidence": known}


def restore_engine(live: LiveArms, data: dict[str, Any]) -> None:
    """Bring what the evidence knows to the state that `plain_engine` wrote."""
    if not isinstance(live, EvidenceArms):
        return
    known = data["evidence"]
    for mine, given in zip(live.known, known["statistics"], strict=True):
        mine[:] = _unpacked(given)
    live.remembered[:] = _unpacked(known["memory"])
    if isinstance(live, FeatureArms):
        live.features.values[:] = _unpacked(known["features"]).reshape(live.features.values.shape)
        arms = list(live.arms.values())
        pulls = [_pull(arms, each) for each in known["pulls"]]
        live.pulls = {each.number: each for each in pulls if each.number is not None}
        live.came = [_pull(arms, each) for each in known["came"]]


def _packed(values: Floats) -> str:
    return b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()


def _unpacked(text: str) -> Floats:
    return np.frombuffer(b64decode(text, validate=True), dtype="<f8").astype(np.float64)


def _plain(pull: Pull) -> list[Any]:
    """Its number, its arm's place, whether it is counted and has a reward, and all its numbers."""
    numbers = [nan if each is None else each for each in (pull.supposed, pull.reward)]
    has = [each is not None for each in (pull.supposed, pull.reward)]
    return [pull.number, pull.arm.slot, *has, _packed(np.array([*numbers, *pull.context]))]


def _pull(arms: list[Any], given: list[Any]) -> Pull:
    number, place, counted, rewarded, numbers = given
    supposed, reward, *context = _unpacked(numbers).tolist()
    return Pull(
        number, arms[place], np.array(context), supposed if counted else None,
        reward if rewarded else None,
    )  # fmt: skip
