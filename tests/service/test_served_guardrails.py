"""Guardrails and seen costs in the service: what comes with a reward is in the log, and counts
once."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import pytest
from evidence_cases import interpret
from service_cases import clean, create, decide, definition, end, one, reward, said, set_state

from rbmle import Decider, Guardrail, ParameterError, Seen
from rbmle.errors import BudgetError, GuardrailWarning
from rbmle.service import experiment_cache as cache_module
from rbmle.service.keys import ANYONE
from rbmle.service.ledger import Ledger
from rbmle.service.messages import FillSlate
from rbmle.service.rows import Kind, Row
from rbmle.service.storage import Storage
from rbmle.service.verify import verify
from rbmle.service.views import experiment_details

Opened = Callable[[], Storage]
DEEP: Any = functools.reduce(lambda inner, _: [inner], range(500), 1)
RAILS = [{"metric": "errors", "at_most": 0.05}]


def log(ledger: Ledger) -> list[Row]:
    with ledger.storage.reading():
        return [row for rows in ledger.storage.log(1) for row in rows]


def details(ledger: Ledger) -> Any:
    found = ledger.ask(lambda known: experiment_details(known, ANYONE, "x"))
    assert found is not None
    return found[0]


@pytest.mark.slow
def test_served_equals_live_with_guardrails_and_seen_costs(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers, one of which is started again and again, from snapshots and from rows."""
    interpret(monkeypatch)
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 40)
    workers = [Ledger(opened()), Ledger(opened())]
    seen = {"cost": {"name": "Seen", "largest": 2.0}, "price": 0.1, "budget": 150}
    assert one(workers[0], create(guardrails=RAILS, **seen))[0] == 201
    rail = Guardrail("errors", at_most=0.05)
    live = Decider(
        list("abc"), "ucb", "bernoulli", seed=1, cost=Seen(2.0), price=0.1, budget=150,
        guardrails=[rail],
    )  # fmt: skip
    draw, waiting = random.Random(4), list[tuple[str, str]]()
    for step in range(2_000):
        if step % 60 == 59:
            workers[1] = Ledger(workers[1].storage)
        worker = draw.choice(workers)
        if waiting and draw.random() < 0.5:
            id, arm = waiting.pop(0)
            told: Any = {
                "cost": draw.random() * 2.0,
                "metrics": {"errors": float(draw.random() < {"a": 0.0, "b": 0.5, "c": 0.02}[arm])},
            }
            value = float(draw.random() < 0.5)
            assert one(worker, reward(id, value, **told)) == (200, {"counted": True})
            assert one(worker, reward(id, value, **told)) == (200, {"counted": False})
            other = {**told, "cost": told["cost"] / 2.0}
            assert one(worker, reward(id, value, **other))[0] == 409
            try:
                live.update(id=id, reward=value, **told)
            except GuardrailWarning:
                assert arm == "b"
            continue
        status, answer = one(worker, decide(id=f"v{step}"))
        if status == 410:
            with pytest.raises(BudgetError):
                live.pull()
            if not waiting:
                break
            continue
        assert (status, answer["arm"]) == (200, live.pull(id=f"v{step}"))
        waiting.append((f"v{step}", answer["arm"]))
    assert list(live.disabled) == ["b"]
    assert 145 < live.spend.spent <= 150
    shown = details(workers[0])
    assert shown.spent == live.spend.spent
    assert [each.reason for each in shown.arms] == [None, live.disabled["b"], None]
    assert [each.state for each in shown.arms] == ["active", "paused", "active"]
    (row,) = [each for each in log(workers[0]) if each.kind == Kind.GUARDED]
    assert row.event()["kind"] == "guarded"
    assert row.text == live.disabled["b"]
    assert clean(workers[0].storage)


@pytest.fixture
def bad(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """An experiment whose arms all fail."""
    interpret(monkeypatch)
    ledger = Ledger(opened())
    ledger.run([create(guardrails=RAILS)])
    for k in range(40):
        status, _ = one(ledger, decide(id=f"v{k}"))
        if status == 200:
            one(ledger, reward(f"v{k}", 1.0, metrics={"errors": 1}))
    return ledger


def test_if_all_arms_are_paused_one_sentence_says_so(bad: Ledger) -> None:
    told = "Guardrails have paused all arms of 'x': make one active."
    assert one(bad, decide(id="w")) == (409, {"error": told})
    assert one(bad, (ANYONE, FillSlate(experiment="x", k=2))) == (409, {"error": told})
    assert one(bad, decide(id="v0"))[0] == 200  # it was made
    assert [each.state for each in details(bad).arms] == ["paused"] * 3
    assert one(bad, set_state("a", "retired"))[0] == 200
    assert one(bad, set_state("b", "active"))[0] == 200
    assert one(bad, decide(id="w"))[1]["arm"] == "b"
    assert details(bad).arms[1].reason is None
    assert one(bad, reward("w", metrics={"errors": 1}))[0] == 200
    assert [each.state for each in details(bad).arms] == ["retired", "active", "paused"]
    assert one(bad, end())[0] == 200
    assert clean(bad.storage)


@pytest.mark.parametrize("change", ["text", "kind", "told", "lost"])
def test_verify_finds_a_guardrail_that_was_tampered_with(bad: Ledger, change: str) -> None:
    assert clean(bad.storage)
    row = next(each for each in log(bad) if each.kind == Kind.GUARDED)
    with bad.storage.writing():
        run = bad.storage._do
        if change == "text":
            run("UPDATE log SET text = 'because' WHERE seq = ?", [row.seq])
        elif change == "kind":
            run("UPDATE log SET kind = 5, text = 'paused' WHERE seq = ?", [row.seq])
        elif change == "told":
            run('UPDATE log SET told = \'{"metrics":{"errors":0}}\' WHERE seq = ?', [row.seq - 1])
        else:
            run("UPDATE log SET told = NULL WHERE seq = ?", [row.seq - 1])
    (found,) = verify(bad.storage)
    assert found.wrong


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, "service: 'metrics' must be given with 'errors', a number in [0, 1]. Got {}."),
        ({"metrics": {"errors": 2.0}}, "'errors', a number in [0, 1]. Got {'errors': 2.0}."),
        ({"metrics": {"eror": 0.0}}, "'metrics' must be of 'errors'. Got 'eror'."),
        ({"metrics": {"errors": 0}, "cost": 1.0}, "'cost' must be left out"),
    ],
)
def test_a_bad_metric_loses_nothing(
    more: Any, told: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpret(monkeypatch)
    ledger = Ledger(opened())
    ledger.run([create(guardrails=RAILS), decide(id="v")])
    refused, counted = ledger.run([reward("v", **more), reward("v", metrics={"errors": 0})])
    assert (refused.status, told in said(refused)["error"]) == (422, True)
    assert said(counted) == {"counted": True}
    assert clean(ledger.storage)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"guardrails": [{"metric": "e"}]},
            "Guardrail: 'at_least' must be given, or else",
        ),
        ({"guardrails": RAILS, "consistency": "snapshot"}, "'serial' with guardrails, after which"),
        ({"cost": {"name": "Seen"}, "price": 1}, "'largest' must be given"),
        (
            {"cost": {"name": "Seen", "largest": DEEP}, "price": 1},
            "'cost' must be of at most 10000",
        ),
        ({"cost": {"a": DEEP, "b": 1, "c": 1}, "price": 1}, "'cost' must be a number in [0, inf)"),
    ],
)
def test_bad_definitions_are_refused_in_one_sentence(changes: Any, told: str) -> None:
    with pytest.raises(ParameterError) as refused:
        definition(**changes)
    assert told in str(refused.value)
