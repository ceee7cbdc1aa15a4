"""Contexts with words in them, over HTTP: decided, stored, verified, refused in a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from evidence_cases import interpret
from http_cases import worker

from rbmle import Decider, Encode, Linear
from rbmle.service.storage import open_storage
from rbmle.service.verify import verify
from rbmle.spec import to_spec

pytestmark = pytest.mark.slow

TABLE = {"a": {"price": 1.0}, "b": {"price": 3.0}}
WORDS = Encode(["age"], {"device": ["mobile", "tv"]}, ["device x age"])
KINDS = {
    "own": Linear(features=WORDS, shared=False),
    "table": Linear(features=WORDS.replace(arms=TABLE, crosses=("all",))),
}
BY_HAND = {
    "name": "Linear", "shared": False,
    "features": {"name": "Encode", "numbers": ["age"], "crosses": ["device x age"],
                 "categories": {"device": ["mobile", "tv"]}},
}  # fmt: skip


def contexts() -> list[Any]:
    rows = [{"device": ["mobile", "tv", "car"][n % 3], "age": 20 + n * n % 47} for n in range(20)]
    return [list(reversed(row.values())) if n % 4 == 3 else row for n, row in enumerate(rows)]


@pytest.mark.parametrize("kind", KINDS)
def test_served_equals_live_and_the_log_verifies(kind: str, tmp_path: Any) -> None:
    url, evidence = f"sqlite:///{tmp_path}/rbmle.db", KINDS[kind]
    live = Decider(["a", "b"], "ucb", "gaussian", seed=1, evidence=evidence)
    with pytest.MonkeyPatch.context() as patch:
        interpret(patch)
        for start in (0, 10):  # the second server begins with the rows of the first
            with worker(url) as ours:
                told = ours.create("x", policy="ucb", family="gaussian", evidence=to_spec(evidence))
                assert told.status == (200 if start else 201)
                for n, row in enumerate(contexts()[start : start + 10], start):
                    body = {"id": f"v{n}", "context": row}
                    made = ours.call("POST", "/v1/experiments/x/decisions", body)
                    assert (made.status, made.data["arm"]) == (200, live.pull(context=row, id=n))
                    if n % 3:
                        ours.call("PUT", f"/v1/decisions/v{n}/reward", {"value": n % 2})
                        live.update(id=n, reward=n % 2)
                for wrong in ({"device": "tv"}, {"device": "tv", "age": "old"}, [1], {}):
                    said = ours.call("POST", "/v1/experiments/x/decisions", {"context": wrong})
                    assert said.status == 422, wrong
                    assert said.data["error"].endswith(".")
                if kind == "table":
                    added = ours.call("POST", "/v1/experiments/x/arms", {"name": "c"})
                    assert added.status == 422
                    assert "Encode has features of: 'a', 'b'" in added.data["error"]
                lines = ours.call("GET", "/v1/experiments/x/events").content.splitlines()
                cells = [e["context"] for e in map(json.loads, lines) if e["kind"] == "decision"]
                assert cells[0] == [20.0, 0.0]
        storage = open_storage(url)
        assert [each.wrong for each in verify(storage) if each.wrong] == []
        storage.close()


def test_an_encode_is_written_by_hand(tmp_path: Any) -> None:
    with pytest.MonkeyPatch.context() as patch, worker(f"sqlite:///{tmp_path}/x.db") as ours:
        interpret(patch)
        made = ours.create("x", policy="ucb", family="gaussian", evidence=BY_HAND)
        assert made.status == 201
        assert made.data["evidence"] == to_spec(KINDS["own"])
        wrong = {**BY_HAND, "features": {"name": "Encode", "numbers": 7}}
        assert ours.create("y", policy="ucb", family="gaussian", evidence=wrong).status == 422
