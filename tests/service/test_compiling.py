"""Compiling: nobody else waits for it, its experiment says so, and equal kinds share code."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from http_cases import BODY, Worker, worker
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock
from service_cases import clean, create, decide, definition, one, reward

from rbmle.errors import ParameterError
from rbmle.live.live_game import LiveGame
from rbmle.service.archive import delete, end
from rbmle.service.definition import Definition
from rbmle.service.experiment_cache import NotCompiledError
from rbmle.service.ledger import Ledger
from rbmle.service.storage import Storage, open_storage

SLOW = {**BODY, "family": {"name": "Gaussian"}}  # what compiles slowly here, by `held`


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/rbmle.db"


@contextmanager
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """UCB for Gaussian compiles until the event is set."""
    go_on, real = threading.Event(), Definition.prepare

    def prepare(self: Definition) -> None:
        if self.kind_name() == "UCB for Gaussian":
            assert go_on.wait(60)
        real(self)

    with monkeypatch.context() as patch:
        patch.setattr(Definition, "prepare", prepare)
        patch.setattr("rbmle.service.app._COMPILE_SECONDS", 0.1)
        yield go_on
        go_on.set()


@pytest.mark.slow
def test_an_experiment_is_there_at_once_and_its_decisions_wait(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held(monkeypatch) as go_on, worker(url) as ours:
        told = ours.call("PUT", "/v1/experiments/slow", SLOW)
        assert (told.status, told.data["compiling"]["kind"]) == (201, "UCB for Gaussian")
        again = ours.call("PUT", "/v1/experiments/slow", SLOW)
        assert again.status == 200
        assert again.data["compiling"]["seconds"] >= told.data["compiling"]["seconds"]
        shown = ours.call("GET", "/v1/experiments/slow")
        assert shown.status == 503
        assert "'slow' is not ready: UCB for Gaussian is being compiled" in shown.data["error"]
        asked = ours.submit("POST", "/v1/experiments/slow/decisions", {"id": "first"})
        assert ours.create("quick").status == 201  # others do not wait
        assert ours.decide("quick").data["t"] == 1
        assert not asked.done()
        go_on.set()
        assert asked.result(60).data == {"id": "first", "arm": "a", "t": 1, "probability": 1.0}
        assert "compiling" not in ours.call("PUT", "/v1/experiments/slow", SLOW).data
        assert ours.call("GET", "/v1/experiments/slow").status == 200


@pytest.mark.slow
def test_a_worker_is_ready_when_it_has_compiled_what_is_stored(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with worker(url) as ours:
        assert ours.create("stored", family={"name": "Gaussian"}).status == 201
    with held(monkeypatch) as go_on, worker(url) as ours:
        while (told := ours.call("GET", "/readyz")).status == 200:
            pass  # its first question is on the way
        assert told.data == {"error": "UCB for Gaussian is being compiled."}
        assert ours.create("other").status == 201
        go_on.set()
        while ours.call("GET", "/readyz").status != 200:
            pass


def test_what_another_worker_began_waits_for_the_compiler_alone(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a reward, of which only the database knows the experiment."""
    with worker(url) as first, worker(url) as ours:
        first.create("slow", family={"name": "Gaussian"})
        ours.create("quick")
        first.decide("slow", "visit")
        with held(monkeypatch) as go_on:
            arms, items = "/v1/experiments/slow/arms", [{"reward": {"id": "d-1-2", "value": 1}}]
            asked = [
                ours.submit("PUT", "/v1/decisions/visit/reward", {"value": 1}),
                ours.submit("POST", "/v1/batch", {"items": items}),
                ours.submit("POST", arms, {"name": "c"}),
                ours.submit("PATCH", f"{arms}/a", {"state": "paused"}),
            ]  # fmt: skip
            mixed = [ours.submit("POST", "/v1/experiments/quick/decisions") for _ in range(5)]
            assert [each.result(60).status for each in mixed] == [200] * 5
            assert len(ours.call("GET", "/v1/experiments").data["experiments"]) == 2
            assert not any(each.done() for each in asked)
            go_on.set()
            assert [each.result(60).status for each in asked] == [200, 200, 201, 200]


