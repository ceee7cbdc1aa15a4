"""One experiment whose stored data cannot be used: it is refused alone, and the others go on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from http_cases import worker
from service_cases import clean, create, decide, one, reward

from rbmle.service import experiment_cache as cache_module
from rbmle.service.ledger import Ledger
from rbmle.service.storage import Storage, open_storage

Opened = Callable[[], Storage]
ATTACKS = {
    "a row that chose nobody": "UPDATE log SET arm = 99 WHERE experiment = 1 AND seq = 3",
    "a row that is missing": "DELETE FROM log WHERE experiment = 1 AND seq = 2",
    "a definition of nothing": "UPDATE experiments SET definition = '{}' WHERE number = 1",
    "an arm of no state": "UPDATE log SET kind = 5, of = NULL, arm = 77 "
    "WHERE experiment = 1 AND seq = 3",
}


def damage(storage: Storage, statement: str) -> None:
    with storage.writing():
        storage._do(statement)


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_bad_row_stops_its_experiment_alone(opened: Opened, attack: str) -> None:
    first = Ledger(opened())
    first.run([create("bad"), create("good")])
    for name in ("bad", "good"):
        first.run([decide(name, f"{name}-1"), decide(name, f"{name}-2")])
    damage(opened(), attack)
    ledger = Ledger(opened())
    assert [each.name for each in ledger.refresh()] == ["good"]
    asked = [
        decide("bad"), decide("good", "new"), reward("bad-2"), reward("good-1"), reward("d-1-2"),
        create("bad"), create("another"), decide("good", "good-2"),
    ]  # fmt: skip
    answers = ledger.run(asked)
    statuses = [each.status for each in answers]
    assert statuses == [503, 200, 503, 200, 503, 503, 201, 200]
    assert b"'bad' cannot be used" in answers[0].body
    assert b"rbmle service repair" in answers[0].body
    assert list(ledger.try_to_write()) == ["bad"]
    assert [each.name for each in ledger.refresh()] == ["good", "another"]


@pytest.mark.slow
def test_it_is_found_while_the_worker_runs_and_forgotten_when_it_is_repaired(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has the experiment in its cache; a bad row comes, and a bad snapshot goes."""
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 3)
    ledger, storage = Ledger(opened()), opened()
    ledger.run([create("bad"), create("good"), *(decide("bad") for _ in range(5))])
    bad_row = "INSERT INTO log (experiment, seq, kind, at, arm) VALUES (1, 7, 1, 9e9, 44)"
    damage(storage, bad_row)
    assert [each.status for each in ledger.run([decide("bad"), decide("good")])] == [503, 200]
    with storage.writing():
        storage._do("DELETE FROM log WHERE experiment = 1 AND seq = 7")
        storage.note_repair(1)
    assert one(ledger, decide("bad"))[0] == 200
    other = Ledger(opened())
    with storage.writing():
        storage.save_snapshot(1, 6, b"{}")
    assert one(other, decide("bad"))[0] == 503
    assert one(other, decide("bad"))[0] == 503
    with storage.writing():
        storage.drop_snapshot(1)
        storage.note_repair(1)
    assert one(ledger, decide("bad"))[0] == 200  # its cache was of before
    assert one(other, decide("bad"))[0] == 200
    assert clean(storage)


@pytest.mark.slow
def test_ready_tells_of_it_over_http(url: str) -> None:
    with worker(url) as ours:
        ours.create("bad")
        ours.create("good")
        assert ours.call("GET", "/readyz").data == {"status": "ready"}
    storage = open_storage(url)
    damage(storage, "UPDATE experiments SET definition = 'nonsense' WHERE name = 'bad'")
    storage.close()
    with worker(url) as ours:
        assert ours.decide("good").status == 200
        told = ours.decide("bad")
        assert told.status == 503
        assert "'bad' cannot be used" in told.data["error"]
        assert ours.call("GET", "/v1/experiments/bad").status == 503
        shown = ours.call("GET", "/v1/experiments").data["experiments"]
        assert [each["name"] for each in shown] == ["good"]
        ready = ours.call("GET", "/readyz")
        assert ready.status == 200
        assert ready.data == {"status": "ready", "quarantined": 1, "names": ["bad"]}
        assert ours.call("GET", "/v1/experiments/bad/events").status == 200  # to see what is there
        assert b"\nrbmle_quarantined 1\n" in ours.call("GET", "/metrics").content
