"""Deadlines: by the time that passes, in slices, and found in the log."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from service_cases import Clock, clean, create, decide, one, reward

from rbmle.service import deadlines as deadlines_module
from rbmle.service import experiment_cache as cache_module
from rbmle.service import ledger as ledger_module
from rbmle.service.ledger import Ledger
from rbmle.service.rows import Kind
from rbmle.service.storage import Storage

Opened = Callable[[], Storage]
DAY = 86_400.0


def expired(ledger: Ledger) -> int:
    known = ledger.cache.find("x")
    assert known is not None
    return known.expired


@pytest.mark.slow
def test_a_clock_that_was_a_day_ahead_does_not_freeze_deadlines(opened: Opened) -> None:
    """The log goes on from its last row: time passes, and no faster than on the clock."""
    clock = Clock()
    ahead = Ledger(opened(), clock=clock)
    clock.now += DAY
    ahead.run([create(reward_wait_s=10.0), decide(id="old")])
    clock.now -= DAY
    ledger = Ledger(opened(), clock=clock)  # started again with the right time
    ledger.run([decide(id="new")])
    clock.now += 9.0
    assert one(ledger, decide())[1]["t"] == 3
    assert expired(ledger) == 0
    clock.now += 1.5
    assert one(ledger, reward("old"))[0] == 410
    assert one(ledger, reward("new"))[0] == 410
    with ledger.storage.reading():
        times = [each.at for each in ledger.storage.rows(1, 0)]
    assert times == sorted(times)
    assert clean(ledger.storage)


@pytest.mark.slow
@pytest.mark.parametrize("default", [None, 0.0])
def test_many_deadlines_at_once_are_ended_in_slices(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, default: float | None
) -> None:
    """Rewards that are late are refused although nobody has got to their decision yet."""
    for name in ("_FIRST_ROWS", "_FEWEST_ROWS", "_MOST_ROWS"):
        monkeypatch.setattr(deadlines_module, name, 10)
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 25)
    clock = Clock()
    ledger = Ledger(opened(), clock=clock)
    ledger.run([create(reward_wait_s=10.0, default_reward=default)])
    ledger.run([decide(id=f"v{n}") for n in range(50)])
    ledger.run([reward(f"v{n}") for n in range(0, 50, 7)])
    clock.now += 10.0
    ended = []
    assert one(ledger, reward("v48"))[0] == 410
    while ledger.due(clock()):
        before = expired(ledger)
        ledger.run([], sweep=True)
        ended.append(expired(ledger) - before)
    assert max(ended) <= 10
    assert expired(ledger) == 50 - 8
    again = Ledger(opened(), clock=clock)
    again.refresh()
    assert expired(again) == 42
    assert one(again, reward("v1"))[0] == 410
    assert one(again, reward("v7")) == (200, {"counted": False})
    ledger.run([decide(id="next")])
    clock.now += 10.0
    again.refresh()
    assert again.due(clock())
    while again.due(clock()):
        again.run([], sweep=True)
    with again.storage.reading():
        last = again.storage.rows(1, 1)[-1]
    assert (last.kind, last.of) == (Kind.EXPIRED, last.seq - 1)
    assert clean(ledger.storage)


@pytest.mark.slow
def test_slices_follow_the_machine(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decision's end takes 40 us, then ten times as long, then 40 us again: no transaction takes
    100 ms, and few are needed where that is quick. Others are served in between."""
    clock, passed = Clock(), Clock()
    ledger = Ledger(opened(), clock=clock)
    ledger.run([create(reward_wait_s=10.0)])
    for part in range(3):
        ledger.run([decide(id=f"{part}-{n}") for n in range(1_000)])
    clock.now += 10.0
    append, took = ledger.storage.append, list[float]()

    def slowly(rows: Any) -> None:
        passed.now += len(rows) * (400e-6 if 1_000 < expired(ledger) <= 2_000 else 40e-6)
        append(rows)

    monkeypatch.setattr(ledger.storage, "append", slowly)
    monkeypatch.setattr(ledger_module, "time", SimpleNamespace(monotonic=passed))
    while ledger.due(clock()):
        began = passed.now
        assert one(ledger, reward("2-999"))[0] == 410  # which ends a slice of others, too
        took.append(passed.now - began)
    assert expired(ledger) == 3_000
    assert max(took) < 0.1
    assert len(took) < 45
    assert clean(ledger.storage)


@pytest.mark.slow
def test_a_snapshot_does_not_grow_with_what_waits(opened: Opened) -> None:
    """And who starts from it finds all that waits: what is rewarded, and what is ended."""
    clock = Clock()
    ledger = Ledger(opened(), clock=clock)
    ledger.run([create(reward_wait_s=10.0, patience=100)])
    sizes = []
    for part in range(2):
        ledger.run([decide(id=f"{part}-{n}") for n in range(2_000)])
        known = ledger.cache.find("x")
        assert known is not None
        sizes.append(len(known.snapshot()))
        with ledger.storage.writing():
            ledger.storage.save_snapshot(1, known.seq, known.snapshot())
    assert sizes[1] < 1.1 * sizes[0] < 10_000
    other = Ledger(opened(), clock=clock)
    other.run([decide(id="more")])
    assert one(other, reward("0-0")) == (200, {"counted": True})
    assert one(ledger, reward("0-0")) == (200, {"counted": False})
    assert one(other, reward("1-1999"))[0] == 200
    clock.now += 10.0
    started = time.monotonic()
    while other.due(clock()):
        other.run([], sweep=True)
    assert expired(other) == 3_999
    assert time.monotonic() - started < 30.0
    assert clean(other.storage)
