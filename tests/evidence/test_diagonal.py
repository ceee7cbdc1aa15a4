"""`Diagonal`: exact where features do not occur together, and quick where there are many."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from rbmle import Arms, Decider, Diagonal, Linear, Logistic, ParameterError
from rbmle.evidence import Features


@pytest.mark.parametrize(
    ("kind", "exact"),
    [(Diagonal(4, 0.5), Linear(4, 0.5)), (Diagonal(4, 0.5, True), Logistic(4, 0.5))],
)
def test_features_that_do_not_occur_together_are_learned_as_without(kind: Any, exact: Any) -> None:
    x, seen = Features(np.diag([1.0, 2.0, 0.5, 3.0])), []
    for each in (kind, exact):
        arms, memory = Arms.fresh(4), np.zeros(each.memory_size(4))
        each.begin(arms, memory)
        rng = np.random.default_rng(1)
        for i in rng.integers(4, size=60).tolist():
            each.learn(arms, memory, x, True, i, float(rng.integers(2)))
        each.look(arms, memory, x, True)
        theta, deviation = each.estimate(memory, 0)
        seen.append(np.concatenate([arms.pulls, arms.sums, theta, deviation]))
    assert seen[0] == pytest.approx(seen[1], rel=1e-9)


def test_correlated_features_are_learned_more_slowly_but_learned() -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(4000, 6)) + rng.normal(size=(4000, 1))
    theta = rng.normal(size=6)
    found = []
    for kind in (Linear(6), Diagonal(6)):
        arms, memory = Arms.fresh(1), np.zeros(kind.memory_size(1))
        kind.begin(arms, memory)
        for row in rows:
            noise = float(np.sin(row.sum() * 99.0))
            kind.learn(arms, memory, Features(row[None]), True, 0, float(row @ theta) + noise)
        found.append(float(np.abs(kind.estimate(memory, 0)[0] - theta).max()))
    assert found[0] < found[1] < 0.3


def test_it_is_refused_with_a_family_that_does_not_go_with_it() -> None:
    for kind, family in ((Diagonal(2), "bernoulli"), (Diagonal(2, logistical=True), "gaussian")):
        with pytest.raises(ParameterError, match=r"Bernoulli\(\) if it is logistical"):
            Decider(["a", "b"], "ucb", family, evidence=kind)


@pytest.mark.slow
@pytest.mark.parametrize("logistical", [False, True])
def test_a_thousand_features_of_a_hundred_arms_take_less_than_five_milliseconds(
    logistical: bool,
) -> None:
    family = "bernoulli" if logistical else "gaussian"
    live = Decider(range(100), "ucb", family, evidence=Diagonal(1000, logistical=logistical))
    rng, took = np.random.default_rng(3), []
    for _ in range(20):
        features = rng.normal(size=(100, 1000)) / 1000**0.5
        start = time.perf_counter()
        live.update(live.pull(context=features), 1.0)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.005  # 0.3 ms on an idle machine
