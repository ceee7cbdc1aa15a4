"""`Priced`: arms that cost something, in simulations; the sum of costs never passes a budget."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import rbmle
from rbmle import Costs, Decider, FixedDelay, ParameterError, Priced, Problem, Seen, testing
from rbmle.policies.priced import net_gaps
from rbmle.random import key
from rbmle.rewards.problems import Stream
from rbmle.spec import from_spec, to_spec

COINS = Problem("bernoulli", [0.5, 0.7, 0.95])
COST = {0: 1.0, 1: 3.0, 2: 10.0}
COSTS = np.array(list(COST.values()))
DEAR = Costs(COINS, COSTS, largest=20)
LAWS = {each.__name__: each for each in testing.checks()}


def test_regret_is_against_the_best_mixture_which_is_a_linear_program() -> None:
    draw = np.random.default_rng(5)
    for _ in range(100):
        means, costs = draw.random(4), draw.choice([0.5, 1.0, 2.0, 4.0], 4) * draw.random(4)
        horizon, budget = 1_000, float(1_000 * draw.random() * 3 + costs.min())
        price = float(draw.choice([0.0, 0.3]))
        policy = Priced("ucb", dict(enumerate(costs.tolist())), price=price, budget=budget)
        gaps = net_gaps(policy, Problem("bernoulli", means), horizon)
        net = means - price * costs
        best = linprog(-net, A_ub=[costs, np.ones(4)], b_ub=[budget, horizon])
        assert gaps is not None
        assert gaps == pytest.approx(np.append(-best.fun / horizon - net, -best.fun / horizon))


@pytest.mark.slow
def test_a_price_of_0_changes_no_choice() -> None:
    for policy in ("klucb", "recommended"):
        plain, free = rbmle.simulate(COINS, [policy, Priced(policy, COST, price=0)], 400, 20).pulls
        assert (plain == free).all()


@pytest.mark.slow
@pytest.mark.parametrize("delay", [None, FixedDelay(20)])
def test_a_learned_price_spends_the_budget_and_never_more(delay: Any) -> None:
    """The best mixture pays 0.736 a round. Without learning, the best arm that the budget affords
    in every round would lose 0.036 a round, 107 in all; half the rounds with the best arm and none
    after that, 0.356."""
    players = ("klucb", "ts", "recommended") if delay is None else ("klucb",)
    policies = [Priced(each, COST, budget=12_000) for each in players]
    result = rbmle.simulate(COINS, policies, 3_000, 40, delay=delay)
    spent = result.pulls @ COSTS
    assert spent.max() <= 12_000
    assert spent.mean() > 0.98 * 12_000
    assert (result.final_regret.mean(axis=1) < 60.0).all()
    rate = net_gaps(policies[0], COINS, 3_000)
    assert rate is not None
    again = result.pulls @ rate[:3] + (3_000 - result.pulls.sum(axis=2)) * rate[3]
    assert again == pytest.approx(result.final_regret)


@pytest.mark.slow
def test_a_ratio_earns_the_most_with_a_budget_and_rounds_enough() -> None:
    """Arm 0 pays 0.5 for 1: with 500 to spend, 250; 117 by arm 1 alone and 48 by arm 2 alone."""
    ratio = Priced("klucb", COST, "reward / cost", budget=500)
    result = rbmle.simulate(COINS, [ratio], 600, 40)
    assert (result.pulls @ COSTS).max() <= 500
    assert (result.pulls @ COINS.means).mean() > 230
    assert (result.pulls.sum(axis=2) < 600).all()  # it ends when the budget does


@pytest.mark.slow
@pytest.mark.parametrize("law", ["compiled_equals_interpreted", "work_can_be_divided"])
@pytest.mark.parametrize("policy", ["klucb", "recommended"])
def test_the_laws_of_policies_hold(policy: str, law: str) -> None:
    coin = rbmle.Bernoulli()
    inner = rbmle.recommended(coin) if policy == "recommended" else policy
    LAWS[law](Priced(inner, COST, budget=140), coin)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["klucb", "ts", "recommended"])
@pytest.mark.parametrize("budget", [700, 150])
def test_live_equals_simulated_with_costs(policy: str, budget: int, tmp_path: Any) -> None:
    """Also after it was saved, and until the budget ends; in the simulation nothing is pulled
    after that."""
    priced, rounds = Priced(policy, COST, budget=budget), 200
    result = rbmle.simulate(COINS, [priced], rounds, 1, seed=7)
    live = Decider(
        range(3), policy, "bernoulli", 7, rounds, cost=COST, budget=budget
    )  # the same record
    source = Stream(rbmle.Bernoulli(), np.array(COINS.means), *key(7))
    for t in range(1, rounds + 1):
        if t == rounds // 2:
            live.save(tmp_path / "live.json")
            live = Decider.load(tmp_path / "live.json")
        try:
            arm = live.pull()
        except rbmle.BudgetError:
            assert budget == 150
            break
        live.update(arm, source.reward(0, t, arm))
    assert list(live.counts.values()) == result.pulls[0, 0].tolist()
    assert live.spend.spent == result.pulls[0, 0] @ COSTS <= budget


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "delay"), [("ts", None), ("klucb", "batchdelay(5)")])
def test_live_equals_simulated_with_costs_that_are_seen(policy: str, delay: Any) -> None:
    """Costs are told with the rewards, at once or in batches of five, until the budget ends."""
    priced, rounds = Priced(policy, Seen(20), price=0.01, budget=500), 200
    result = rbmle.simulate(DEAR, [priced], rounds, 1, seed=7, delay=delay)
    live = Decider(range(3), policy, "bernoulli", 7, cost=Seen(20), price=0.01, budget=500)
    source: Any = DEAR.source(7, rounds)
    waiting: list[tuple[int, int]] = []
    for t in range(1, rounds + 1):
        with suppress(rbmle.BudgetError):
            waiting.append((t, live.pull(id=t)))
        if delay is None or t % 5 == 0:
            for k, arm in waiting:
                told = source.reward(0, k, arm), source.cost(0, k, arm)
                live.update(id=k, reward=told[0], cost=told[1])
            waiting = []
    assert list(live.counts.values()) == result.pulls[0, 0].tolist()
    assert 480 <= live.spend.spent <= 500
    assert result.pulls[0, 0].sum() < rounds


@pytest.mark.slow
def test_the_price_of_seen_costs_is_learned() -> None:
    """The regret is the best mixture's by the mean costs, times the rounds, minus what was paid."""
    priced = Priced("ts", Seen(20), budget=12_000)
    result = rbmle.simulate(DEAR, [priced], 3_000, 40)
    best = 0.7 + (4 - 3) / (10 - 3) * (0.95 - 0.7)  # of each round, with 4 to spend
    paid = result.pulls[0] @ COINS.means
    assert result.final_regret[0] == pytest.approx(3_000 * best - paid)
    assert 0.0 < result.final_regret.mean() < 0.1 * 3_000 * best
    assert (result.pulls[0] @ COSTS).mean() < 12_000
    study = rbmle.Study(DEAR, [priced], 100, 10)
    assert rbmle.Study.from_dict(study.to_dict()) == study


