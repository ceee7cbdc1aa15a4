"""A wall clock that jumps: it is logged, and no deadline follows it."""

from __future__ import annotations

import logging
import time

import pytest
from http_cases import worker

from rbmle.service import clock as clock_module
from rbmle.service.clock import SteadyClock, offset

DAY = 86_400.0


class Wall:
    """A wall clock that can be set."""

    def __init__(self) -> None:
        self.ahead, self._time = 0.0, time.time

    def __call__(self) -> float:
        return self._time() + self.ahead


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    made = Wall()
    monkeypatch.setattr(clock_module.time, "time", made)
    return made


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_a_jump_is_logged_once(wall: Wall, caplog: pytest.LogCaptureFixture, jump: float) -> None:
    steady = SteadyClock(offset())
    before = steady()
    wall.ahead = jump
    with caplog.at_level(logging.WARNING):
        assert 0.0 <= steady() - before < 5.0
        steady()
    (told,) = caplog.messages
    assert f"jumped by {jump:+.0f} s" in told


def test_all_workers_of_a_service_have_one_clock(wall: Wall) -> None:
    """Also one that is started after the jump."""
    started = offset()
    first = SteadyClock(started)
    wall.ahead = DAY
    assert abs(SteadyClock(started)() - first()) < 5.0


@pytest.mark.slow
@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_deadlines_follow_the_time_that_passes(url: str, wall: Wall, jump: float) -> None:
    with worker(url) as ours:
        ours.create("x", reward_wait_s=3600.0)
        ours.create("short", reward_wait_s=0.5)
        kept = ours.decide("x").data["id"]
        wall.ahead = jump
        lost = ours.decide("short").data["id"]
        time.sleep(1.5)
        assert ours.reward(kept).data == {"counted": True}
        assert ours.reward(lost).status == 410
        shown = ours.call("GET", "/v1/experiments/x").data
        assert (shown["expired"], shown["rewards"]) == (0, 1)
