"""Contexts as pandas holds them: tables, rows and series are features like any other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from evidence_cases import X, interpret, linear, state_of

from rbmle import Decider, Linear, ParameterError

FRAME = pd.DataFrame(X, index=["age", "hour"]).T
NUMBERED = FRAME.reset_index(drop=True)


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: Any) -> None:
    interpret(monkeypatch)


def taught(live: Decider[Any]) -> Decider[Any]:
    live.update(live.arms[0], 1.0, [1.0, 0.5])
    live.update(live.arms[1], 0.2, [0.1, 2.0])
    return live


@pytest.mark.parametrize(
    "context",
    [
        FRAME,
        FRAME.loc[["blue", "red"]],
        FRAME.astype(object),
        FRAME.astype("Float64"),
        FRAME.to_numpy(),
        FRAME.to_numpy().tolist(),
        NUMBERED,
        pd.Series(X),
        {"red": FRAME.loc["red"], "blue": FRAME.loc[["blue"]]},
    ],
)
@pytest.mark.parametrize("shared", [True, False])
def test_a_row_for_each_arm(context: Any, shared: bool) -> None:
    live = taught(linear(evidence=Linear(2, shared=shared)))
    expected = live.indices(X)
    assert expected["red"] != expected["blue"]
    assert live.indices(context) == expected
    assert live.pull(context=context, id=1) == max(expected, key=lambda arm: expected[arm])
    again = taught(linear(evidence=Linear(2, shared=shared)))
    again.pull(context=X, id=1)
    assert state_of(live) == state_of(again)


@pytest.mark.parametrize(
    "context",
    [
        FRAME.loc["blue"],
        FRAME.iloc[[1]],
        FRAME.iloc[1].reset_index(drop=True),
        NUMBERED.iloc[[1]].set_axis([17]),
        np.array([[0.6, 0.8]]),
        np.array([0.6, 0.8]),
        (0.6, 0.8),
    ],
)
def test_one_row_for_all_arms(context: Any) -> None:
    live = taught(Decider(["a", "b"], "ucb", "gaussian", evidence=Linear(2, shared=False)))
    assert live.indices(context) == live.indices([0.6, 0.8])


def test_labels_that_are_arms_count_before_places() -> None:
    live = taught(Decider([1, 0], "ucb", "gaussian", evidence=Linear(2)))
    assert live.indices(NUMBERED) == live.indices({0: X["red"], 1: X["blue"]})
    assert live.indices(NUMBERED.to_numpy()) == live.indices({1: X["red"], 0: X["blue"]})


def test_rewards_with_contexts() -> None:
    one, other = linear(), linear()
    one.update("red", 1.0, FRAME.loc["red"])
    one.update("red", 0.5, context=FRAME.loc[["red"]])
    one.update(pd.Series(["red", "blue"]), pd.Series([1.0, 0.2]), FRAME)
    other.update("red", 1.0, X["red"])
    other.update("red", 0.5, X["red"])
    other.update(["red", "blue"], [1.0, 0.2], list(X.values()))
    assert state_of(one) == state_of(other)


REFUSED = [
    (lambda live: live.pull(FRAME), "'n' must be .* Features are given by name, as in pull"),
    (lambda live: live.pull(FRAME.loc["red"]), "'n' must be .* as in pull.context="),
    (lambda live: live.pull([0.6, 0.8]), r"'n' must be .* Got \[0.6, 0.8\]\. Features are given"),
    (lambda live: live.pull(context=FRAME.loc["red"]), "'context' must be the features of each"),
    (lambda live: live.pull(context=FRAME.rename({"red": "rde"})), "Did you mean 'red'"),
    (lambda live: live.pull(context=FRAME.iloc[[0]]), "every enabled arm, 'blue' too"),
    (lambda live: live.pull(context=FRAME.iloc[[0, 1, 0]]), "a table with one row for each arm"),
    (lambda live: live.pull(context=FRAME[["age"]]), "must be 2 numbers of .* for 'red'"),
    (lambda live: live.pull(context=FRAME.assign(age="young")), "must be 2 numbers .* for 'red'"),
    (lambda live: live.pull(context=FRAME.assign(age=np.nan)), "must be 2 numbers .* for 'red'"),
    (lambda live: live.pull(context=FRAME.T), "features of 'red', 'blue'.* Got 'age'"),
    (lambda live: live.pull(context=np.zeros((3, 2))), "'context' must be the features of each"),
    (lambda live: live.pull(context=FRAME.iloc[:0]), "'context' must be the features of each"),
    (lambda live: live.pull(context=[[1.0, 2.0], [3.0]]), "'context' must be the features of each"),
    (lambda live: live.pull(context={**X, "red": [[1.0], [2.0, 3.0]]}), "2 numbers .* for 'red'"),
    (lambda live: live.pull(context=7), "'context' must be the features of each arm"),
    (lambda live: live.update("red", 1.0, pd.Series([1.0])), "must be 2 numbers .* for 'red'"),
    (lambda live: live.update(["red"], [1.0], FRAME), "a list of 1 lists of features"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED)
def test_a_bad_shape_gets_one_sentence(call: Any, sentence: str) -> None:
    live = taught(linear())
    before = state_of(live)
    with pytest.raises(ParameterError, match=rf"^Decider: [^\n]*{sentence}[^\n]*$"):
        call(live)
    assert state_of(live) == before
