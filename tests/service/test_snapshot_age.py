"""Snapshot mode: how old a snapshot may be, and what stops rows that were made from one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from service_cases import Clock, clean, create, decide, one, reward, said
from snapshot_cases import Open, carry_out, rows_of, start

from rbmle.live.fork import Fork
from rbmle.service.keys import create_key, revoke_key
from rbmle.service.ledger import Ledger
from rbmle.service.rows import Kind
from rbmle.service.storage import Key

pytestmark = pytest.mark.slow


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock for ages that stands still until a test moves it."""
    clock = Clock()
    for module in ("ahead", "snapshot", "storage"):
        monkeypatch.setattr(f"rbmle.service.{module}.monotonic", clock)
    return clock


def slowed(monkeypatch: pytest.MonkeyPatch, of: Any, name: str, clock: Clock, s: float) -> None:
    """Let a method take so many seconds."""
    method: Callable[..., Any] = getattr(of, name)

    def later(*given: Any) -> Any:
        clock.now += s
        return method(*given)

    monkeypatch.setattr(of, name, later)


def test_one_trip_to_the_database_is_enough(
    opened: Open, steady: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a worker has read or appended lately it does not ask for, whoever else appends."""
    ours, theirs = start(opened)
    ours.run([create("y", consistency="snapshot")])
    carry_out(ours, decide(id="a"), decide(id="b"), decide("y", "c"))
    carry_out(theirs, decide(id="t"))
    carry_out(ours, decide(id="d"))  # which brings theirs back
    for name in ("reading", "decisions"):
        monkeypatch.setattr(ours.storage, name, None)
    asked = [decide(), reward("a"), reward("b"), reward("t"), decide("y"), reward("c")]
    assert carry_out(ours, *asked)[1] == 6
    assert clean(theirs.storage)


@pytest.mark.parametrize(("age", "newest"), [(0.049, False), (0.051, True)])
def test_a_snapshot_that_is_too_old_is_read_again(
    opened: Open, steady: Clock, age: float, newest: bool
) -> None:
    ours, theirs = start(opened)
    before = carry_out(ours, decide(id="a")) and rows_of(ours.storage)[-1].seq
    carry_out(theirs, decide(), decide())
    steady.now += age
    assert carry_out(ours, decide(id="b"))[1] == 1
    row = rows_of(ours.storage)[-1]
    assert row.basis == (row.seq - 1 if newest else before)
    assert clean(ours.storage)


@pytest.mark.parametrize("slow", ["begin_reading", "decisions", "rows"])
def test_without_a_new_snapshot_in_time_it_is_decided_under_the_lock(
    opened: Open, steady: Clock, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    """Whatever is slow: what is read in a transaction is as old as that."""
    ours, theirs = start(opened)
    steady.now += 1.0
    with monkeypatch.context() as patch:
        slowed(patch, ours.storage, slow, steady, 0.11)
        told, quick = carry_out(ours, decide(id="a"), reward("none"), decide(id="b"))
    assert ([each.status for each in told], quick) == ([200, 404, 200], 0)
    assert [row.basis for row in rows_of(ours.storage)[-2:]] == [None, None]
    assert clean(theirs.storage)


def test_a_long_queue_does_not_make_decisions_from_an_old_snapshot(
    opened: Open, steady: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, _ = start(opened)
    with monkeypatch.context() as patch:
        slowed(patch, Fork, "choose", steady, 0.03)
        told, quick = carry_out(ours, *[decide(id=f"x-{k}") for k in range(8)])
    assert ([each.status for each in told], quick) == ([200] * 8, 4)
    rows = rows_of(ours.storage)[-8:]
    assert [row.basis for row in rows] == [rows[0].seq - 1] * 4 + [None] * 4
    assert clean(ours.storage)


def test_a_revoked_key_stops_at_once(opened: Open, steady: Clock) -> None:
    ours, theirs = start(opened)
    secret = create_key(ours.storage, "write")
    ours.refresh()
    key = ours.keys.of(secret)
    assert isinstance(key, Key)
    assert carry_out(ours, (key, decide()[1]))[1] == 1
    revoke_key(theirs.storage, key.number)
    told, quick = carry_out(ours, (key, decide()[1]), (key, reward("old-2")[1]))
    assert ([each.status for each in told], quick) == ([401, 401], 0)
    assert len(rows_of(ours.storage)) == 31


def test_a_reward_with_a_deadline_goes_the_short_way_in_time_only(opened: Open) -> None:
    ours, theirs = start(opened, reward_wait_s=10.0)
    now, later = Clock(), Clock()
    now.now = later.now = rows_of(ours.storage)[-1].at + 1.0
    ours.clock, theirs.clock = now, later
    carry_out(ours, *[decide(id=f"x-{k}") for k in range(4)])
    assert carry_out(ours, reward("x-0"))[1] == 1
    later.now += 10.0  # the clock of another machine, by which the deadline has passed
    told, quick = carry_out(
        ours, reward("x-1"), meanwhile=lambda: carry_out(theirs, decide(), decide())
    )
    assert ([each.status for each in told], quick) == ([410], 0)
    assert [each.status for each in carry_out(ours, reward("x-2"))[0]] == [410]
    assert clean(ours.storage)


def test_an_id_that_another_experiment_uses_is_asked_for(opened: Open, steady: Clock) -> None:
    ours, theirs = start(opened)
    carry_out(ours, decide(id="a"), decide(id="b"))
    theirs.run([create("serial"), decide("serial", "a")])
    told, quick = carry_out(ours, reward("a"), reward("b"))
    assert ([each.status for each in told], quick) == ([409, 200], 0)
    assert carry_out(ours, reward("a", name="x"))[1] == 1
    assert clean(ours.storage)


def test_rewards_of_old_decisions_go_the_short_way(opened: Open) -> None:
    ours, _ = start(opened)
    carry_out(ours, *[decide(id=f"x-{k}") for k in range(3)])
    again = Ledger(opened())
    again.refresh()
    for known in again.cache.all():
        known.recent.clear()  # as if 10,000 others had come since
    told, quick = carry_out(again, reward("x-0"), reward("x-2"), reward("none"))
    assert ([each.status for each in told], quick) == ([200, 200, 404], 2)
    assert len(rows_of(again.storage, Kind.REWARD)) == 32
    assert clean(again.storage)


def test_nothing_is_appended_to_what_was_deleted(opened: Open, steady: Clock) -> None:
    ours, theirs = start(opened)
    carry_out(ours, decide(id="a"))
    with theirs.storage.writing():
        theirs.storage.remove_experiment(1)
    last = theirs.storage.last_seq(1)
    assert [each.status for each in carry_out(ours, decide(), reward("a"))[0]] == [404, 404]
    assert theirs.storage.last_seq(1) == last


def test_a_database_that_was_opened_again_may_be_another(opened: Open) -> None:
    ours, _ = start(opened)
    storage = ours.storage

    def reopen() -> None:
        storage.generation += 1

    told, quick = carry_out(ours, decide(id="a"), meanwhile=reopen)
    assert (quick, told[0].status, said(told[0])["id"]) == (0, 200, "a")
    assert one(ours, decide(id="a"))[0] == 200
    assert clean(storage)
