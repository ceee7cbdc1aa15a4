"""Decisions and rewards over time: right sums, bounded memory, the same after a snapshot."""

from __future__ import annotations

import random

import msgspec
import pytest

from rbmle.service.timeline import KEPT, Bucket, Timeline

DAY = 86_400
START = 20_000 * DAY  # in 2024, at midnight
Event = tuple[float, float | None]  # the time; of a reward, its value


def traffic(seed: int, n: int, gap: float) -> list[Event]:
    """Events with this time between two on average, now and then none for long."""
    rng, at, made = random.Random(seed), START + 0.5, []
    for _ in range(n):
        at += rng.expovariate(1 / gap) * (500 if rng.random() < 0.01 else 1)
        made.append((at, rng.choice([None, 0.0, 1.0, 2.5])))
    return made


def fill(timeline: Timeline, events: list[Event]) -> Timeline:
    for at, value in events:
        if value is None:
            timeline.decided(at)
        else:
            timeline.rewarded(value, at)
    return timeline


def expected(events: list[Event], width: int, most: int) -> list[Bucket]:
    """The buckets, counted from the events one by one."""
    found: dict[int, Bucket] = {}
    for at, value in events:
        start = int(at) // width * width
        bucket = found.setdefault(start, [start, 0, 0, 0.0])
        if value is None:
            bucket[1] += 1
        else:
            bucket[2] += 1
            bucket[3] += value
    newest = max(found)
    return [each for start, each in sorted(found.items()) if start > newest - most * width]


@pytest.mark.parametrize("gap", [0.7, 40.0, 9_000.0, 200_000.0])
def test_every_event_is_in_its_minute_hour_and_day(gap: float) -> None:
    events = traffic(1, 2_000, gap)
    told = fill(Timeline(), events).buckets()
    for (width, most), buckets in zip(KEPT, told, strict=True):
        assert buckets == expected(events, width, most)
        assert len(buckets) <= most


def test_a_restored_timeline_goes_on_as_if_nothing_had_happened() -> None:
    events, whole = traffic(2, 600, 300.0), Timeline()
    for place in range(len(events)):
        restored = msgspec.json.decode(msgspec.json.encode(whole), type=Timeline)
        assert restored == whole
        for each in (restored, whole):
            fill(each, events[place : place + 1])
        assert restored == whole


def test_asking_changes_nothing() -> None:
    timeline = fill(Timeline(), traffic(3, 500, 30.0))
    before = msgspec.json.encode(timeline)
    assert timeline.buckets() == timeline.buckets()
    assert msgspec.json.encode(timeline) == before


def test_two_years_of_traffic_stay_small() -> None:
    """Every minute, hour and day has rewards with many digits: the largest that it can be."""
    rng, timeline = random.Random(4), Timeline()
    for hour in range(2 * 365 * 24):
        timeline.rewarded(rng.gauss(0.0, 1.0), START + 3_600.0 * hour)
    for minute in range(180):
        timeline.rewarded(rng.gauss(0.0, 1.0), START + 3_600.0 * hour + 60.0 * minute)
    assert [len(each) for each in timeline.buckets()] == [most for _, most in KEPT]
    assert len(msgspec.json.encode(timeline)) < 36_000


def test_nothing_happened_yet() -> None:
    assert Timeline().buckets() == [[], [], []]
    stored = msgspec.json.encode(Timeline())
    assert msgspec.json.decode(stored, type=Timeline).buckets() == [[], [], []]
