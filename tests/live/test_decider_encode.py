"""A decider whose contexts are rows of tables with words in them."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from evidence_cases import interpret

from rbmle import Decider, Encode, Linear, Logistic, ParameterError, StateError

ARMS = {"red": {"price": 1.0, "genre": "x"}, "blue": {"price": 3.0, "genre": "y"}}
CONTEXT = Encode(["age"], {"device": ["mobile", "desktop"]}, ["device x age"])
KINDS: list[Any] = [
    (Linear(features=CONTEXT, shared=False), "gaussian"),
    (Linear(features=CONTEXT.replace(arms=ARMS, crosses=("all",))), "gaussian"),
    (Logistic(features=CONTEXT.replace(arms=["red", "blue"], crosses=("all",))), "bernoulli"),
]


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: Any) -> None:
    interpret(monkeypatch)


def rows(n: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(2)
    devices = rng.choice(["mobile", "desktop", "tv"], size=n).tolist()
    ages = rng.integers(18, 80, size=n).tolist()
    return [{"device": d, "age": a} for d, a in zip(devices, ages, strict=True)]


def play(live: Decider[Any], contexts: list[Any], first: int = 0) -> list[Any]:
    """Pulls with rewards that come at once, late, or never."""
    chosen = []
    for n, context in enumerate(contexts, first):
        chosen.append(live.pull(context=context, id=n))
        if n % 3:
            live.update(id=n, reward=float(n % 2))
        if n % 3 == 2 and n > 5:
            live.update(id=n - 5, reward=1.0)
    return chosen


@pytest.mark.parametrize(("evidence", "family"), KINDS)
def test_it_goes_on_the_same_after_a_file_a_pickle_and_a_copy(
    evidence: Any, family: str, tmp_path: Path
) -> None:
    contexts = rows(60)
    live = Decider(ARMS, "ucb", family, evidence=evidence)
    play(live, contexts[:30])
    live.save(tmp_path / "live.json")
    others = [Decider.load(tmp_path / "live.json"), pickle.loads(pickle.dumps(live))]
    others.append(copy.deepcopy(live))
    expected = play(live, contexts[30:], 30)
    live.save(tmp_path / "end.json")
    for other in others:
        assert other.evidence == evidence
        assert play(other, contexts[30:], 30) == expected
        other.save(tmp_path / "other.json")
        assert (tmp_path / "other.json").read_text() == (tmp_path / "end.json").read_text()


class Reader(NamedTuple):
    age: int
    device: str


def test_rows_of_every_library_are_the_same_context() -> None:
    """polars is not needed for it: its tables have `to_dicts`, its rows are mappings or tuples."""

    class Table:
        def __init__(self, row: Any) -> None:
            self.row = row

        def to_dicts(self) -> list[Any]:
            return [self.row]

    frame = pd.DataFrame(rows(30))
    forms = [
        lambda n, row: row,
        lambda n, row: frame.iloc[n],
        lambda n, row: frame.iloc[n : n + 1],
        lambda n, row: Table(row),
        lambda n, row: Reader(**row),
        lambda n, row: (row["age"], row["device"]),
        lambda n, row: np.array([row["age"], row["device"]], dtype=object),
    ]
    evidence, family = KINDS[0]
    played = []
    for form in forms:
        live = Decider(ARMS, "ucb", family, evidence=evidence)
        played.append(play(live, [form(n, row) for n, row in enumerate(rows(30))]))
        played[-1].append(live.summary().coefficients)
    assert all(each == played[0] for each in played)


def test_features_of_a_table_are_those_of_arrays() -> None:
    """With a scale that is told, `Encode` changes nothing but how a context is written."""
    told = Encode({"age": [45, 15]}, {"device": ["mobile", "desktop"]}, ["device x age"])
    words = Decider(["a", "b"], "ucb", "gaussian", evidence=Linear(features=told, shared=False))
    plain = Decider(["a", "b"], "ucb", "gaussian", evidence=Linear(told.dimension, shared=False))
    for n, row in enumerate(rows(40)):
        arm = words.pull(context=row)
        assert plain.pull(context=told.vector(row)) == arm
        for each in (words, plain):
            each.update(arm, n % 2)
    assert words.indices(rows(1)[0]) == plain.indices(told.vector(rows(1)[0]))


def scale(live: Any) -> Any:
    return live._state()["known"]["scale"]


def test_looking_does_not_move_the_scale_and_a_reward_finds_its_pull() -> None:
    live = Decider(ARMS, "ucb", "gaussian", evidence=KINDS[0][0])
    contexts = rows(5)
    for row in contexts:
        before = scale(live)
        live.indices(row)
        live.probabilities(row)
        live.summary()
        assert scale(live) == before
        live.decide(context=row)
        assert scale(live) != before
    chosen = live.pull(context=contexts[0], id="first")
    live.pull(context=contexts[1], id="second")  # the scale moves, but the row is the same
    for arm, pending in live.pending.items():
        live.forget(arm, pending - (arm == chosen)) if pending > (arm == chosen) else None
    live.update(id="first", reward=1.0, context=contexts[0])
    before = sum(live.counts.values())
    live.update(["red", "blue"], [1.0, 0.0], pd.DataFrame(contexts[2:4]))  # made elsewhere
    assert sum(live.counts.values()) == before + 2


def test_a_row_for_each_arm() -> None:
    live = Decider(["a", "b", "c"], "ucb", "gaussian", evidence=Linear(features=Encode(["price"])))
    live.disable("c")
    table = pd.DataFrame({"price": [3.0, 4.0]}, index=["a", "b"])
    other = copy.deepcopy(live)
    assert live.pull(context={"a": {"price": 3.0}, "b": [4.0]}) == other.pull(context=table)
    assert live._state() == other._state()


def test_candidates_and_slates_take_rows_too() -> None:
    evidence = Linear(features=CONTEXT, shared=False)
    live = Decider(["a", "b", "c"], "ucb", "gaussian", evidence=evidence)
    row = rows(1)[0]
    assert live.pull(among=["b"], context=row) == "b"
    assert live.pull(among=["c"], context={"c": row}) == "c"
    assert sorted(live.pull(k=3, context=row)) == ["a", "b", "c"]
    with pytest.raises(ParameterError, match="every enabled arm, 'a' too"):
        live.pull(among=["a", "c"], context={"c": row})


def test_the_summary_names_the_coefficients() -> None:
    evidence = Linear(features=Encode(categories={"device": ["mobile"]}, arms=ARMS))
    live = Decider(ARMS, "ucb", "gaussian", evidence=evidence)
    rng = np.random.default_rng(3)
    for n in range(400):
        device = "mobile" if n % 2 else "tv"
        arm = live.pull(context={"device": device})
        live.update(arm, 0.5 * n % 2 + 0.3 * (device == "mobile") + 0.1 * rng.normal())
    summary = live.summary()
    assert list(summary.coefficients) == list(evidence.features.names)
    value, error = summary.coefficients["device=mobile"]
    assert 0.0 < error < 1.0
    assert f"device=mobile: {'+' if value > 0 else ''}" in str(summary)
    assert " +- " in str(summary)
    assert json.dumps(summary.data())
    assert not Decider(ARMS, "ucb", "gaussian", evidence=Linear(2)).summary().coefficients


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        ({"device": "tv"}, "a row with the column 'age'. Got the columns 'device'"),
        ({}, "a row with the column 'age'. Got no columns"),
        ({"device": "tv", "age": "old"}, "a finite number in the column 'age'. Got 'old'"),
        ({"device": "tv", "age": None}, "a finite number in the column 'age'. Got None"),
        ({"device": "tv", "age": float("nan")}, "a finite number in the column 'age'. Got nan"),
        ({"device": 3, "age": 3}, "a string in the column 'device'. Got 3"),
        ({"device": ["tv"], "age": 3}, "a string or a whole number in the column 'device'"),
        ([3], "a row with the columns 'age', 'device'. Got [3]"),
        ("tv", "a row with the columns 'age', 'device'. Got 'tv'"),
        ({"green": [3, "tv"]}, "a row with the column 'age'"),
        ({"red": [3, "tv"]}, "every enabled arm, 'blue' too"),
    ],
)
@pytest.mark.parametrize("number", [0, 1])
def test_a_row_that_is_wrong_changes_nothing(context: Any, sentence: str, number: int) -> None:
    evidence, family = KINDS[number]
    live = Decider(ARMS, "ucb", family, evidence=evidence)
    play(live, rows(12))
    before = live._state()
    for call in (live.pull, live.decide, live.indices, live.probabilities):
        with pytest.raises(ParameterError, match=r"^Decider: 'context' must be ") as refused:
            call(context=context)
        assert sentence in str(refused.value)
        assert "\n" not in str(refused.value)
    assert live._state() == before
    play(live, rows(12), 12)


@pytest.mark.parametrize("waiting", [1, 3])
def test_a_row_that_is_too_large_after_scaling_changes_nothing(waiting: int) -> None:
    evidence = Linear(features=Encode({"age": [0.0, 1e-6]}), shared=False)
    live = Decider(["a", "b"], "ucb", "gaussian", evidence=evidence, patience=3)
    for age in range(5):
        arm = live.pull(context={"age": age * 1e-6})
        if age < 5 - waiting:
            live.update(arm, 1.0)
    before = json.dumps(live._state())
    for context in ({"age": 1e6}, None):
        with pytest.raises(ParameterError, match="'context' must be"):
            live.pull(context=context)
        assert json.dumps(live._state()) == before
    assert live.pull(context={"age": 0.0}) in "ab"


def test_an_arm_without_features_is_refused_and_nothing_is_lost() -> None:
    evidence, family = KINDS[1]
    live = Decider(ARMS, "ucb", family, evidence=evidence)
    play(live, rows(12))
    before = live._state()
    with pytest.raises(ParameterError, match="'arm' must be one of those that Encode has") as no:
        live.add("green")
    assert "Got 'green'" in str(no.value)
    assert live._state() == before
    play(live, rows(12), 12)
    with pytest.raises(ParameterError, match=r"features of: 'red', 'blue'. Got 'green'"):
        Decider(["red", "green"], "ucb", family, evidence=evidence)
    with pytest.raises(ParameterError, match="a row for each arm"):
        Decider(["a", "b"], "ucb", "gaussian", evidence=Linear(features=CONTEXT)).pull(
            context={"age": 3, "device": "tv"}
        )


class Doubling:
    """What a fitted transformer is: here the number of a row, and twice it."""

    def get_feature_names_out(self) -> list[str]:
        return ["x", "twice"]

    def transform(self, table: Any) -> Any:
        return np.array([[row[0], 2.0 * row[0]] for row in table])


def test_a_fitted_transformer_stands_in_its_place(tmp_path: Path) -> None:
    evidence = Linear(features=Doubling(), shared=False)
    assert evidence.dimension == 2
    live = Decider(["a", "b"], "ucb", "gaussian", evidence=evidence)
    plain = Decider(["a", "b"], "ucb", "gaussian", evidence=Linear(2, shared=False))
    for n in range(20):
        x = float(n % 5)
        arm = live.pull(context=[x])
        assert plain.pull(context=[x, 2.0 * x]) == arm
        for each in (live, plain):
            each.update(arm, x * (arm == "a"))
    assert list(live.summary().coefficients)[:2] == ["a: x", "a: twice"]
    live.save(tmp_path / "live.json")
    with pytest.raises(StateError, match=r"given again, as in Decider.load"):
        Decider.load(tmp_path / "live.json")
    again = Decider.load(tmp_path / "live.json", evidence=evidence)
    assert (
        again.indices([3.0])
        == live.indices([3.0])
        == pickle.loads(pickle.dumps(again)).indices([3.0])
    )
    with pytest.raises(ParameterError, match=r"a row that the transformer takes. Got \['x'\]"):
        live.pull(context=["x"])
