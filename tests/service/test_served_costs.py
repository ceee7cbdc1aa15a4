"""Costs and budgets in the service: the choices of a decider, and never more than the budget."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from evidence_cases import interpret
from service_cases import add_arm, clean, create, decide, definition, one, reward

from rbmle import Decider, ParameterError
from rbmle.errors import BudgetError
from rbmle.service import experiment_cache as cache_module
from rbmle.service.keys import ANYONE
from rbmle.service.ledger import Ledger
from rbmle.service.messages import FillSlate
from rbmle.service.storage import Storage

Opened = Callable[[], Storage]
COST = {"a": 1.0, "b": 3.0, "c": 10.0}


@pytest.mark.slow
@pytest.mark.parametrize("features", [False, True])
def test_served_equals_live_with_costs_until_the_budget_ends(
    opened: Opened, features: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers, one of which is started again and again, from snapshots and from rows."""
    interpret(monkeypatch)
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 40)
    linear = {"evidence": {"name": "Linear", "dimension": 2, "shared": False}} if features else {}
    told = {"family": "gaussian", "horizon": 150, "patience": 20, **linear}
    workers = [Ledger(opened()), Ledger(opened())]
    priced = {"policy": "ucb", "cost": COST, "budget": 300}
    assert one(workers[0], create(**told, **priced))[0] == 201
    same = {"policy": {"name": "Priced", "policy": "ucb", "cost": COST, "budget": 300}}
    assert one(workers[1], create(**told, **same))[0] == 200  # the same experiment, said otherwise
    live = Decider(
        list("abc"), "ucb", "gaussian", seed=1, horizon=150, patience=20, cost=COST, budget=300,
        evidence=linear.get("evidence") and "linear(2, shared=False)",
    )  # fmt: skip
    draw, waiting, spent = random.Random(4), list[tuple[str, Any]](), 0.0
    for step in range(1_000):
        if step % 60 == 59:
            workers[1] = Ledger(workers[1].storage)
        worker = draw.choice(workers)
        if waiting and draw.random() < 0.45:
            (id, known), value = waiting.pop(0), draw.gauss(0.5, 1.0)
            one(worker, reward(id, value))
            live.update(id=id, reward=value, context=known)
            continue
        context = [1.0, draw.random()] if features else None
        status, answer = one(worker, decide(id=f"v{step}", context=context))
        if status == 410:
            assert answer["error"].startswith("service: 'budget' must be enough for a candidate.")
            with pytest.raises(BudgetError):
                live.pull(context=context)
            break
        assert (status, answer["arm"]) == (200, live.pull(id=f"v{step}", context=context))
        waiting.append((f"v{step}", context))
        spent += COST[answer["arm"]]
    assert 290 < spent == live.spend.spent <= 300
    assert one(workers[0], reward(waiting.pop()[0], 1.0)) == (200, {"counted": True})
    assert clean(workers[0].storage)


def test_a_reward_with_another_cost_is_refused_with_the_first(opened: Opened) -> None:
    ledger = Ledger(opened())
    seen = {"name": "Seen", "largest": 1.0}
    assert one(ledger, create(policy="ucb", family="gaussian", cost=seen, price=1.0))[0] == 201
    one(ledger, decide(id="v"))
    assert one(ledger, reward("v", 1.0, cost=0.25)) == (200, {"counted": True})
    assert one(ledger, reward("v", 1.0, cost=0.25)) == (200, {"counted": False})
    told = "Decision 'v' has another reward, 1.0, with {\"cost\":0.25}."
    assert one(ledger, reward("v", 1.0, cost=0.5)) == (409, {"error": told})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"cost": {"a": 1, "b": -3, "c": 1}, "price": 1}, "'cost' must be a number in [0, inf)"),
        ({"cost": {"a": 1, "b": 3}, "price": 1}, "'cost' must be given for every arm, 'c' too"),
        ({"cost": COST, "budget": 9}, "'price' must be given, or learned from a 'budget' and a"),
        ({"cost": COST, "budget": 0.5, "price": 1}, "'budget' must be at least the smallest cost"),
        ({"budget": 9}, "experiment: 'cost' must be given with a price, a budget or an objective"),
        ({"cost": COST, "price": 1, "consistency": "snapshot"}, "'serial' with costs, which all"),
    ],
)
def test_bad_costs_are_refused_in_one_sentence(changes: Any, told: str) -> None:
    with pytest.raises(ParameterError) as refused:
        definition(**changes)
    assert told in str(refused.value)


def test_an_added_arm_needs_a_cost(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    ledger = Ledger(opened())
    ledger.run([create(cost=COST, price=0.1), decide(id="1")])
    status, answer = one(ledger, add_arm("d"))
    assert (status, "given for every arm, 'd' too" in answer["error"]) == (422, True)
    assert one(ledger, decide(id="2"))[0] == 200
    assert clean(ledger.storage)


def test_a_slate_is_filled_completely_or_not_at_all(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpret(monkeypatch)
    ledger = Ledger(opened())
    ledger.run([create(cost=COST, price=0.1, budget=12)])
    slate = FillSlate(experiment="x", id="v", k=2)
    status, answer = one(ledger, (ANYONE, slate))  # it may cost 13
    assert (status, "enough for a candidate. Got 12 left of 12" in answer["error"]) == (410, True)
    cheap = FillSlate(experiment="x", id="v", k=2, among=["a", "b"])
    assert one(ledger, (ANYONE, cheap))[0] == 200
    assert clean(ledger.storage)
