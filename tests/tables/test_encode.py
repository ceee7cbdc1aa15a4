"""`Encode`: rows with words in them become features, by rules that can be checked by hand."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rbmle
from rbmle import Encode, ParameterError
from rbmle.spec import from_spec, to_spec
from rbmle.tables import Encoder

DEVICES = {"device": ["mobile", "desktop"]}


def test_one_hot_with_other_and_hashed_categories() -> None:
    encode = Encode(categories={**DEVICES, "city": 8}, intercept=False)
    known, unseen, empty = (
        encode.vector({"device": device, "city": "Rome"}) for device in ("desktop", "tv", None)
    )
    assert known[:3].tolist() == [0.0, 1.0, 0.0]
    assert unseen[:3].tolist() == empty[:3].tolist() == [0.0, 0.0, 1.0]
    assert known[3:].sum() == 1.0
    assert np.array_equal(known[3:], unseen[3:])  # the same city, the same place
    places = {int(encode.vector({"device": "tv", "city": str(n)})[3:].argmax()) for n in range(99)}
    assert places == set(range(8))


def test_crosses_are_products_of_features() -> None:
    encode = Encode({"a": [1, 2], "b": [0, 1]}, DEVICES, ["a x b", "device x a", "device x a x b"])
    row = {"a": 5.0, "b": 3.0, "device": "desktop"}
    value = dict(zip(encode.names, encode.vector(row).tolist(), strict=True))
    assert value["a"] == 2.0
    assert value["a x b"] == 6.0
    assert value["device=desktop x a"] == 2.0
    assert value["device=desktop x a x b"] == 6.0
    assert {x for name, x in value.items() if "mobile" in name or "other" in name} == {0.0}


def test_a_running_scale_is_that_of_the_rows_so_far() -> None:
    encoder, rng = Encoder(Encode(["x"], intercept=False).layout, ["a"]), np.random.default_rng(1)
    rows = 1e6 + 50.0 * rng.normal(size=200)
    for n in range(1, 201):
        features, encoder.scale = encoder.peek(rows[n - 1 : n, None].copy())
        spread = rows[:n].std()
        expected = (rows[n - 1] - rows[:n].mean()) / spread if n > 1 else 0.0
        assert features[0, 0] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_arms_own_columns_are_beside_those_of_the_context_and_crossed() -> None:
    table = pd.DataFrame({"price": [1.0, 3.0], "genre": ["x", "y"]}, index=["red", "blue"])
    encode = Encode({"age": [0, 1]}, arms=table, crosses="all", intercept=False)
    value = dict(zip(encode.names, encode.vector({"age": 2.0}, "blue").tolist(), strict=True))
    assert value == {
        "age": 2.0, "price": 1.0, "genre=x": 0.0, "genre=y": 1.0, "genre=other": 0.0,
        "age x price": 2.0, "age x genre=x": 0.0, "age x genre=y": 2.0, "age x genre=other": 0.0,
    }  # fmt: skip
    by_mapping = Encode({"age": [0, 1]}, arms=table.to_dict("index"), crosses="all").arms
    listed = table.rename_axis("arm").reset_index().to_dict("records")
    assert encode.arms == by_mapping == Encode({"age": [0, 1]}, arms=listed, crosses="all").arms
    assert Encode(["age"], arms=["red", "blue"]).names[2:] == ("arm=red", "arm=blue", "arm=other")


@pytest.mark.parametrize("kind", [list, pd.DataFrame])
def test_columns_are_learned_from_rows(kind: Any) -> None:
    rows = [{"n": n, "word": "ab"[n % 2], "flag": n > 2, "id": f"u{n}"} for n in range(60)]
    encode = Encode.fit(kind(rows), crosses=["word x flag"])
    assert encode.columns == ("n", "word", "flag", "id")
    assert dict(encode.numbers)["n"] == pytest.approx((29.5, np.std(np.arange(60))))
    assert dict(encode.categories) == {"word": ("a", "b"), "flag": (True, False), "id": 50}


def test_it_is_a_record_that_files_and_pickles_hold() -> None:
    encode = Encode(
        ["x"], {**DEVICES, "city": 8}, "device x x", arms={"a": {"p": 1}, "b": {"p": 2}}
    )
    evidence = rbmle.Linear(features=encode)
    assert evidence.dimension == encode.dimension == len(encode.names)
    assert from_spec(json.loads(json.dumps(to_spec(evidence)))) == evidence
    assert pickle.loads(pickle.dumps(encode)) == encode
    assert encode.replace(intercept=False).dimension == encode.dimension - 1


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Encode(), "'columns' must be one or more"),
        (lambda: Encode(["a"], {"a": ["x"]}), "distinct names. Got 'a'"),
        (lambda: Encode(7), "'numbers' must be names of columns"),
        (lambda: Encode({"a": [0, -1]}), "a deviation in (0, inf) in 'a'. Got [0, -1]"),
        (lambda: Encode({"a": "plain"}), "'numbers' must be names of columns"),
        (lambda: Encode(categories={"a": []}), "one or more distinct values in 'a'. Got []"),
        (lambda: Encode(categories={"a": 1}), "a whole number in [2, 1000]. Got 1"),
        (lambda: Encode(categories={"a": "word"}), "a mapping of columns to lists"),
        (lambda: Encode(["age"], crosses="age x hour"), "of columns 'age'. Got 'hour'"),
        (lambda: Encode(["age"], intercept=1), "'intercept' must be True or False. Got 1"),
        (lambda: Encode(categories={"a": 999, "b": 9}), "at most 1000 features in all"),
        (lambda: Encode(["age"], arms={"a": {"p": 1}, "b": {"q": 1}}), "rows have the columns 'p'"),
        (lambda: Encode(["age"], arms={"a": {"p": None}}), "at least one value in the column 'p'"),
        (lambda: Encode.fit([{"a": None}, {"a": float("nan")}]), "one value in the column 'a'"),
        (lambda: Encode.fit([{"a": "x"}, {"a": 3}]), "words throughout in the column 'a'. Got 3"),
        (lambda: Encode.fit([{"a": 1j}]), "finite numbers in the column 'a'"),
        (lambda: Encode.fit(3), "'rows' must be a table"),
        (lambda: rbmle.Linear(features=7), "'features' must be an Encode"),
        (lambda: rbmle.Linear(3, features=Encode(["age"])), "left out, or 2"),
        (lambda: rbmle.Linear(), "'dimension' must be given"),
        (
            lambda: rbmle.simulate(
                rbmle.LinearProblem([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]), ["ucb"], 9, 1,
                evidence=rbmle.Linear(features=Encode(["age"])),
            ),
            "'features' must be left out",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(ParameterError) as refused:
        make()
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_dict_is_read_as_quickly_and_otherwise_alike() -> None:
    """The quick way reads what is listed and finite; whatever it leaves, it leaves to the other."""
    layout = Encode(["a", "b"], {**DEVICES, "n": [1, 2]}).layout
    plain = {"a": 1, "b": 2.5, "device": "desktop", "n": 2}
    assert layout.quick(plain).tolist() == [1.0, 2.5, 1.0, 1.0]
    values: dict[str, list[Any]] = {
        "a": [True, np.float32(2), np.int64(3), "3", None, float("nan"), 1e101, 10**400, [1]],
        "device": ["mobile", "tv", None, 3, 1.5, ["mobile"], np.str_("desktop")],
        "n": [1.0, True, 3, np.int64(2), "1", None, float("nan")],
    }
    for name, given in values.items():
        for each in given:
            row = {**plain, name: each}
            quick = layout.quick(row)
            try:
                slow = layout.cells("Encode", list(row.values()))
            except (ParameterError, OverflowError):
                assert quick is None, (name, each)
            else:
                assert quick is None or quick.tolist() == slow.tolist(), (name, each)
                assert layout.cells("Encode", row).tolist() == slow.tolist()
    for other in ({"a": 1}, list(plain.values()), pd.Series(plain), None):
        assert layout.quick(other) is None
