"""The answers over HTTP: each status that is promised, one sentence for each refusal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_cases import BODY, Worker, worker

from rbmle.service.app import OPERATIONS
from rbmle.service.http import openapi
from rbmle.service.keys import create_key, revoke_key
from rbmle.service.storage import open_storage

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url(tmp_path_factory: Any) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('http')}/rbmle.db"


@pytest.fixture(scope="module")
def ours(url: str) -> Iterator[Worker]:
    with worker(url) as made:
        assert made.create("x").status == 201
        yield made


def test_an_experiment_from_its_start_to_a_reward(ours: Worker) -> None:
    first = ours.create("shop", reward_wait_s=60)
    assert (first.status, first.data["name"]) == (201, "shop")
    assert ours.create("shop", reward_wait_s=60) == first._replace(status=200)
    assert ours.create("shop", reward_wait_s=61).status == 409
    made = ours.decide("shop", "visit-7")
    assert made.data == {"id": "visit-7", "arm": "a", "t": 1, "probability": 1.0}
    assert ours.decide("shop", "visit-7") == made
    assert ours.reward("visit-7", 1).data == {"counted": True}
    assert ours.reward("visit-7", 1.0).data == {"counted": False}
    assert ours.reward("visit-7", 0).status == 409
    assert ours.reward("visit-8", 0).status == 404
    shown = ours.call("GET", "/v1/experiments/shop").data
    assert shown["arms"][0]["pulls"] == 1
    assert {"name", "state", "pulls", "mean", "pending", "index"} <= shown["arms"][1].keys()
    listed = ours.call("GET", "/v1/experiments").data["experiments"]
    assert [each["rewards"] for each in listed if each["name"] == "shop"] == [1]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"value": NaN}', 400),
        (b'{"value": Infinity}', 400),
        (b'{"value": 1e999}', 400),
        (b'{"value": "1"}', 400),
        (b'{"value": true}', 400),
        (b'{"value": null}', 400),
        (b'{"value": [1]}', 400),
        (b"{}", 400),
        (b"", 400),
        (b"1", 400),
        (b'{"value": 1, "more": 2}', 400),
        (b'{"value": 1', 400),
        (b'{"\\n": 1}', 400),
        (b'{"' + b"x" * 100_000 + b'": 1}', 400),
        (b'{"value": 1}{', 400),
        (b"\xff\xfe", 400),
        (b"[" * 40_000, 400),
        (b"[" * 100_000, 413),
        (b"[" + b"0," * 100_001, 413),
        (b'{"value": 1.5}', 422),
        (b'{"value": -1e-300}', 422),
        (b'{"value": 1' + b" " * (4 << 20) + b"}", 413),
    ],
)
def test_a_reward_that_is_none_changes_nothing(ours: Worker, body: bytes, status: int) -> None:
    id = ours.decide("x").data["id"]
    told = ours.call("PUT", f"/v1/decisions/{id}/reward", body)
    assert told.status == status
    assert told.data["error"].endswith(".")
    assert told.data["error"].isprintable()
    assert len(told.data["error"]) < 1100
    assert ours.reward(id).data == {"counted": True}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"arms": ["a"]}, 422),
        ({"arms": ["a", "a"]}, 422),
        ({"arms": ["a", ""]}, 422),
        ({"arms": ["a", 1]}, 400),
        ({"policy": {"name": "Nothing"}}, 422),
        ({"policy": {"name": "UCB", "alpha": -1}}, 422),
        ({"policy": {}}, 422),
        ({"policy": {"name": "MOSS"}}, 422),
        ({"policy": {"name": "MOSS"}, "horizon": 0}, 422),
        ({"family": {"name": "Nothing"}}, 422),
        ({"family": "bernoulli)("}, 422),
        ({"seed": -1}, 422),
        ({"seed": 1.5}, 400),
        ({"ties": "last"}, 422),
        ({"patience": 0}, 422),
        ({"patience": 1_000_001}, 422),
        ({"reward_wait_s": 0}, 422),
        ({"reward_wait_s": -5}, 422),
        ({"default_reward": 0.5}, 422),
        ({"reward_wait_s": 5, "default_reward": 2}, 422),
        ({"evidence": {"name": "Discounted"}}, 422),
        ({"context": []}, 400),
    ],
)
def test_a_definition_that_is_wrong_creates_nothing(
    ours: Worker, change: dict[str, Any], status: int
) -> None:
    told = ours.create("wrong", **change)
    assert told.status == status, told
    assert told.data["error"].count("\n") == 0
    assert "Decider" not in told.data["error"]
    assert ours.decide("wrong").status == 404


def test_names_may_hold_anything_that_can_be_printed(ours: Worker) -> None:
    name, arm, id = "shöp / 50 %", "a/b?", "visit/7 #1"
    assert ours.create(name, arms=[arm, "b"]).status == 201
    assert ours.decide(name, id).data["id"] == id
    assert ours.reward(id).status == 200
    from urllib.parse import quote

    path = f"/v1/experiments/{quote(name, '')}/arms/{quote(arm, '')}"
    assert ours.call("PATCH", path, {"state": "paused"}).data == {"name": arm, "state": "paused"}
    assert ours.create("\n").status == 422
    assert ours.decide("x", "a\u0000").status == 422
    assert ours.decide("x", "y" * 201).status == 422


def test_a_caller_who_leaves_before_the_body_has_come_asked_for_nothing(ours: Worker) -> None:
    before = ours.call("GET", "/v1/experiments/x").data["decisions"]
    assert ours.leave("/v1/experiments/x/decisions") == 400
    assert ours.leave("/v1/experiments/x/decisions", b"{}") == 400
    assert ours.call("GET", "/v1/experiments/x").data["decisions"] == before


def test_arms(ours: Worker) -> None:
    ours.create("arms")
    path = "/v1/experiments/arms/arms"
    assert ours.call("POST", path, {"name": "c"}).status == 201
    assert ours.call("POST", path, {"name": "c"}).status == 200
    assert ours.call("POST", path, {"name": ""}).status == 422
    assert ours.call("PATCH", f"{path}/c", {"state": "retired"}).status == 200
    assert ours.call("PATCH", f"{path}/c", {"state": "active"}).status == 409
    assert ours.call("PATCH", f"{path}/d", {"state": "active"}).status == 404
    assert ours.call("PATCH", f"{path}/a", {"state": "asleep"}).status == 422
    assert ours.call("PATCH", "/v1/experiments/none/arms/a", {"state": "active"}).status == 404


def test_a_batch_has_an_answer_for_each(ours: Worker) -> None:
    items = [
        {"decision": {"experiment": "x", "id": "b1"}},
        {"reward": {"id": "b1", "value": 0}},
        {"reward": {"id": "b1", "value": 0, "experiment": "x"}},
        {"reward": {"id": "nothing", "value": 0}},
        {"decision": {"experiment": "nothing"}},
        {"reward": {"id": "b1", "value": 7}},
        {"slate": {"experiment": "x", "id": "s", "k": 2}},
        {"decision": {"experiment": "x", "id": "b2", "among": ["b"]}},
        {"reward": {"id": "s.2", "value": 1}},
        {"slate": {"experiment": "x", "k": 9}},
    ]
    told = ours.call("POST", "/v1/batch", {"items": items})
    assert told.status == 200
    status = [each["status"] for each in told.data["answers"]]
    assert status == [200, 200, 200, 404, 404, 422, 200, 200, 200, 422]
    slate, among = told.data["answers"][6]["body"]["places"], told.data["answers"][7]["body"]
    assert [each["id"] for each in slate] == ["s.1", "s.2"]
    assert slate[0]["arm"] != slate[1]["arm"]
    assert (among["arm"], told.data["answers"][8]["body"]) == ("b", {"counted": True})
    assert [each["body"].get("counted") for each in told.data["answers"]][1:3] == [True, False]
    for wrong in ([], [{}], [{"decision": {"experiment": "x"}, "reward": {"id": "b", "value": 1}}]):
        assert ours.call("POST", "/v1/batch", {"items": wrong}).status == 422
    assert ours.call("POST", "/v1/batch", {"items": [items[0]] * 1001}).status == 422
    many = {"slate": {"experiment": "x", "k": 600}}  # each place counts
    assert ours.call("POST", "/v1/batch", {"items": [many] * 2}).status == 422
    assert ours.call("POST", "/v1/batch", {"items": [1]}).status == 400


def test_the_log_as_lines(ours: Worker) -> None:
    ours.create("log")
    ids = [ours.decide("log").data["id"] for _ in range(3)]
    ours.reward(ids[0], 0.5)
    told = ours.call("GET", "/v1/experiments/log/events")
    lines = [json.loads(each) for each in told.content.splitlines()]
    assert told.kind == "application/x-ndjson"
    assert [each["kind"] for each in lines] == ["created", *["decision"] * 3, "reward"]
    assert [each["seq"] for each in lines] == [1, 2, 3, 4, 5]
    later = ours.call("GET", "/v1/experiments/log/events?after=4")
    assert [json.loads(each) for each in later.content.splitlines()] == lines[4:]
    for wrong in ("after=-1", "after=x", "after=", "after=1.5", f"after={10**18}"):
        told = ours.call("GET", f"/v1/experiments/log/events?{wrong}")
        assert (told.status, "in [0, 1e18)" in told.data["error"]) == (422, True)
    for wrong in ("before=1", "after=1&after=2"):
        assert ours.call("GET", f"/v1/experiments/log/events?{wrong}").status == 400
    assert ours.call("GET", "/v1/experiments/none/events").status == 404


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/healthz", 200),
        ("GET", "/readyz", 200),
        ("GET", "/metrics", 200),
        ("GET", "/openapi.json", 200),
        ("GET", "/", 200),
        ("GET", "/nothing", 404),
        ("GET", "/v1", 404),
        ("GET", "/v1/experiments/", 404),
        ("GET", "/v1/experiments/none", 404),
        ("GET", "/v1/experiments/x/y", 404),
        ("GET", "/page/../http.py", 404),
        ("GET", "/page/..%2fhttp.py", 404),
        ("GET", "/v1/experiments/%ff", 404),
        ("DELETE", "/v1/experiments/x", 405),
        ("GET", "/v1/batch", 405),
        ("POST", "/", 405),
    ],
)
def test_addresses(ours: Worker, method: str, path: str, status: int) -> None:
    assert ours.call(method, path).status == status


def test_metrics_are_what_was_counted(ours: Worker) -> None:
    ours.create('m"\\')
    ours.decide('m"\\')
    text = ours.call("GET", "/metrics").content.decode()
    assert 'rbmle_decisions_total{experiment="m\\"\\\\"} 1' in text.splitlines()


def test_every_route_is_described(ours: Worker) -> None:
    described = openapi(OPERATIONS)["paths"]
    assert described["/v1/decisions/{id}/reward"]["put"]["responses"].keys() >= {
        "404",
        "409",
        "410",
    }
    assert len(described) == 13


class TestKeys:
    def test_each_role_may_do_its_part(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("rbmle.service.wrong_keys.FIRST_DELAY_SECONDS", 0.0)
        url = f"sqlite:///{tmp_path}/rbmle.db"
        storage = open_storage(url)
        with worker(url) as ours:
            assert ours.create("before").status == 201
            admin, write, read = (create_key(storage, role) for role in ("admin", "write", "read"))
            assert ours.create("x").status == 401  # a key is needed as soon as there is one
            assert ours.create("x", key=read).status == 403
            assert ours.create("x", key=write).status == 403
            assert ours.create("x", key=admin).status == 201
            assert ours.decide("x", key=read).status == 403
            assert ours.decide("x", key=write).status == 200
            assert ours.call("GET", "/v1/experiments/x", key=read).status == 200
            for wrong in (None, "", "x", f"{read}x", f"{read[:-1]}", "rbmle_1_", "rbmle_9_abc"):
                for path in ("/v1/experiments", "/v1/experiments/x", "/v1/experiments/y"):
                    told = ours.call("GET", path, key=wrong)
                    assert told.status == 401
                    assert told.data == {"error": "The key is missing, unknown or revoked."}
            assert ours.call("GET", "/metrics").status == 401
            assert ours.call("GET", "/healthz").status == 200
        storage.close()

    def test_a_key_of_one_experiment_sees_nothing_of_another(self, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path}/rbmle.db"
        storage = open_storage(url)
        with worker(url) as ours:
            ours.create("mine")
            ours.create("theirs")
            id = ours.decide("theirs").data["id"]
            named = ours.decide("theirs", "visit").data["id"]
            key = create_key(storage, "admin", "mine")
            assert ours.decide("mine", key=key).status == 200
            nothing = ours.decide("nothing", key=key)
            assert nothing.status == 404
            assert ours.decide("theirs", key=key).content == nothing.content.replace(
                b"nothing", b"theirs"
            )
            assert ours.call("GET", "/v1/experiments/theirs", key=key).status == 404
            assert ours.call("GET", "/v1/experiments/theirs/events", key=key).status == 404
            assert ours.reward(id, key=key).status == 404
            assert ours.reward(named, key=key).status == 404
            assert ours.decide("mine", "visit", key=key).status == 200  # not taken
            assert ours.reward("visit", key=key).status == 200
            assert ours.create("other", key=key).status == 404
            listed = ours.call("GET", "/v1/experiments", key=key).data["experiments"]
            assert [each["name"] for each in listed] == ["mine"]
            assert b"theirs" not in ours.call("GET", "/metrics", key=key).content
            batch = [{"decision": {"experiment": "theirs"}}, {"reward": {"id": id, "value": 1}}]
            told = ours.call("POST", "/v1/batch", {"items": batch}, key)
            assert [each["status"] for each in told.data["answers"]] == [404, 404]
        storage.close()

    def test_a_revoked_key_stops_at_once(self, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path}/rbmle.db"
        storage = open_storage(url)
        key = create_key(storage, "admin")
        with worker(url) as ours:
            assert ours.create("x", key=key).status == 201
            assert ours.decide("x", key=key).status == 200
            revoke_key(storage, 1)
            assert ours.decide("x", key=key).status == 401
            assert ours.call("GET", "/v1/experiments/x", key=key).status == 401
            assert ours.decide("x").status == 401  # and the service is not open again
        storage.close()

    def test_only_a_hash_is_stored(self, tmp_path: Path) -> None:
        storage = open_storage(f"sqlite:///{tmp_path}/rbmle.db")
        secret = create_key(storage, "read").split("_", 2)[2]
        storage.close()
        stored = b"".join(each.read_bytes() for each in tmp_path.iterdir())
        assert len(secret) >= 43
        assert secret.encode() not in stored


def test_the_documented_body_is_enough(ours: Worker) -> None:
    assert BODY.keys() == {"arms", "policy", "family", "seed"}
    assert ours.create("small", arms=["a", "b"]).status == 201
