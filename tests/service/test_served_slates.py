"""Slates over HTTP: the decisions of their places are those of a decider, and survive a replay."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import evidence_cases
import pytest
from http_cases import worker
from service_cases import ANYONE, clean, create, end, one, reward, set_state
from snapshot_cases import carry_out, rows_of
from test_client import Lossy

from rbmle import Client, Decider
from rbmle.service.client import ServiceError
from rbmle.service.keys import create_key
from rbmle.service.ledger import Ledger
from rbmle.service.messages import FillSlate
from rbmle.service.storage import Storage, open_storage
from rbmle.service.transaction import Keyed

Opened = Callable[[], Storage]


@pytest.fixture(autouse=True)
def in_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence_cases.interpret(monkeypatch)


def slate(id: str | None, k: int, among: Any = None) -> Keyed:
    return ANYONE, FillSlate(experiment="x", id=id, k=k, among=among)


@pytest.mark.parametrize("mode", ["serial", pytest.param("snapshot", marks=pytest.mark.slow)])
def test_served_equals_live(opened: Opened, mode: str) -> None:
    ledgers = [Ledger(opened()), Ledger(opened())]
    ledgers[0].run([create(policy="ts", family="bernoulli", seed=4, consistency=mode)])
    live = Decider(["a", "b", "c"], "ts", "bernoulli", seed=4)
    for n in range(30):
        among = ["c", "a"] if n % 3 == 0 else None
        (answer,), _ = carry_out(ledgers[n % 2], slate(str(n), 2, among))
        told = json.loads(answer.body)["places"]
        made = live.decide(k=2, id=str(n), among=among)
        assert [(each["id"], each["arm"], each["probability"]) for each in told] == [
            (each.id, each.arm, each.probability) for each in made
        ]
        for place in (2, 1)[: n % 3]:
            one(ledgers[n % 2], reward(f"{n}.{place}", float(n % 2)))
            live.update(id=f"{n}.{place}", reward=float(n % 2))
    assert clean(ledgers[0].storage)


def test_few_candidates_take_no_longer_if_many_arms_are_no_candidates(opened: Opened) -> None:
    """A batch has room for 100 such slates: to look at 10,000 arms for each place takes 0.4 s."""
    looked = 0

    class Counted(list[Any]):
        def __iter__(self) -> Any:
            nonlocal looked
            looked += 1
            return super().__iter__()

    ledger, names = Ledger(opened()), [f"a{n}" for n in range(100)]
    ledger.run([create(policy="ucb", arms=names)])
    known = ledger.cache.find("x")
    assert known is not None
    known.arms = Counted(known.arms)
    assert one(ledger, slate("s", 5, names[:9]))[0] == 200
    assert looked == 0
    assert clean(ledger.storage)


def test_the_log_grows_little_by_a_slate(opened: Opened) -> None:
    """Each row names the candidates that were left."""
    ledger, names = Ledger(opened()), [f"a{n}" for n in range(2_000)]
    ledger.run([create(policy="ucb", arms=names)])
    status, told = one(ledger, slate("v", 51))
    assert (status, told["error"]) == (
        422, "service: 'k' must be at most 50 with 2,000 candidates. Got 51.",
    )  # fmt: skip
    assert one(ledger, slate("v", 50))[0] == 200
    assert one(ledger, slate("w", 51, names[:1_000]))[0] == 200
    assert sum(len(row.among or "") for row in rows_of(ledger.storage)) < 1_200_000


@pytest.mark.slow
def test_a_batch_of_slates_keeps_nobody_waiting(url: str) -> None:
    """Each alone is allowed; a hundred with 10,000 arms took 5 s, and 90 MB of the disk."""
    arms = [f"a{n}" for n in range(3_000)]
    with worker(url) as ours:
        ours.create("x", arms=arms)
        item = {"slate": {"experiment": "x", "k": 10}}
        told = ours.call("POST", "/v1/batch", {"items": [item] * 38})
        assert told.status == 422
        assert told.data["error"] == (
            "batch: 'items' must be slates with at most 1,000,000 places times candidates in all. "
            "Got 1026000."
        )
        few = {"slate": {"experiment": "x", "k": 10, "among": arms[:10]}}
        assert ours.call("POST", "/v1/batch", {"items": [item] + [few] * 37}).status == 200
        with closing(open_storage(url)) as storage:
            key = create_key(storage, "write", experiment="y")
        told = ours.call("POST", "/v1/batch", {"items": [item] * 38}, key)
        assert {each["status"] for each in told.data["answers"]} == {404}


def test_a_slate_that_is_asked_for_again_is_the_same(opened: Opened) -> None:
    ledger, other = Ledger(opened()), Ledger(opened())
    ledger.run([create(policy="ucb")])
    first = one(ledger, slate("v", 2))
    ledger.run([set_state("a", "paused")])
    assert first == one(other, slate("v", 2)) == one(other, slate("v", 2, ["z"]))
    assert [row.among for row in rows_of(ledger.storage)] == [None, "[1,2]"]
    made = one(ledger, slate(None, 2))[1]["places"]
    assert {each["arm"] for each in made} == {"b", "c"}
    assert len({each["id"] for each in made}) == 2
    for asked, said in (
        (slate("w", 3), "'k' must be a whole number in [1, 2], the number of candidates. Got 3"),
        (slate("w", 1, ["a"]), "'among'"),
        (slate("w", 2, []), "'among'"),
    ):
        status, body = one(ledger, asked)
        assert status == 422
        assert said in body["error"]
    assert len(rows_of(ledger.storage)) == 4
    ledger.run([end()])
    assert one(ledger, slate("w", 2))[0] == 410
    assert one(ledger, slate("v", 2)) == first
    assert clean(ledger.storage)


@pytest.mark.slow
def test_over_http_and_by_the_client(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/rbmle.db"
    with worker(url) as ours, Client(transport=Lossy(ours, ["", "answer"])) as client:
        client.create("x", ["a", "b", "c"], "ucb")
        made = client.slate("x", 2, id="v")  # the first answer is lost
        assert [each.id for each in made] == ["v.1", "v.2"]
        assert len({each.arm for each in made}) == 2
        assert client.reward("v.2", 1.0)
        assert client.experiment("x")["decisions"] == 2
        for k, id, status in (
            (0, "w", 422),
            (1_001, "w", 422),
            (2, "w" * 199, 422),
            ("2", "w", 400),
        ):
            with pytest.raises(ServiceError) as refused:
                client.slate("x", k, id=id)  # type: ignore[arg-type]
            assert refused.value.status == status
        assert client.experiment("x")["decisions"] == 2
