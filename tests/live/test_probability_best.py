"""`Decider.probability_best`: of the enabled arms, of what the evidence has left, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from decider_cases import red_and_blue
from evidence_cases import interpret

import rbmle
from rbmle import Bernoulli, Decider, Gaussian
from rbmle.errors import ParameterError
from rbmle.policies.posteriors import probability_best


def test_it_is_that_of_the_enabled_arms() -> None:
    live = Decider(list("abc"), "ucb", "bernoulli")
    assert live.probability_best() == pytest.approx(dict.fromkeys("abc", 1 / 3))
    live.update(["a", "a", "b", "c"], [1.0, 0.0, 0.0, 1.0])
    told = live.probability_best()
    assert list(told) == ["a", "b", "c"]
    expected = probability_best(Bernoulli(), np.array([2.0, 1.0, 1.0]), np.array([1.0, 0.0, 1.0]))
    assert list(told.values()) == expected.tolist()
    live.disable("b")
    assert set(live.probability_best()) == {"a", "c"}
    assert sum(live.probability_best().values()) == pytest.approx(1.0)


def test_a_pending_pull_tells_nothing() -> None:
    live = red_and_blue()
    live.update(["red", "blue"], [1.0, 0.0])
    before = live.probability_best()
    live.pull(5)
    assert live.probability_best() == before


@pytest.mark.parametrize("evidence", ["discounted(gamma=0.5)", "window(size=2)"])
def test_evidence_that_forgets(evidence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    live: Any = Decider(["a", "b"], "ucb", "bernoulli", evidence=evidence)
    for arm, value in zip("abab", (1.0, 1.0, 0.0, 1.0), strict=True):
        live.update(arm, value)
    a, b = {"d": ([0.625, 1.25], [0.125, 1.25]), "w": ([1.0, 1.0], [0.0, 1.0])}[evidence[0]]
    expected = probability_best(Bernoulli(), np.array(a), np.array(b))
    assert list(live.probability_best().values()) == pytest.approx(expected, abs=1e-9)


def test_what_is_refused_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    linear = Decider(["a", "b"], "ucb", "gaussian", evidence=rbmle.Linear(2))
    with pytest.raises(ParameterError, match="'evidence' must be one without features"):
        linear.probability_best()
    flat = Decider(["a", "b"], "ucb", Gaussian(prior_sd=np.inf))
    flat.update("a", 1.0)
    with pytest.raises(ParameterError, match="'family' must be one with a proper prior"):
        flat.probability_best()
    flat.update("b", 1.0)
    assert flat.probability_best() == pytest.approx({"a": 0.5, "b": 0.5})
