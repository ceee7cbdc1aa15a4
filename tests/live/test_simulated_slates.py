"""Worlds of slates: live equals simulated, regret is against the best slate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evidence_cases import REPLICATION, SEED, interpret, simulated

import rbmle
from rbmle import Decider, ParameterError, Problem, RewardStream, Slates
from rbmle.studies.file import world_data, world_of

COINS = Problem("bernoulli", [0.3, 0.5, 0.4, 0.6, 0.1])
PAGE = Slates(COINS, 3)


@pytest.mark.parametrize(
    ("policy", "evidence"), [("ucb", None), ("ts", None), ("klucb", "discounted(0.95)")]
)
def test_live_equals_simulated(policy: str, evidence: Any, monkeypatch: Any) -> None:
    interpret(monkeypatch)
    expected = simulated(policy, PAGE, 120, None, evidence)
    live: Decider[int] = Decider(
        range(5), policy, "bernoulli", SEED, replication=REPLICATION, evidence=evidence
    )
    source: Any = COINS.source(SEED, 120)
    for n in range(40):
        slate = live.pull(k=3, id=n)
        assert slate == expected[3 * n : 3 * n + 3], n
        for place, arm in enumerate(slate, 1):
            live.update(id=f"{n}.{place}", reward=source.reward(REPLICATION, 3 * n + place, arm))


CASCADE = Slates(COINS, 3, "cascade")


@pytest.mark.parametrize(
    ("policy", "evidence"), [("ucb", None), ("ts", None), ("klucb", "window(60)"), ("moss", None)]
)
def test_live_equals_simulated_in_a_cascade(policy: str, evidence: Any, monkeypatch: Any) -> None:
    """Rewards are told down to the first click; the places below are forgotten."""
    interpret(monkeypatch)
    expected = simulated(policy, CASCADE, 300, None, evidence)
    live: Decider[int] = Decider(
        range(5), policy, "bernoulli", SEED, replication=REPLICATION, evidence=evidence, horizon=300
    )
    source: Any = COINS.source(SEED, 300)
    for n in range(100):
        slate = live.pull(k=3)
        assert slate == expected[3 * n : 3 * n + 3], n
        clicked = 0.0
        for place, arm in enumerate(slate, 1):
            if clicked:
                live.forget(arm)
                continue
            clicked = source.reward(REPLICATION, 3 * n + place, arm)
            live.update(arm, clicked)
    assert live.t < 280


@pytest.mark.slow
def test_regret_of_a_cascade_is_in_the_probability_of_a_click() -> None:
    chosen = np.array(simulated("ucb", CASCADE, 300, None, None)).reshape(-1, 3)
    clicks = 1.0 - np.prod(1.0 - COINS.means[chosen], axis=1)
    lost = (1.0 - 0.4 * 0.5 * 0.6 - clicks).cumsum()
    told: Any = {"rewards": RewardStream(SEED), "first_replication": REPLICATION}
    kept = np.arange(3, 301, 3)
    result = rbmle.simulate(CASCADE, ["ucb"], 300, 1, checkpoints=kept, **told)
    assert np.allclose(result.regret[0, 0], lost, atol=1e-9)
    played = rbmle.simulate(CASCADE, ["ts", "ucb"], 9_000, 20, seed=1)
    assert (played.pulls.sum(axis=2) == 9_000).all()
    assert played.final_regret.mean(axis=1).max() < 0.05 * 3_000  # slates by lot: 0.15 each
    top = played.pulls[0].mean(axis=0)
    assert set(np.argsort(-top)[:3]) == {1, 2, 3}
    everyone = rbmle.simulate(Slates(COINS, 5, "cascade"), ["ucb"], 300, 1)
    assert everyone.final_regret == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_regret_is_against_the_best_slate() -> None:
    result = rbmle.simulate(PAGE, ["ucb"], 300, 2, seed=1)
    pulls = result.pulls[0, 1]
    assert pulls.sum() == 300
    assert pulls.max() <= 100  # an arm has one place at most
    lost = 100 * (0.6 + 0.5 + 0.4) - pulls @ COINS.means
    assert result.final_regret[0, 1] == pytest.approx(lost)
    one, plain = (rbmle.simulate(each, ["ucb"], 300, 2) for each in (Slates(COINS, 1), COINS))
    assert np.array_equal(one.pulls, plain.pulls)
    everyone = rbmle.simulate(Slates(COINS, 5), ["ucb"], 300, 1)
    assert everyone.pulls.tolist() == [[[60] * 5]]
    assert everyone.final_regret == pytest.approx(0.0, abs=1e-9)


def test_what_is_refused() -> None:
    for call, said in (
        (lambda: Slates(COINS, 6), r"'k' must be a whole number in \[1, 5\]. Got 6"),
        (lambda: Slates(COINS, 2, "clicks"), "'clicks' must be one of 'independent', 'cascade'"),
        (lambda: Slates(Problem("gaussian", [0, 1]), 2, "cascade"), "one of Bernoulli rewards"),
        (lambda: Slates(PAGE, 2), "'problem' must be a Problem"),  # type: ignore[arg-type]
        (lambda: rbmle.simulate(PAGE, ["ucb"], 100, 1), r"'horizon' must be a multiple of k \(3\)"),
        (lambda: rbmle.simulate(PAGE, ["ucb"], 99, 1, delay="fixeddelay(3)"), "'delay' must be"),
        (lambda: rbmle.simulate_log(PAGE, "ucb", 99), "'problem' must be one without slates"),
        (lambda: PAGE.sources([PAGE], 0, 99), "'device' must be 'cpu'"),
        (
            lambda: rbmle.simulate_many([PAGE, COINS], ["ucb"], horizon=99, replications=1),
            "all of one size",
        ),
    ):
        with pytest.raises(ParameterError, match=said):
            call()


def test_a_study_states_them() -> None:
    assert world_of(world_data(PAGE)) == PAGE
    assert world_data(PAGE)["places"] == 3
    assert world_of(world_data(CASCADE)) == CASCADE != PAGE
    assert CASCADE.words() == "slates of 3, cascade"
    assert "Slates" in PAGE.described()