def test_a_new_experiment_of_an_old_name_is_compiled(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with worker(url) as first, worker(url) as ours:
        ours.create("x")
        ours.decide("x")
        storage = open_storage(url)
        end(storage, "x")
        delete(storage, "x")
        storage.close()
        first.create("x", family={"name": "Gaussian"})
        with held(monkeypatch) as go_on:
            asked = ours.submit("POST", "/v1/experiments/x/decisions")
            assert ours.create("quick").status == 201
            assert not asked.done()
            go_on.set()
            assert asked.result(60).data["t"] == 1


def never(_: LiveGame) -> None:
    pytest.fail("the thread that writes compiles")


def test_who_creates_it_again_or_watches_its_repair_compiles_nothing(
    opened: Callable[[], Storage], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Learning a reward of evidence that fades is compiled; other workers have begun with it."""
    fading, there = create("x", policy="ts", evidence="discounted(gamma=0.9)"), list[str]()
    workers = [Ledger(opened(), compiled=lambda _: bool(there)) for _ in range(2)]
    Ledger(opened()).run([fading, decide("x", "v"), reward("v")])
    storage = opened()
    (stored,) = storage.experiments()

    def define(text: str) -> None:
        with storage.writing():
            storage._do("UPDATE experiments SET definition = ?", [text])
            storage.note_repair(stored.number)

    with monkeypatch.context() as patch:
        patch.setattr(LiveGame, "compile", never)
        assert one(workers[0], fading)[0] == 200
        with pytest.raises(NotCompiledError):
            workers[0].run([decide("x")])
        define("nonsense")
        workers[1].refresh()
        assert [*workers[1].try_to_write()] == ["x"]
        define(stored.definition)
        assert workers[1].try_to_write() == {}
    there.append("the code")
    assert [one(each, decide("x"))[1]["t"] for each in workers] == [2, 3]
    assert clean(storage)


@pytest.mark.slow
def test_a_class_that_cannot_be_compiled_creates_nothing(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(self: Definition) -> None:
        raise ParameterError("experiment", "policy", "one that can be compiled")

    with worker(url) as ours, monkeypatch.context() as patch:
        patch.setattr(Definition, "prepare", prepare)
        patch.setattr("rbmle.service.app.is_ours", lambda _: False)
        for _ in range(2):  # the second try compiles again
            told = ours.call("PUT", "/v1/experiments/wrong", SLOW)
            assert (told.status, told.data["error"][:10]) == (422, "experiment")
        patch.undo()
        assert ours.call("GET", "/v1/experiments/wrong").status == 404
        assert ours.create("wrong", family={"name": "Gaussian"}).status == 201


@pytest.mark.slow
def test_a_class_that_fails_keeps_no_worker_from_being_ready(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One that has compiled before, and since then was changed."""
    with worker(url) as ours:
        for name, family in (("wrong", "Gaussian"), ("x", "Bernoulli")):
            assert ours.create(name, family={"name": family}).status == 201
    prepare, prepared = Definition.prepare, list[str]()

    def fails(self: Definition) -> None:
        prepared.append(self.kind_name())
        if len(prepared) == 1:
            raise ZeroDivisionError("a mistake")
        prepare(self)

    monkeypatch.setattr(Definition, "prepare", fails)
    with worker(url) as ours:
        end = time.monotonic() + 30.0
        while len(prepared) < 2 or ours.call("GET", "/readyz").status != 200:
            assert time.monotonic() < end
            time.sleep(0.01)
    assert prepared == ["UCB for Gaussian", "UCB for Bernoulli"]
    assert "an experiment cannot be compiled: a mistake" in caplog.messages


class Compilations(event.Listener):  # type: ignore[misc]
    """Counts what is compiled."""

    count = 0

    def on_start(self, event: event.Event) -> None:
        self.count += 1

    def on_end(self, event: event.Event) -> None:
        pass


def test_equal_kinds_share_their_code() -> None:
    first = definition(policy="ucb(alpha=1)", family="bernoulli")
    second = definition(policy="ucb(alpha=0.25)", family="bernoulli(prior_a=2)", arms=["x", "y"],
                        seed=7, ties="first", horizon=100)  # fmt: skip
    assert first.kind() == second.kind()
    others: list[dict[str, Any]] = [
        {"policy": "klucb"}, {"family": "gaussian"}, {"evidence": "discounted(gamma=0.9)"}
    ]  # fmt: skip
    assert len({definition(**each).kind() for each in others} | {first.kind()}) == 4
    first.prepare()
    with event.install_listener("numba:compile", Compilations()) as compiled:
        second.prepare()
    assert compiled.count == 0


def test_arms_can_change_while_something_is_compiled(url: str) -> None:
    """The compiler has one lock; whoever uses code that is there must not wait for it."""

    def work(ours: Worker) -> list[int]:
        told = [ours.create("second", seed=5), ours.decide("second")]
        told += [ours.call("POST", "/v1/experiments/second/arms", {"name": "c"})]
        return [each.status for each in [*told, ours.decide("second")]]

    with worker(url) as ours:
        assert ours.create("x").status == 201
        locked, over = threading.Event(), threading.Event()

        def compile_for_long() -> None:
            with global_compiler_lock:
                locked.set()
                over.wait(60)

        busy = threading.Thread(target=compile_for_long)
        busy.start()
        locked.wait()
        try:
            assert work(ours) == [201, 200, 201, 200]
        finally:
            over.set()
            busy.join()
