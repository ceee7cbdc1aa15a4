"""Costs and budgets of a decider."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evidence_cases import interpret

import rbmle
from rbmle import BudgetError, Decider, ParameterError, Seen

MEANS = {"small": 0.5, "medium": 0.7, "large": 0.95}
COST = {"small": 1.0, "medium": 3.0, "large": 10.0}


def decider(policy: Any = "ucb", **settings: Any) -> Decider[str]:
    return Decider(list(MEANS), policy, "bernoulli", seed=3, **settings)


@pytest.mark.parametrize("features", [False, True])
def test_costs_that_are_told_late_never_pass_the_budget(
    features: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Costs come late, in any order, some never; pulls are forgotten and given up; arms go and
    come back: what was really paid stays within the budget, to the last pull."""
    interpret(monkeypatch)
    draw = np.random.default_rng(1)
    evidence = rbmle.Linear(2, shared=False) if features else None
    live = Decider(
        list(MEANS), "ucb", "gaussian(sigma=0.5)", seed=3, horizon=400, patience=30,
        evidence=evidence, cost=Seen({name: 2.0 * cost for name, cost in COST.items()}), budget=600,
    )  # fmt: skip
    waiting: list[tuple[int, str, float, Any]] = []
    paid, t = 0.0, 0
    while t == 0 or waiting or live.spend.left >= 2.0:
        t += 1
        context = {"context": [1.0, draw.random()]} if features else {}
        if live.spend.left >= 2.0:  # what the cheapest may cost
            arm = live.pull(id=t, **context)
            cost = 2.0 * COST[arm] * draw.random() ** 2
            paid += cost
            waiting.append((t, arm, cost, context))
        else:
            with pytest.raises(BudgetError):
                live.pull(**context)
        known = live.spend
        assert known.spent + known.reserved <= 600 * (1 + 1e-9)
        assert paid <= 600 * (1 + 1e-9)
        if len(waiting) > 12 or (waiting and known.left < 2.0):
            id, arm, cost, context = waiting.pop(int(draw.integers(len(waiting))))
            if draw.random() < 0.9:  # else the message is lost
                reward = float(draw.random() < MEANS[arm])
                live.update(id=id, reward=reward, cost=cost, **context)
        if t == 100:
            live.forget("small", min(1, live.pending["small"]))
            live.disable("medium")
        if t == 150:
            live.enable("medium")
            live.save(tmp_path / "live.json")
            live = Decider.load(tmp_path / "live.json")
    assert paid > 300
    assert live.counts["small"] > 0


def test_a_spent_budget_leaves_the_decider_usable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    interpret(monkeypatch)
    live = decider(cost=COST, budget=14.5, price=0.1)
    assert live.pull(3) == ["small", "medium", "large"]
    assert live.spend == rbmle.Spend(14.0, 0.0, 0.5, 0.1)
    for ask in (live.pull, live.decide, lambda: live.pull(2), lambda: live.pull(id="x")):
        before = live._state()
        with pytest.raises(BudgetError, match=r"enough for a candidate. Got 0.5 left of 14.5"):
            ask()
        assert live._state() == before
    live.update("large", 1.0)
    live.save(tmp_path / "s.json")
    again = Decider.load(tmp_path / "s.json")
    assert again.spend == live.spend
    assert again.counts == {"small": 0, "medium": 0, "large": 1}
    with pytest.raises(BudgetError):
        again.pull()