def test_files_name_it() -> None:
    for policy in (
        Priced("ucb", {"a": 1, "b": 2}, price=0.5),
        Priced("ts", Seen({"a": 1, "b": 2}), "reward / cost", budget=7),
        Priced("recommended", 2.0, budget=3),
    ):
        assert from_spec(to_spec(policy)) == policy
    assert from_spec("priced(ucb, seen(0.5), price=2)") == Priced("ucb", Seen(0.5), price=2)
    study = rbmle.Study(COINS, [Priced("recommended", COST, budget=300)], 100, 10)
    assert rbmle.Study.from_dict(study.to_dict()) == study


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Priced("ucb", {"a": -1}), "'cost' must be a number in [0, inf). Got -1."),
        (lambda: Priced("ucb", {}), "'cost' must be a number, or a mapping of arms to numbers"),
        (lambda: Priced("ucb", "seen"), "Seen: 'largest' must be given."),
        (lambda: Priced("ucb", 1, budget=0), "'budget' must be a number in (0, inf). Got 0."),
        (lambda: Priced("ucb", 1, "ratio"), "one of 'reward - price x cost', 'reward / cost'"),
        (lambda: Priced(Priced("ucb", 1), 1), "Priced: 'policy' must be a policy, as in UCB()"),
        (lambda: played(Priced("ucb", {0: 1, 1: 1})), "'cost' must be given for every arm, 2 too"),
        (lambda: played(Priced("imed", COST)), "one whose index is a mean or a bound of one"),
        (lambda: played(Priced("ucb", COST)), "given, or learned from a 'budget' and a 'horizon'"),
        (lambda: played(Priced("ucb", COST, budget=0.5)), "at least the smallest cost, 1. Got 0.5"),
        (lambda: played(Priced("ucb", 0, "reward / cost")), "'cost' must be above 0"),
        (lambda: played(Priced("ucb", COST, "reward / cost", 1)), "'price' must be left out"),
        (lambda: played(Priced("ucb", Seen(9), price=1)), "'cost' must be Seen in a world with Co"),
        (lambda: played(Priced("ucb", COST, price=1), DEAR), "'cost' must be Seen in a world with"),
        (lambda: played(Priced("ucb", Seen(9), price=1), DEAR), "'largest' must be at least 20"),
        (lambda: Costs(COINS, [1, 3], 20), "'costs' must be 3 numbers. Got [1, 3]."),
        (lambda: Costs(COINS, [1, 3, -1], 20), "'costs' must be a number in [0, 20]. Got -1.0."),
        (lambda: played(Priced("ucb", COST, price=1), changing()), "a Problem, whose means stay"),
        (lambda: Priced("ucb", 1).probabilities("bernoulli", [1], [1]), "one without costs"),
    ],
)  # fmt: skip
def test_bad_costs_are_refused_in_one_sentence(make: Any, told: str) -> None:
    with pytest.raises(ParameterError) as refused:
        make()
    assert told in str(refused.value)


def played(policy: Any, problem: Any = COINS) -> Any:
    return rbmle.simulate(problem, [policy], 9, 1)


def changing() -> Any:
    return rbmle.Phases([COINS, Problem("bernoulli", [0.9, 0.1, 0.2])], at=[5])
