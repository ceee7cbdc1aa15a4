"""Candidates over HTTP: the log holds them, so that whoever replays it chooses among them again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import evidence_cases
import pytest
from http_cases import worker
from service_cases import ANYONE, clean, create, one, reward, set_state
from snapshot_cases import carry_out, rows_of, start

from rbmle import Decider
from rbmle.service import experiment_cache as cache_module
from rbmle.service.archive import archive
from rbmle.service.ledger import Ledger
from rbmle.service.messages import Decide, FillSlate
from rbmle.service.storage import Storage
from rbmle.service.transaction import Keyed

Opened = Callable[[], Storage]
MASKS = [["a", "c"], None, ["b"], ["c", "b", "a"], ["a", "b"], ["c", "a", "a"], ["b", "c"]]
CASES = {
    "ts": {"policy": "ts"},
    "index": {"policy": "klucb", "patience": 6},
    "memory": {"policy": "successive-rejects", "horizon": 200},
    "floor": {"policy": {"name": "Floor", "policy": "ucb", "share": 0.2}},
    "features": {
        "policy": "ucb",
        "family": "gaussian(0.5)",
        "evidence": {"name": "Linear", "dimension": 2},
    },
}


def decide(id: str, among: Any, context: Any = None) -> Keyed:
    return ANYONE, Decide(experiment="x", id=id, among=among, context=context)


@pytest.fixture(autouse=True)
def in_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence_cases.interpret(monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_served_equals_live_with_candidates(opened: Opened, case: str, monkeypatch: Any) -> None:
    """In one worker and another that replays, with snapshots of the state; `verify` agrees."""
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 25)
    kind: dict[str, Any] = {"family": "bernoulli", "seed": 4, **CASES[case]}
    ledgers = [Ledger(opened()), Ledger(opened())]
    ledgers[0].run([create(**kind)])
    policy = kind.pop("policy")
    if isinstance(policy, dict):
        policy = "floor(ucb, 0.2)"
    evidence = kind.pop("evidence", None) and "linear(2)"
    live = Decider(["a", "b", "c"], policy, evidence=evidence, **kind)
    for n in range(70):
        among = MASKS[n % len(MASKS)]
        context = {arm: [0.5 + 0.1 * (n % 3), 1.0] for arm in among or "abc"} if evidence else None
        status, told = one(ledgers[n % 2], decide(str(n), among, context))
        made = live.decide(id=str(n), among=among, context=context)
        assert (status, told["arm"], told["probability"]) == (200, made.arm, made.probability)
        if n % 3:
            one(ledgers[n % 2], reward(str(n), float(n % 2)))
            live.update(id=str(n), reward=float(n % 2))
    assert clean(ledgers[0].storage)


def test_a_decision_keeps_its_arm_and_its_row_its_candidates(opened: Opened, tmp_path: Any) -> None:
    ledger = Ledger(opened())
    ledger.run([create(policy="ucb")])
    first = one(ledger, decide("v", ["c", "a"]))
    assert first == one(ledger, decide("v", ["b"])) == one(ledger, decide("v", []))
    ledger.run([set_state("a", "paused"), decide("w", None)])
    assert [row.among for row in rows_of(ledger.storage)] == ["[0,2]", None]
    assert rows_of(ledger.storage)[0].event()["among"] == [0, 2]
    archive(ledger.storage, "x", str(tmp_path / "x.jsonl"))
    lines = map(json.loads, Path(tmp_path / "x.jsonl").read_text().splitlines())
    assert [each["among"] for each in lines if "among" in each] == [["a", "c"]]
    assert clean(ledger.storage)


def test_what_is_refused_changes_nothing(opened: Opened) -> None:
    for mode in ("serial", "snapshot"):
        name = f"in {mode}"
        ledger = Ledger(opened())
        ledger.run([create(name, policy="ucb", consistency=mode), set_state("c", "paused", name)])
        for among, said in (
            ([], "'among' must be a list of at least one enabled arm, one of 'a', 'b'. Got []"),
            (["a", "c"], "Got 'c'"),
            (["z"], "Got 'z'"),
        ):
            asked = ANYONE, Decide(experiment=name, id="v", among=among)
            (answer,), quick = carry_out(ledger, asked)
            assert (answer.status, quick) == (422, 0)
            assert said in json.loads(answer.body)["error"]
            assert "Decider" not in json.loads(answer.body)["error"]
        assert one(ledger, (ANYONE, Decide(experiment=name, id="v", among=["b"])))[1]["arm"] == "b"
        assert clean(ledger.storage)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["serial", "snapshot"])
def test_a_thousand_names_of_no_arm_keep_nobody_waiting(opened: Opened, mode: str) -> None:
    """As a client sends them that has not heard of a retired arm."""
    ledger, arms = Ledger(opened()), [f"arm-{n}" for n in range(5_000)]
    ledger.run([create(arms=arms, policy="ucb", consistency=mode), set_state("arm-7", "retired")])
    asked = [(ANYONE, Decide(experiment="x", among=["arm-8", "arm-7"])) for _ in range(500)]
    asked += [(ANYONE, FillSlate(experiment="x", k=1, among=["arm-7"])) for _ in range(500)]
    begin = time.thread_time()
    answers, _ = carry_out(ledger, *asked)
    assert time.thread_time() - begin < 0.5
    told = "service: 'among' must be a list of active arms. Got 'arm-7'."
    said = [(each.status, json.loads(each.body)["error"]) for each in answers]
    assert said == [(422, told)] * 1_000
    assert one(ledger, decide(None, ["arm-8"]))[1]["arm"] == "arm-8"


@pytest.mark.slow
@pytest.mark.usefixtures("fresh_snapshots")
def test_decisions_from_a_snapshot_have_candidates(opened: Opened) -> None:
    ours, theirs = start(opened)
    for n in range(12):
        worker = (ours, theirs)[n % 2]
        asked = [decide(f"{n}-{k}", among) for k, among in enumerate(MASKS)]
        answers, quick = carry_out(worker, *asked)
        assert quick == len(MASKS)
        told = [json.loads(each.body) for each in answers]
        for each, among in zip(told, MASKS, strict=True):
            assert each["arm"] in (among or "abc")
            assert each["probability"] == 1.0 or len(among or "abc") > 1
    made = [row for row in rows_of(ours.storage) if row.among is not None]
    assert len(made) == 12 * 6
    assert all(row.basis is not None for row in made)
    assert clean(ours.storage)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", ["another arm", "[7]", "[-1]", "[]", "all of it", '"a"', "of a reward"]
)
def test_verify_finds_candidates_that_were_changed(opened: Opened, change: str) -> None:
    for mode in ("serial", "snapshot"):
        ledger = Ledger(opened())
        storage: Any = ledger.storage
        ledger.run([create(mode, policy="ts", consistency=mode)])
        for n in range(8):
            name = f"{mode}-{n}"
            among = MASKS[0] if n == 7 else None
            carry_out(ledger, (ANYONE, Decide(experiment=mode, id=name, among=among)))
            if n < 7:
                carry_out(ledger, reward(name, float(n % 2)))
        assert clean(storage)
        with storage.writing():
            (row,) = storage._rows("among IS NOT NULL AND id = ?", [f"{mode}-7"])
            other = {"another arm": f"[{1 if row.arm != 1 else 0}]", "of a reward": "[0]"}
            seq = row.seq - 1 if change == "of a reward" else row.seq
            storage._do(
                "UPDATE log SET among = ? WHERE experiment = ? AND seq = ?",
                [None if change == "all of it" else other.get(change, change), row.experiment, seq],
            )
        assert not clean(storage), mode
        with storage.writing():
            storage._do("DELETE FROM experiments", [])


@pytest.mark.slow
def test_over_http_and_by_the_client(tmp_path: Path) -> None:

    from test_client import Lossy

    from rbmle import Client
    from rbmle.service.client import ServiceError

    url = f"sqlite:///{tmp_path}/rbmle.db"
    with worker(url) as ours, Client(transport=Lossy(ours, [])) as client:
        client.create("x", ["a", "b", "c"], "ucb")
        assert client.decide("x", among=("c",)).arm == "c"
        asked = [{"experiment": "x", "among": [arm]} for arm in "bz"]
        first, second = client.batch([{"decision": each} for each in asked])
        assert first["body"]["arm"] == "b"
        assert (second["status"], "'among'" in second["body"]["error"]) == (422, True)
        for wrong in ("a", [1], [[]]):
            with pytest.raises(ServiceError) as refused:
                client.decide("x", among=wrong)  # type: ignore[arg-type]
            assert refused.value.status == 400
