"""What a decider with evidence refuses: each gets its sentence and changes nothing."""

from __future__ import annotations

import re
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
import pytest
from evidence_cases import X, forgetting, interpret, linear, state_of

import rbmle
from rbmle import ParameterError
from rbmle.evidence import Discounted, Linear, Logistic, Window, evidence
from rbmle.live import input_checks


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: Any) -> None:
    interpret(monkeypatch)


REFUSED = [
    (lambda live: live.pull(), "'context' must be given with Linear, which reads features"),
    (
        lambda live: live.pull(context={"red": [1, 2]}),
        "'context' must be the features of every enabled",
    ),
    (
        lambda live: live.pull(context={**X, "red": [1, 2, 3]}),
        "must be 2 numbers of at most 1e+09 for 'red'",
    ),
    (
        lambda live: live.pull(context={**X, "red": [1, nan]}),
        "must be 2 numbers of at most 1e+09 for 'red'",
    ),
    (
        lambda live: live.pull(context={**X, "red": [inf, 1]}),
        "must be 2 numbers of at most 1e+09 for 'red'",
    ),
    (
        lambda live: live.pull(context={**X, "red": ["1", "2"]}),
        "must be 2 numbers of at most 1e+09 for 'red'",
    ),
    (
        lambda live: live.pull(context={**X, "red": "ab"}),
        "must be 2 numbers of at most 1e+09 for 'red'",
    ),
    (
        lambda live: live.pull(context={**X, "rde": [1, 1]}),
        "'context' must be features of 'red', 'blue'",
    ),
    (
        lambda live: live.pull(context={"age": 31}),
        "Got 'age'. A row with columns needs evidence with features=Encode(...).",
    ),
    (
        lambda live: live.pull(context=[1.0, 2.0]),
        "'context' must be the features of each arm, as in",
    ),
    (lambda live: live.pull(2.5), "'n' must be a whole number"),
    (
        lambda live: live.pull(context={**X, "red": [1.1e9, 0]}),
        "must be 2 numbers of at most 1e+09 for 'red'",
    ),
    (lambda live: live.update("red", 1.0), "'context' must be given for a reward of 'red' without"),
    (lambda live: live.update("red", 1.0, [1.0]), "must be 2 numbers of at most 1e+09 for 'red'"),
    (lambda live: live.update("red", nan, [1.0, 2.0]), "'reward' must be a number"),
    (lambda live: live.update("green", 1.0, [1.0, 2.0]), "'arm' must be one of"),
    (lambda live: live.update(["red", "red"], [1.0, 2.0], [[1, 2]]), "a list of 2 lists"),
    (lambda live: live.update(["blue", "blue"], [1.0, 2.0]), "without a pending pull"),
    (lambda live: live.update(id="b", reward=1.0, context=[9, 9]), "that of the named pull, or"),
    (lambda live: live.indices(), "'context' must be given: what is chosen depends on it"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED)
def test_what_is_wrong_gets_its_sentence_and_changes_nothing(call: Any, sentence: str) -> None:
    live = linear()
    live.update("red", 1.0, [1.0, 1.0])
    arm = live.pull(context={"red": [0.0, 0.0], "blue": [1.0, 1.0]}, id="b")
    assert arm == "blue"
    before = state_of(live)
    with pytest.raises(ParameterError, match=r"^Decider: ") as told:
        call(live)
    assert sentence in str(told.value)
    assert state_of(live) == before


@pytest.mark.parametrize("ridge", [1e-12, 1.0, 1e12])
def test_features_are_refused_where_rounding_makes_v_singular(ridge: float) -> None:
    """The largest features that are allowed, alike, and the largest rewards: all stays finite."""
    live, most = linear(evidence=Linear(2, ridge=ridge)), 1e9 * ridge**0.5
    big = {"red": [most, most], "blue": [most, most * (1 - 1e-15)]}
    live.update("red", 1e100, [most * 1e-12, 0.0])
    for k in range(300):  # the inverse is computed anew four times
        arm = live.pull(context=big)
        if k % 2:
            live.update(arm, 1e100 if k % 3 else -1e100)
    assert np.isfinite(live._live.remembered).all()
    assert np.isfinite(list(live.indices(big).values())).all()
    before = state_of(live)
    with pytest.raises(ParameterError, match=re.escape(f"of at most {most:g} for")):
        live.pull(context={**big, "red": [most * 1.01, 0.0]})
    assert state_of(live) == before


@evidence
class Ratio(NamedTuple):
    """A user's own: it divides by a feature."""

    def reads(self) -> int:
        return 1

    def look(self, arms: Any, memory: Any, features: Any, fresh: bool) -> None:
        for i in range(arms.n_arms()):
            arms.pulls[i] = 1.0
            arms.sums[i] = features.feature(i, 0) * 1e300 * 1e300


def test_features_for_which_there_is_no_mean_are_refused() -> None:
    live = linear(evidence=Ratio())
    assert live.pull(context={"red": [0.0], "blue": [0.0]}, id=1) in X
    with np.errstate(all="ignore"), pytest.raises(ParameterError, match="means are finite numbers"):
        live.pull(context={"red": [0.0], "blue": [1.0]})
    assert live.t == 2
    live.update(id=1, reward=1.0)  # evidence without `correct`: pending pulls do not count


@pytest.mark.parametrize("kind", [None, Window(3), Discounted(0.5)])
def test_a_context_where_none_is_read_is_refused(kind: Any) -> None:
    live = forgetting(kind)
    name = "Counting" if kind is None else type(kind).__name__
    for call in (
        lambda: live.pull(context=X),
        lambda: live.pull(context=[1.0]),
        lambda: live.update("red", 1.0, [1.0]),
        lambda: live.update(["red"], [1.0], [[1.0]]),
        lambda: live.update("red", 1.0, [1.0], id="x"),
        lambda: live.indices(X),
    ):
        with pytest.raises(ParameterError, match=f"'context' must be left out with {name}"):
            call()
    assert live.t == 1


def test_evidence_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="Linear: 'family' must be one whose means are any"):
        forgetting(Linear(2))
    with pytest.raises(ParameterError, match="Logistic: 'family' must be Bernoulli"):
        linear(evidence=Logistic(2))
    with pytest.raises(ParameterError, match="Decider: 'evidence' must be a kind of evidence"):
        linear(evidence=rbmle.UCB())
    assert forgetting("discounted(gamma=0.5)").evidence == Discounted(0.5)


def test_evidence_that_needs_too_much_memory_is_refused(monkeypatch: Any) -> None:
    live = linear(evidence=Linear(2, shared=False))  # 8 numbers and 16 for each arm
    monkeypatch.setattr(input_checks, "machine_memory", lambda: 8 * 50)
    for refused in (lambda: live.add("green"), lambda: linear(evidence=Window(1000))):
        with pytest.raises(ParameterError, match="'evidence' must be one whose memory fits in"):
            refused()
    assert live.arms == ("red", "blue")
