"""Reading keeps nobody waiting who decides."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from http_cases import Worker, worker

ITEMS = [{"decision": {"experiment": "x"}}] * 1_000
PATH = "/v1/experiments/x/events"


def decisions_in(ours: Worker, seconds: float) -> int:
    """How many decisions eight callers get, each of whom asks again when answered."""
    waiting = [ours.submit("POST", "/v1/experiments/x/decisions") for _ in range(8)]
    end, made = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for place, each in enumerate(waiting):
            made += each.result(60).status == 200
            waiting[place] = ours.submit("POST", "/v1/experiments/x/decisions")
    for each in waiting:
        each.result(60)
    return made


@pytest.mark.slow
def test_four_exports_leave_decisions_their_rate(tmp_path: Path) -> None:
    """0.8 is promised, and there is room for a busy machine; on the writers' own connection and
    thread four exports left 0.1 to 0.5 of the rate."""
    with worker(f"sqlite:///{tmp_path}/rbmle.db") as ours:
        ours.create("x")
        for _ in range(10):
            assert ours.call("POST", "/v1/batch", {"items": ITEMS}).status == 200
        decisions_in(ours, 0.2)
        ratios = []
        for _ in range(2):
            alone = decisions_in(ours, 0.7)
            exports = [ours.submit("GET", PATH) for _ in range(4)]
            time.sleep(0.05)
            ratios.append(decisions_in(ours, 0.7) / alone)
            assert not all(each.done() for each in exports)  # they took as long
            for each in exports:
                assert each.result(60).content.count(b"\n") > 10_000
        assert max(ratios) > 0.65, ratios
