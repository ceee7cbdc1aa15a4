"""`verify`: whatever was changed in the log or in a snapshot is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from evidence_cases import interpret
from service_cases import clean, create, decide, reward, said

from rbmle.service import experiment_cache as cache_module
from rbmle.service.ledger import Ledger
from rbmle.service.storage import Storage

Opened = Callable[[], Storage]


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", ["arm", "value", "snapshot", "of", "probability", "no probability"]
)
def test_verify_finds_what_was_changed(
    opened: Opened, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 10)
    ledger = Ledger(opened())
    ledger.run([create(), *(decide(id=str(n)) for n in range(12))])
    ledger.run([reward(str(n)) for n in range(6)])
    ledger.run([decide() for n in range(8)])
    storage: Any = ledger.storage
    assert clean(storage)
    statement = {
        "arm": "UPDATE log SET arm = 1 - arm WHERE seq = 2",
        "value": "UPDATE log SET value = 0.5 WHERE of = 2",
        "of": "UPDATE log SET of = 13 WHERE of = 2",
        "probability": "UPDATE log SET probability = 0.999999 WHERE seq = 4",
        "no probability": "UPDATE log SET probability = NULL WHERE seq = 4",
    }.get(change, "")
    if not statement:
        with storage.reading():
            state = storage.snapshot(1)
        with storage.writing():
            storage.save_snapshot(1, 13, state.replace(b'"active"', b'"paused"', 1))
    else:
        with storage.writing():
            storage._do(statement)
    assert not clean(storage)


@pytest.mark.slow
@pytest.mark.parametrize("change", ["context", "missing", "form", "late", "memory", "nobody"])
def test_verify_finds_what_was_changed_of_contexts(
    opened: Opened, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpret(monkeypatch)
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 25)
    ledger = Ledger(opened())
    linear = {"family": "gaussian", "evidence": {"name": "Linear", "dimension": 1}, "patience": 4}
    context = {"a": [1.0], "b": [0.5], "c": [-1.0]}
    ledger.run([create(**linear), *(decide(id=str(n), context=context) for n in range(12))])
    ledger.run([reward(str(n), 2.0) for n in range(12)])
    ledger.run([decide(id="more", context=context), create("y"), decide("y")])
    storage: Any = ledger.storage
    assert clean(storage)
    late = "experiment = 1 AND kind = 2 AND text IS NOT NULL"
    statement = {
        "context": "UPDATE log SET text = '[[0.9],[0.4],[-0.9]]' WHERE experiment = 1 AND seq = 13",
        "missing": "UPDATE log SET text = NULL WHERE experiment = 1 AND seq = 5",
        "form": "UPDATE log SET text = '[[1.0,2.0],[0.5],[-1.0]]' WHERE experiment = 1 AND seq = 5",
        "late": f"UPDATE log SET text = '[7.0]' WHERE {late}",
        "nobody": "UPDATE log SET text = '[1.0]' WHERE experiment = 2 AND seq = 2",
    }.get(change, "")
    with storage.writing():
        if statement:
            assert storage._do(statement)
        else:
            known: Any = ledger.cache.find("x")
            known.live.remembered[0] += 1e-12
            storage.save_snapshot(1, known.seq, known.snapshot())
    assert not clean(storage)


def test_probabilities_are_stored_unless_they_are_not_wanted(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpret(monkeypatch)
    ledger = Ledger(opened())
    many = [f"arm {k}" for k in range(11)]
    ledger.run([create("x"), create("y", probabilities=False), create("z", arms=many)])
    for name, known in (("x", True), ("y", False), ("z", False)):
        (told,) = ledger.run([decide(name)])
        assert said(told)["probability"] == (1.0 if known else None)
        with ledger.storage.reading():
            number = {each.name: each.number for each in ledger.storage.experiments()}[name]
            row = ledger.storage.rows(number, 1, 1)[0]
        assert row.event().get("probability") == (1.0 if known else None)
    assert clean(ledger.storage)


def test_a_holdout_is_served(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    ledger = Ledger(opened())
    floored = {"name": "Floor", "policy": "ucb", "share": {"c": 0.5}}
    ledger.run([create("x", policy=floored)])
    made = [said(each) for each in ledger.run([decide("x") for _ in range(200)])]
    held = [each for each in made if each["arm"] == "c"]
    assert 65 < len(held) < 135
    assert all(each["probability"] >= 0.5 for each in held)
    assert clean(ledger.storage)
