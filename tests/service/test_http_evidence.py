"""Evidence and contexts over HTTP: created, decided with, shown, refused in a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from evidence_cases import interpret
from http_cases import Worker, worker

from rbmle.service.storage import open_storage
from rbmle.service.verify import verify

pytestmark = pytest.mark.slow

LINEAR = {"family": {"name": "Gaussian"}, "evidence": {"name": "Linear", "dimension": 2}}
X = {"a": [1.0, 0.0], "b": [0.6, 0.8]}
KINDS: list[tuple[str, Any, dict[str, Any], Any]] = [
    ("Counting", "Counting", {}, None),
    ("Discounted", {"name": "Discounted", "gamma": 0.5}, {}, None),
    ("Window", "window(size=3)", {}, None),
    ("Linear", LINEAR["evidence"], {"family": "gaussian"}, X),
    ("disjoint", {"name": "Linear", "dimension": 2, "ridge": 0.5, "shared": False},
     {"family": "gaussian", "policy": "lints"}, [0.6, 0.8]),
    ("Logistic", {"name": "Logistic", "dimension": 2}, {}, X),
]  # fmt: skip


@pytest.fixture(scope="module")
def url(tmp_path_factory: Any) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('http')}/rbmle.db"


@pytest.fixture(scope="module")
def ours(url: str) -> Iterator[Worker]:
    """It chooses in the interpreter: compiling all these kinds would take a minute."""
    with pytest.MonkeyPatch.context() as patch, worker(url) as made:
        interpret(patch)
        assert made.create("features", **LINEAR).status == 201
        yield made


def ask(ours: Worker, name: str, body: Any) -> Any:
    return ours.call("POST", f"/v1/experiments/{name}/decisions", body)


@pytest.mark.parametrize(("name", "kind", "more", "context"), KINDS, ids=[k[0] for k in KINDS])
def test_every_kind_is_served(
    ours: Worker, url: str, name: str, kind: Any, more: dict[str, Any], context: Any
) -> None:
    made = ours.create(name, evidence=kind, **more)
    assert made.status == 201
    assert made.data["evidence"]["name"] == ("Linear" if name == "disjoint" else name)
    assert ours.create(name, evidence=made.data["evidence"], **more).status == 200
    items: list[Any] = []
    for n in range(12):
        body = (
            {"id": f"{name}-{n}"} if context is None else {"id": f"{name}-{n}", "context": context}
        )
        told = ask(ours, name, body)
        assert (told.status, told.data["t"]) == (200, n + 1)
        items.append({"reward": {"id": f"{name}-{n}", "value": n % 2}})
    asked = {"experiment": name, "id": "late"} | ({} if context is None else {"context": context})
    told = ours.call("POST", "/v1/batch", {"items": [*items, {"decision": asked}]})
    assert {each["status"] for each in told.data["answers"]} == {200}
    shown = ours.call("GET", f"/v1/experiments/{name}").data
    assert (shown["rewards"], shown["pending"]) == (12, 1)
    assert shown["evidence"] == made.data["evidence"]
    arms = shown["arms"]
    left = [arm["effective_pulls"] for arm in arms]
    if context is None:
        total = {"Counting": 12, "Discounted": 2 - 0.5**11, "Window": 3}[name]
        assert sum(left) == pytest.approx(total)
        assert [arm["index"] is None for arm in arms] == [pulls == 0.0 for pulls in left]
    else:  # what rewards are worth depends on the features of the moment
        assert left == [None, None]
        assert [arm["index"] for arm in arms] == [None, None]
        assert {arm["probability_best"] for arm in arms} == {None}
        assert shown["gain"] is None
    lines = ours.call("GET", f"/v1/experiments/{name}/events?after=1").content.splitlines()
    contexts = [
        each.get("context") for each in map(json.loads, lines) if each["kind"] == "decision"
    ]
    by_place = list(context.values()) if isinstance(context, dict) else context
    assert contexts == [by_place] * 13
    storage = open_storage(url)
    assert [each.wrong for each in verify(storage) if each.wrong] == []
    storage.close()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"evidence": "nothing"}, "'evidence' must be"),
        ({"evidence": {"name": "Discounted"}}, "gamma"),
        ({"evidence": {"name": "Discounted", "gamma": 1.5}}, "'gamma' must be"),
        ({"evidence": {"name": "Window", "size": 0}}, "'size' must be"),
        ({"evidence": {"name": "Window", "size": 1e9}}, "remembers at most 1,000,000 numbers"),
        ({"evidence": {"name": "Window", "gamma": 3}}, "Window: takes the parameters"),
        ({"evidence": {"name": "UCB"}}, "'evidence' must be"),
        ({"evidence": {"name": "Linear", "dimension": 2}}, "whose means are any numbers"),
        ({**LINEAR, "evidence": {"name": "Logistic", "dimension": 2}}, "must be Bernoulli"),
        ({**LINEAR, "evidence": {"name": "Linear", "dimension": 0}}, "'dimension' must be"),
        ({**LINEAR, "evidence": {"name": "Linear", "dimension": 2, "ridge": 0}}, "'ridge' must"),
        ({**LINEAR, "evidence": {"name": "Linear", "dimension": 2, "shared": 7}}, "'shared' must"),
    ],
)
def test_evidence_that_cannot_be_is_refused(
    ours: Worker, change: dict[str, Any], sentence: str
) -> None:
    told = ours.create("wrong", **change)
    assert told.status == 422
    assert sentence in told.data["error"]
    assert "Decider" not in told.data["error"]
    assert told.data["error"].endswith((".", "?"))
    assert ours.decide("wrong").status == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{}", 422),
        (b'{"context": null}', 422),
        (b'{"context": {}}', 422),
        (b'{"context": []}', 422),
        (b'{"context": [1, 2]}', 422),
        (b'{"context": {"a": [1, 2]}}', 422),
        (b'{"context": {"a": [1, 2], "b": [1]}}', 422),
        (b'{"context": {"a": [1, 2], "b": [1, 1e13]}}', 422),
        (b'{"context": {"a": [1, 2], "b": [1, 2], "c": [1, 2]}}', 422),
        (b'{"context": {"a": [1, 2], "b": [1, 1e999]}}', 400),
        (b'{"context": {"a": [1, 2], "b": [1, NaN]}}', 400),
        (b'{"context": {"a": [1, 2], "b": [1, true]}}', 422),
        (b'{"context": {"a": [1, 2], "b": [1, "2"]}}', 422),
        (b'{"context": {"a": [1, 2], "b": [[1, 2]]}}', 400),
        (b'{"context": {"a": [1, 2], "b": null}}', 422),
        (b'{"context": {"a": [1, 2], "b": 1}}', 422),
        (b'{"context": 1}', 400),
        (b'{"context": "a"}', 400),
    ],
)
def test_a_context_that_is_wrong_changes_nothing(ours: Worker, body: bytes, status: int) -> None:
    before = ours.call("GET", "/v1/experiments/features").data
    told = ask(ours, "features", body)
    assert told.status == status, told
    assert told.data["error"].endswith(".")
    assert told.data["error"].isprintable()
    if body:
        item = b'{"items":[{"decision":{"experiment":"features",%b}]}' % (body[1:-1] + b"}")
        item = item.replace(b",}}", b"}}")
        batch = ours.call("POST", "/v1/batch", item)
        statuses = [each["status"] for each in batch.data.get("answers", [])]
        assert (batch.status, statuses) == ((200, [422]) if status == 422 else (400, []))
    assert ours.call("GET", "/v1/experiments/features").data == before


def test_the_same_id_is_the_same_decision_whatever_its_context(ours: Worker) -> None:
    made = ask(ours, "features", {"id": "again", "context": X})
    assert made.status == 200
    for context in (X, {"a": [9.0, 9.0], "b": [0.0, 0.0]}, [1.0], None):
        assert ask(ours, "features", {"id": "again", "context": context}) == made


def test_experiments_of_the_same_numbers_are_not_the_same(ours: Worker) -> None:
    """Window(1) and Discounted(1) have the same fields: (1,)."""
    assert ours.create("one", evidence="window(size=1)").status == 201
    assert ours.create("one", evidence="discounted(gamma=1)").status == 409
    assert ours.create("one", policy="klucb", evidence="window(size=1)").status == 409


def test_a_context_where_none_is_read(ours: Worker) -> None:
    ours.create("plain")
    told = ask(ours, "plain", {"context": X})
    assert told.status == 422
    assert "'context' must be left out with Counting" in told.data["error"]
