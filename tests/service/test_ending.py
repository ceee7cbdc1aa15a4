"""An experiment that has ended makes no decision; late rewards count, and deadlines go on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from http_cases import worker
from service_cases import Clock, add_arm, clean, create, decide, end, one, reward, set_state

from rbmle.service import experiment_cache as cache_module
from rbmle.service.ledger import Ledger
from rbmle.service.storage import Storage

Opened = Callable[[], Storage]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [2, 20_000])
def test_an_experiment_that_has_ended(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", rows)
    clock = Clock()
    ledger, other = Ledger(opened(), clock=clock), Ledger(opened(), clock=clock)
    ledger.run([create(reward_wait_s=10.0), decide(id="v"), decide(id="w"), decide(id="late")])
    first = one(ledger, decide(id="v"))
    status, body = one(other, end())
    assert (status, body["name"]) == (200, "x")
    assert one(other, end())[0] == 200
    for each in (ledger, other, Ledger(opened(), clock=clock)):
        status, body = one(each, decide(id="new"))
        assert status == 410
        assert body["error"] == "The experiment 'x' has ended."
        assert one(each, decide(id="v")) == first  # a request that is sent again
    assert one(ledger, add_arm("d"))[0] == 409
    assert one(ledger, set_state("a", "paused"))[0] == 409
    assert one(ledger, create(reward_wait_s=10.0))[0] == 200
    assert one(ledger, reward("v")) == (200, {"counted": True})
    assert one(other, reward("v")) == (200, {"counted": False})
    clock.now += 10.0
    assert one(other, reward("late"))[0] == 410
    assert clean(ledger.storage)


@pytest.mark.slow
def test_ending_over_http(url: str) -> None:
    with worker(url) as ours:
        ours.create("x")
        id = ours.decide("x").data["id"]
        assert ours.call("GET", "/v1/experiments/x").data["ended"] is False
        assert ours.call("POST", "/v1/experiments/none/end").status == 404
        assert ours.call("POST", "/v1/experiments/x/end").data["name"] == "x"
        assert ours.decide("x").status == 410
        assert ours.reward(id).data == {"counted": True}
        assert ours.call("GET", "/v1/experiments/x").data["ended"] is True
        last = ours.call("GET", "/v1/experiments/x/events?after=2").content.splitlines()
        assert [b"ended" in each for each in last] == [True, False]
