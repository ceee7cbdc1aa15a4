"""Reading keeps nobody waiting who decides."""

from __future__ import annotations

import time

import pytest
from http_cases import Worker, worker

ITEMS = [{"decision": {"experiment": "x"}}] * 1_000
PATH = "/v1/experiments/x"
# The share of the rate that is left, and how many turns may show it: others use the processors too.
LEFT, TURNS = 0.65, 9


def decisions_in(ours: Worker, seconds: float, looking: str = "") -> int:
    """How many decisions eight callers get, each of whom asks again when answered; looking: what
    four others ask for meanwhile, again and again."""
    waiting = [ours.submit("POST", f"{PATH}/decisions") for _ in range(8)]
    looks = [ours.submit("GET", looking) for _ in range(4 if looking else 0)]
    end, made = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for place, each in enumerate(waiting):
            made += each.result(60).status == 200
            waiting[place] = ours.submit("POST", f"{PATH}/decisions")
        for place, each in enumerate(looks):
            if each.done():
                assert each.result().status == 200
                looks[place] = ours.submit("GET", looking)
    for each in waiting:
        each.result(60)
    for each in looks:
        assert each.result(60).status == 200
    return made


@pytest.mark.slow
@pytest.mark.parametrize("looking", [f"{PATH}/events", PATH, "/metrics"])
def test_four_who_look_leave_decisions_their_rate(url: str, looking: str) -> None:
    """0.8 is promised, and there is room for a busy machine; on the writers' own connection and
    thread four exports left 0.1 to 0.5 of the rate."""
    with worker(url) as ours:
        ours.create("x")
        for _ in range(10):
            assert ours.call("POST", "/v1/batch", {"items": ITEMS}).status == 200
        decisions_in(ours, 0.2)
        ratios: list[float] = []
        while len(ratios) < TURNS and max(ratios, default=0.0) <= LEFT:
            alone = decisions_in(ours, 0.7)
            ratios.append(decisions_in(ours, 0.7, looking) / alone)
        assert ours.call("GET", f"{PATH}/events").content.count(b"\n") > 10_000
        assert max(ratios) > LEFT, ratios
