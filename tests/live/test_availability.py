"""Worlds whose arms are asleep at random: live equals simulated, regret is against the awake."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evidence_cases import REPLICATION, SEED, interpret, simulated

import rbmle
from rbmle import Availability, Decider, LinearProblem, ParameterError, Problem
from rbmle.studies.file import world_data, world_of

COINS = Problem("bernoulli", [0.3, 0.5, 0.4, 0.6])
SHOP = Availability(COINS, [0.5, 0.9, 0.7, 0.3])
NEWS = Availability(LinearProblem([1.0, -0.5], rbmle.GaussianFeatures(4, 2)), 0.6)
FIXED = rbmle.FixedDelay(5)
CASES = [
    ("ucb", SHOP, None, None),
    ("ts", SHOP, None, FIXED),
    ("klucb", SHOP, None, FIXED),
    ("successive-rejects", SHOP, None, None),
    ("floor(ts, 0.1)", SHOP, None, None),
    ("ucb", SHOP, "discounted(0.9)", FIXED),
    ("ts", Availability(rbmle.Drift(COINS, step=0.05), 0.5), "window(20)", None),
    ("ucb", NEWS, "linear(2)", None),
    ("lints", NEWS, "linear(2)", FIXED),
]


@pytest.mark.parametrize("case", CASES[:2], ids=str)
def test_live_equals_simulated(case: Any, monkeypatch: Any) -> None:
    law_of_equality(case, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES[2:], ids=str)
def test_live_equals_simulated_with(case: Any, monkeypatch: Any) -> None:
    law_of_equality(case, monkeypatch)


def law_of_equality(case: Any, monkeypatch: Any) -> None:
    policy, problem, evidence, delay = case
    interpret(monkeypatch)
    rounds, late = 120, 0 if delay is None else delay.rounds
    expected = simulated(policy, problem, rounds, delay, evidence)
    live: Decider[int] = Decider(
        range(4), policy, problem.law, SEED, rounds if policy == "successive-rejects" else None,
        replication=REPLICATION, evidence=evidence,
    )  # fmt: skip
    source, pulled = problem.source(SEED, rounds), list[tuple[int, float]]()
    for t in range(1, rounds + 1):
        source.meet(REPLICATION, t)
        context = [[source.feature(i, a) for a in range(2)] for i in range(4)] if evidence == (
            "linear(2)"
        ) else None  # fmt: skip
        among = problem.awake_at(t, SEED, REPLICATION)
        arm = live.pull(id=t, context=context, among=among)
        assert arm in among
        assert arm == expected[t - 1], t
        pulled.append((t, source.reward(REPLICATION, t, arm)))
        if t > late:
            live.update(id=pulled[t - 1 - late][0], reward=pulled[t - 1 - late][1])


@pytest.mark.slow
def test_regret_is_against_the_best_that_was_awake() -> None:
    """Compiled, and as `simulate_log` plays."""
    result = rbmle.simulate(SHOP, ["ucb"], 300, 2, seed=SEED)
    log = rbmle.simulate_log(SHOP, "ucb", 300, seed=SEED, replication=1)
    regret, best = 0.0, 0
    for t, arm in enumerate(log["arm"].tolist(), 1):
        awake = SHOP.awake_at(t, SEED, 1)
        assert arm in awake
        gap = max(COINS.means[awake]) - COINS.means[arm]
        regret, best = regret + gap, best + (gap == 0.0)
    assert result.regret[0, 1, -1] == pytest.approx(regret)
    assert result.best_pulls[0, 1, -1] == best
    assert result.pulls[0, 1].tolist() == np.bincount(log["arm"], minlength=4).tolist()
    many = rbmle.simulate_many([SHOP], ["ucb"], horizon=300, replications=2, seed=SEED)
    assert np.array_equal(many[0].pulls, result.pulls)
    always = Availability(COINS, 1.0)
    one, other = (rbmle.simulate(each, ["ucb"], 300, 2) for each in (always, COINS))
    assert np.array_equal(one.pulls, other.pulls)
    assert one.final_regret == pytest.approx(other.final_regret)


def test_arms_are_awake_as_often_as_they_should_be() -> None:
    rounds = [SHOP.awake_at(t, seed=3) for t in range(1, 2_001)]
    assert min(map(len, rounds)) == 1
    shares = np.bincount(np.concatenate(rounds), minlength=4) / 2_000
    assert np.abs(shares - SHOP.awake).max() < 0.04  # of 2,000 rounds; one in 95 all are asleep
    rare = Availability(COINS, 1e-9)
    assert {len(rare.awake_at(t)) for t in range(1, 50)} == {1}
    assert len({rare.awake_at(t)[0] for t in range(1, 50)}) == 4
    assert SHOP.awake_at(7, 1, 2) != SHOP.awake_at(7, 1, 3) or SHOP.awake_at(8, 1, 2) != (
        SHOP.awake_at(8, 1, 3)
    )


@pytest.mark.parametrize(
    ("problem", "awake", "said"),
    [
        (COINS, 0.0, r"'awake' must be a number in \(0, 1\]. Got 0"),
        (COINS, [0.5, 0.5], "'awake' must be a number, or 4 numbers"),
        (COINS, [0.5, 0.5, 2.0, 0.1], r"in \(0, 1\]. Got 2"),
        (COINS, "often", "'awake'"),
        (COINS, [0.5, None, "x", 1], "'awake'"),
        (SHOP, 0.5, "'problem' must be a Problem"),
        (3, 0.5, "'problem' must be a Problem"),
    ],
)
def test_what_is_refused(problem: Any, awake: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Availability(problem, awake)


def test_a_gpu_is_refused_in_a_sentence() -> None:
    with pytest.raises(ParameterError, match="'device' must be 'cpu' for arms that are asleep"):
        SHOP.sources([SHOP], 0, 100)


@pytest.mark.parametrize(
    "world", [SHOP, NEWS, Availability(rbmle.Phases([COINS, COINS], at=[9]), 0.5)], ids=str
)
def test_a_study_states_them(world: Any) -> None:
    table = world_data(world)
    assert world_of(table) == world
    assert world_of(table) != world.problem
    assert "Awake" in world.described()
    with pytest.raises(ParameterError, match="'awake'"):
        world_of({**table, "awake": 3})
