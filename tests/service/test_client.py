"""The clients: a lost answer costs nothing, a refusal is one sentence."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from evidence_cases import interpret
from http_cases import Worker, worker

import rbmle
from rbmle.errors import ParameterError
from rbmle.service.client import AsyncClient, Client, ServedDecision, ServiceError


class Lossy(httpx.BaseTransport):
    """Hands requests to a worker, and loses some of the answers, or whole requests."""

    def __init__(self, ours: Worker, loses: list[str]) -> None:
        self.ours, self.loses, self.asked = ours, loses, 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        lost = self.loses.pop(0) if self.loses else ""
        if lost == "request":
            raise httpx.ConnectError("away")
        if lost == "503":
            return httpx.Response(503, json={"error": "full"})
        path = request.url.raw_path.decode()
        told = self.ours.call(request.method, path, request.read(), _key(request))
        if lost == "answer":
            raise httpx.ReadTimeout("lost")
        return httpx.Response(told.status, content=told.content)


class AsyncLossy(httpx.AsyncBaseTransport):
    def __init__(self, ours: Worker, loses: list[str]) -> None:
        self.inner = Lossy(ours, loses)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await asyncio.to_thread(self.inner.handle_request, request)


def _key(request: httpx.Request) -> str | None:
    return request.headers.get("authorization", "").removeprefix("Bearer ") or None


@pytest.fixture(scope="module")
def ours(tmp_path_factory: Any) -> Iterator[Worker]:
    with worker(f"sqlite:///{tmp_path_factory.mktemp('client')}/rbmle.db") as made:
        yield made


@pytest.mark.slow
def test_a_lost_answer_costs_nothing(ours: Worker) -> None:
    with Client(transport=Lossy(ours, [])) as client:  # it asks until the code is compiled
        client.create("lossy", ["a", "b"], "ucb", seed=1)
    loses = ["answer", "request", "", "answer", "503"]
    with Client(transport=Lossy(ours, loses)) as client:
        made = client.decide("lossy")
        assert isinstance(made, ServedDecision)
        assert made.t == 1
        assert client.reward(made.id, 1.0) is False  # counted; the answer that said so was lost
        shown = client.experiment("lossy")
        assert (shown["decisions"], shown["rewards"]) == (1, 1)
    assert loses == []


@pytest.mark.slow
def test_every_request(ours: Worker) -> None:
    with Client(transport=Lossy(ours, [])) as client:
        client.create("all", ["a", "b"], {"name": "UCB"}, "bernoulli", reward_wait_s=100)
        assert client.decide("all", "mine").id == "mine"
        assert client.reward("mine", 0.0, "all")
        client.add_arm("all", "c/d")
        client.set_state("all", "c/d", "paused")
        told = client.batch(
            [
                {"decision": {"experiment": "all"}},
                {"reward": {"id": "z", "value": 1}},
                {"slate": {"experiment": "all", "k": 2}},
            ]
        )
        assert [each["status"] for each in told] == [200, 404, 200]
        assert [each["name"] for each in client.experiments() if each["name"] == "all"]
        with pytest.raises(ServiceError, match=r"There is no experiment 'none'\.") as refused:
            client.decide("none")
        assert refused.value.status == 404


def test_names_of_points_are_no_folders(ours: Worker) -> None:
    with Client(transport=Lossy(ours, [])) as client:
        client.create("..", ["a", ".", ".."], "ucb", "bernoulli")
        for id in (".", "..", "a.b"):
            assert client.decide("..", id).id == id
            assert client.reward(id, 1.0)
        client.set_state("..", ".", "paused")
        assert client.experiment("..")["rewards"] == 3


@pytest.mark.slow
def test_creating_may_take_longer_than_other_requests() -> None:
    """The first experiment of its kind is compiled; another try would only begin again."""
    seen: list[dict[str, float]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.extensions["timeout"])
        return httpx.Response(200, json={"experiments": []})

    with Client(transport=httpx.MockTransport(answer), timeout=5.0) as client:
        client.create("x", ["a", "b"])
        client.experiments()
    assert [(each["connect"], each["read"]) for each in seen] == [(5.0, 120.0), (5.0, 5.0)]


@pytest.mark.slow
def test_contexts(ours: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    loses = ["", "answer"]
    linear = {"name": "Linear", "dimension": 2}
    with Client(transport=Lossy(ours, loses)) as client:
        client.create("features", ["a", "b"], "ucb", "gaussian", evidence=linear)
        x = {"a": np.array([1.0, 0.0]), "b": (0, 1)}
        made = client.decide("features", context=x)
        assert (made.t, loses) == (1, [])
        assert client.reward(made.id, 2.5)
        item = {"decision": {"experiment": "features", "context": x}}
        assert client.batch([item])[0]["body"]["t"] == 2
        with pytest.raises(ServiceError, match="'context' must be given with Linear"):
            client.decide("features")

    async def main() -> None:
        async with AsyncClient(transport=AsyncLossy(ours, ["", "answer"])) as client:
            each = {**linear, "shared": False}
            await client.create("each", ["a", "b"], "ucb", "gaussian", evidence=each)
            assert (await client.decide("each", "v", np.array([0.5, 0.5]))).t == 1

    asyncio.run(main())


@pytest.mark.slow
def test_the_same_with_asyncio(ours: Worker) -> None:
    async def main() -> None:
        async with AsyncClient(transport=AsyncLossy(ours, ["answer", "", "", "answer"])) as client:
            await client.create("async", ["a", "b"], "ucb")
            made = await client.decide("async")
            assert not await client.reward(made.id, 1.0)
            await client.add_arm("async", "c")
            await client.set_state("async", "c", "retired")
            assert (await client.experiment("async"))["decisions"] == 1
            assert await client.batch([{"decision": {"experiment": "async"}}])
            assert await client.experiments()
            with pytest.raises(ServiceError):
                await client.decide("none")

    asyncio.run(main())


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8123", "localhost:8123", "example.org", "", "http://", "ftp://h", "http://h:x",
     None, 8000, b"http://h"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_at_once(kind: Any, url: Any) -> None:
    with pytest.raises(ParameterError, match=r"^Client: 'url' must be an address") as refused:
        kind(url)
    told = str(refused.value)
    assert f"Got {url!r}." in told
    asked = f"Did you mean 'http://{url}'?" in told
    assert asked == (str(url) in ("127.0.0.1:8123", "localhost:8123", "example.org"))


@pytest.mark.parametrize("key", ["", "rbmle_1_x\n", "two words", 7, b"k"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key: Any) -> None:
    with pytest.raises(ParameterError, match="'key' must be what") as refused:
        Client(key=key)
    assert "Got" not in str(refused.value)


@pytest.mark.slow
def test_a_service_that_is_away_is_an_error_in_the_end(ours: Worker) -> None:
    with (
        Client(transport=Lossy(ours, ["request"] * 50), patience=0.1) as client,
        pytest.raises(ServiceError, match=r"^http.*could not be reached"),
    ):
        client.experiments()


def test_it_is_there_when_it_is_asked_for_and_not_before() -> None:
    assert rbmle.Client is Client
    assert rbmle.AsyncClient is AsyncClient
    code = (
        "import sys, rbmle; names = ('httpx', 'msgspec', 'rbmle.service');"
        "print([each for each in sys.modules if each.startswith(names)])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
    assert Path(rbmle.__file__).is_file()
