"""One experiment whose stored data cannot be used: it is refused alone, and the others go on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from http_cases import worker
from service_cases import Clock, clean, create, decide, definition, one, reward

from rbmle.errors import RbmleError
from rbmle.service import experiment_cache as cache_module
from rbmle.service.archive import archive, delete
from rbmle.service.ledger import Ledger
from rbmle.service.storage import Storage, open_storage
from rbmle.service.verify import verify
from rbmle.service.warm import stored_definitions

Opened = Callable[[], Storage]
ATTACKS = {
    "a row that chose nobody": "UPDATE log SET arm = 99 WHERE experiment = 1 AND seq = 3",
    "a row that is missing": "DELETE FROM log WHERE experiment = 1 AND seq = 2",
    "a definition of nothing": "UPDATE experiments SET definition = '{}' WHERE number = 1",
    "a row of no kind": "UPDATE log SET kind = 9 WHERE experiment = 1 AND seq = 3",
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
def test_a_context_that_cannot_be_read_stops_its_experiment_alone(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands before the snapshot: only the decision's reward, or its deadline, needs it."""
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 3)
    clock, context = Clock(), {each: [1.0, 0.5] for each in "abc"}
    first = Ledger(opened(), clock=clock)
    features = {"policy": "ucb", "family": "gaussian", "evidence": "linear(dimension=2)"}
    first.run([create("bad", reward_wait_s=10.0, **features), create("good", reward_wait_s=10.0)])
    for number in range(3):
        first.run([decide("bad", f"b{number}", context), decide("good", f"g{number}")])
    damage(opened(), "UPDATE log SET text = '[0.1,' WHERE experiment = 1 AND seq = 3")
    rewarded, swept = Ledger(opened(), clock=clock), Ledger(opened(), clock=clock)
    asked = [decide("good"), reward("b1"), reward("g1")]
    assert [each.status for each in rewarded.run(asked)] == [200, 503, 200]
    swept.refresh()
    clock.now += 20.0
    assert swept.run([], sweep=True) == []
    assert [(each.name, each.expired) for each in swept.cache.all()] == [("good", 3)]
    for ledger in (rewarded, swept):
        assert list(ledger.cache.quarantined()) == ["bad"]


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
def test_what_is_repaired_or_deleted_is_no_longer_told_of(opened: Opened) -> None:
    """Though nobody asks for it: whoever watches /readyz must see that the repair was done."""
    ledger, storage = Ledger(opened()), opened()
    ledger.run([create(each) for each in ("again", "bad", "deleted", "repaired")])
    damage(storage, "UPDATE experiments SET definition = 'nonsense'")
    ledger = Ledger(storage)
    assert ledger.refresh() == []
    assert len(ledger.try_to_write()) == 4
    with storage.writing():
        good = [definition().text()]
        storage._do("UPDATE experiments SET definition = ? WHERE name = 'repaired'", good)
        for number in (1, 4):
            storage.note_repair(number)
    delete(opened(), "deleted")
    assert sorted(ledger.try_to_write()) == ["again", "bad"]


@pytest.mark.slow
def test_commands_go_on_without_it_or_say_so(opened: Opened, tmp_path: Path) -> None:
    Ledger(opened()).run([create("bad"), create("good"), create("row"), decide("row")])
    storage, said = opened(), list[str]()
    damage(storage, "UPDATE experiments SET definition = '{}' WHERE name = 'bad'")
    damage(storage, "UPDATE log SET arm = 99 WHERE kind = 1")
    assert stored_definitions(storage, said.append) == [definition()] * 2
    assert [each[:14] for each in said] == ["bad: left out,"]
    for name in ("bad", "row"):
        with pytest.raises(RbmleError, match=f"{name}' cannot be used .* says what can be done"):
            archive(storage, name, f"{tmp_path}/archive")
    assert [*tmp_path.glob("*archive*")] == []


@pytest.mark.parametrize(
    ("path", "attack"),
    [("/events", "kind = 9"), ("/events", "among = '['"), ("", "text = '[0.1,'")],
)
def test_who_looks_at_a_row_that_cannot_be_read_is_told_so(
    url: str, path: str, attack: str
) -> None:
    """Its worker has read the row already when it is damaged."""
    with worker(url) as ours:
        ours.create("good")
        ours.create("bad")
        ours.decide("bad", "visit")
        ours.reward("visit")
        assert ours.call("GET", "/v1/experiments/bad").status == 200
        with closing(open_storage(url)) as storage:
            damage(storage, f"UPDATE log SET {attack} WHERE experiment = 2 AND seq = 2")
        told = ours.call("GET", f"/v1/experiments/bad{path}")
        assert told.status == 503, told
        assert "'bad' cannot be used: one of its rows" in told.data["error"]
        assert ours.call("GET", f"/v1/experiments/good{path}").status == 200


@pytest.mark.slow
def test_ready_tells_of_it_over_http(url: str, caplog: pytest.LogCaptureFixture) -> None:
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
    found = [each.threadName for each in caplog.records if "'bad'" in each.message]
    assert sorted(found) == ["Committer", "ReadingThread"]  # each has a cache of its own


@pytest.mark.slow
@pytest.mark.parametrize("value", ["9e999", "1e300", "7", "-5"])
def test_a_reward_outside_the_support_stops_its_experiment_alone(
    opened: Opened, value: str
) -> None:
    """Thompson sampling would integrate for ever over the posterior of such rewards."""
    first, storage = Ledger(opened()), opened()
    for name in ("bad", "good"):
        first.run([create(name, policy="TS")])
        first.run([decide(name, f"{name}-1"), decide(name, f"{name}-2"), reward(f"{name}-1")])
    stored = "'Infinity'" if value == "9e999" and "Postgres" in type(storage).__name__ else value
    damage(storage, f"UPDATE log SET value = {stored} WHERE experiment = 1 AND kind = 2")
    ledger = Ledger(opened())
    assert [each.name for each in ledger.refresh()] == ["good"]
    asked = [decide("bad"), reward("bad-2"), decide("good"), reward("good-2")]
    assert [each.status for each in ledger.run(asked)] == [503, 503, 200, 200]
    (wrong,) = [each.wrong for each in verify(storage) if each.wrong]
    assert wrong.startswith("bad: row 4 cannot be applied (Decider: 'reward' must be")
