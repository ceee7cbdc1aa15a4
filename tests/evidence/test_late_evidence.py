"""Evidence that reads features, with rewards that come late."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rbmle import Arms
from rbmle.evidence import Diagonal, Features, Linear, Logistic

pytestmark = pytest.mark.slow  # compiles what evidence calls

RNG = np.random.default_rng(5)
X = RNG.normal(size=(4, 3))


def started(evidence: Any, features: Any) -> tuple[Arms, Any]:
    arms, memory = Arms.fresh(4), np.zeros(evidence.memory_size(4))
    evidence.begin(arms, memory)
    evidence.look(arms, memory, features, True)
    return arms, memory


KINDS = [
    Linear(3), Linear(3, shared=False), Logistic(3), Diagonal(3), Diagonal(3, logistical=True)
]  # fmt: skip


def seen(arms: Arms) -> Any:
    return np.array([arms.pulls, arms.sums / arms.pulls])


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("evidence", KINDS, ids=str)
def test_a_pull_that_is_supposed_changes_no_mean(evidence: Any, moving: bool) -> None:
    features = Features(X)
    arms, memory = started(evidence, features)
    for i in (0, 1, 2, 3, 0):
        evidence.learn(arms, memory, features, moving, i, float(i % 2))
    evidence.look(arms, memory, features, True)
    before = seen(arms)
    supposed = evidence.expect(arms, memory, features, moving, 2)
    evidence.look(arms, memory, features, True)
    after = seen(arms)
    assert supposed == pytest.approx(before[1, 2])
    assert after[1] == pytest.approx(before[1], abs=1e-9)
    assert after[0, 2] > before[0, 2]  # it is more certain


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("evidence", [Linear(3), Linear(3, shared=False)], ids=str)
def test_when_all_rewards_have_come_it_is_ridge_regression(evidence: Any, moving: bool) -> None:
    """Rewards come in another order than pulls were made, after 100 pulls; theta is solved anew."""
    rewards, pulls = RNG.normal(size=100), RNG.integers(0, 4, size=100)
    tables = [Features(RNG.normal(size=(4, 3)) if moving else X) for _ in range(100)]
    arms, memory = started(evidence, tables[0])
    supposed = [
        evidence.expect(arms, memory, table, moving, int(i))
        for table, i in zip(tables, pulls, strict=True)
    ]
    for k in RNG.permutation(100):
        evidence.correct(
            arms, memory, tables[k], moving, int(pulls[k]), supposed[k], float(rewards[k])
        )
    last = Features(X)
    evidence.look(arms, memory, last, True)
    for i in range(4):
        mine = [k for k in range(100) if evidence.shared or pulls[k] == i]
        rows = np.array([[tables[k].feature(int(pulls[k]), a) for a in range(3)] for k in mine])
        v = np.eye(3) + rows.T @ rows
        theta = np.linalg.solve(v, rows.T @ rewards[mine])
        assert arms.mean(i) == pytest.approx(X[i] @ theta, abs=1e-9)
        assert arms.pulls[i] == pytest.approx(1.0 / (X[i] @ np.linalg.solve(v, X[i])), rel=1e-9)


def test_when_all_clicks_have_come_it_is_logistic_regression() -> None:
    evidence, features = Logistic(3), Features(X)
    late, memory = started(evidence, features)
    prompt, other = started(evidence, features)
    clicks, pulls = RNG.integers(0, 2, size=40).astype(float), RNG.integers(0, 4, size=40)
    supposed = [evidence.expect(late, memory, features, False, int(i)) for i in pulls]
    for i, m, click in zip(pulls, supposed, clicks, strict=True):
        evidence.correct(late, memory, features, False, int(i), m, float(click))
        evidence.learn(prompt, other, features, False, int(i), float(click))
    # Newton steps end where they are 1e-7 standard deviations long
    assert seen(late) == pytest.approx(seen(prompt), rel=1e-6)