def test_three_tenths_are_a_budget_of_point_three(monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    live = Decider(["a", "b"], "ucb", "bernoulli", cost=0.1, price=0, budget=0.3)
    assert len(live.pull(9)) == 3


def test_only_affordable_arms_are_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    live = decider(cost=COST, budget=30, price=0)
    live.update(["small", "medium", "large"] * 5, [0, 0, 1] * 5)
    assert [live.pull() for _ in range(2)] == ["large"] * 2
    assert live.pull(among=["small", "medium"]) == "medium"
    with pytest.raises(BudgetError):
        live.pull(among=["large"])
    assert "large" not in live.pull(9)
    assert live.spend.left < 1.0


def test_a_slate_is_filled_completely_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    live = decider(cost=COST, budget=15, price=0)
    assert sorted(live.pull(k=2, among=["small", "medium"])) == ["medium", "small"]
    before = live._state()
    with pytest.raises(BudgetError, match="Got 11 left of 15"):
        live.pull(k=2)  # it may cost 13
    assert live._state() == before
    assert len(live.decide(k=2, among=["small", "medium"])) == 2


def test_the_index_is_less_the_price_or_over_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    plain, net = decider(), decider(cost=COST, price=0.05)
    ratio = decider(cost=COST, objective="reward / cost")
    for each in (plain, net, ratio):
        each.update(["small", "medium", "large"] * 4, [1, 0, 1] * 4)
    index = plain.indices()
    assert net.indices() == {name: index[name] - 0.05 * COST[name] for name in COST}
    assert ratio.indices() == {name: index[name] / COST[name] for name in COST}
    assert net.pull() == max(net.indices(), key=net.indices().__getitem__)
    assert ratio.decide().probability == 1.0


def test_seen_costs_count_by_their_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is where the divergence of coins allows log t / n: solved here by hand."""
    interpret(monkeypatch)
    live = decider(cost=Seen(4.0), price=0.2)
    for name, cost in (("small", 1.0), ("medium", 2.0), ("large", 4.0)):
        live.update([name] * 5, [1.0] * 5, cost=[cost] * 5)
    assert live.spend.spent == 0.0  # they were made elsewhere
    ledger: Any = live._live.ledger
    for place, mean in enumerate((0.25, 0.5, 1.0)):
        least = ledger.least(place, 16) / 4.0
        assert least < mean
        assert rbmle.Bernoulli().kl(mean, least) == pytest.approx(np.log(16) / 5.0)


@pytest.mark.parametrize(
    ("settings", "call", "told"),
    [
        ({}, {"cost": 1.0}, "Decider: 'cost' must be left out by a decider without costs. Got 1.0"),
        ({"cost": COST, "price": 1}, {"cost": 1.0}, "'cost' must be left out where it is known"),
        ({"cost": Seen(2), "price": 1}, {}, "'cost' must be a number in [0, 2]. Got None."),
        ({"cost": Seen(2), "price": 1}, {"cost": -1}, "a number in [0, 2]. Got -1."),
        ({"cost": Seen(2), "price": 1}, {"cost": 2.5}, "a number in [0, 2]. Got 2.5."),
        ({"cost": Seen(2), "price": 1}, {"cost": float("nan")}, "in [0, 2]. Got nan."),
    ],
)
def test_a_bad_cost_loses_nothing(
    settings: Any, call: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpret(monkeypatch)
    live = decider(**settings)
    live.pull(id="v")
    before = copy.deepcopy(live._state())
    for send in (
        lambda: live.update("small", 1.0, **call),
        lambda: live.update(id="v", reward=1.0, **call),
        lambda: live.update(["small"], [1.0], **{k: [x] for k, x in call.items()}),
    ):
        with pytest.raises(ParameterError) as refused:
            send()
        assert told in str(refused.value)
        assert live._state() == before


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"budget": 3}, "Decider: 'cost' must be given with a price, a budget or an objective."),
        ({"cost": {"small": 1}, "price": 1}, "given for every arm, 'medium' too. Got {'small': 1"),
        ({"cost": COST, "budget": 9}, "'price' must be given, or learned from a 'budget' and"),
        ({"cost": COST, "budget": 0.9, "price": 1}, "'budget' must be at least the smallest cost"),
        ({"cost": COST, "price": 1, "policy": "kg"}, "one whose index is a mean or a bound of one"),
        ({"cost": COST, "price": 1, "policy": rbmle.Floor("ucb", 0)}, "'policy' must be a policy"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused_in_one_sentence(settings: Any, told: str) -> None:
    with pytest.raises(ParameterError) as refused:
        decider(**{"horizon": 100 if "policy" in settings else None, **settings})
    assert told in str(refused.value)


def test_an_added_arm_needs_a_cost_and_draws_have_no_probabilities(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interpret(monkeypatch)
    live = decider(cost=COST, price=1)
    with pytest.raises(ParameterError, match="'cost' must be given for every arm, 'huge' too"):
        live.add("huge")
    assert live.arms == tuple(MEANS)
    later = decider(cost={**COST, "huge": 50}, price=1)
    later.add("huge")
    assert later.pull(4)[-1] == "huge"
    for ask in (live.probabilities, decider("ts", cost=COST, price=1).decide):
        with pytest.raises(ParameterError, match="one without costs, for the probabilities"):
            ask()
