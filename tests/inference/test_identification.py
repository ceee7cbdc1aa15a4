"""Best-arm identification: shares as printed, a second implementation, errors, refusals."""

from __future__ import annotations

import json
import re
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from rbmle import (
    GLR,
    UCB,
    Arms,
    Bernoulli,
    Decider,
    Exponential,
    Gaussian,
    Poisson,
    Problem,
    SuccessiveRejects,
    Table,
    TopTwo,
    TrackAndStop,
    identify,
    simulate,
)
from rbmle.cli.main import run
from rbmle.errors import ParameterError
from rbmle.inference.identification import optimal_shares


def kl(p: float, q: float) -> float:
    """Of two coins, plainly."""
    parts = ((p, q), (1.0 - p, 1.0 - q))
    return sum(a * log(a / b) for a, b in parts if a > 0.0)


@pytest.mark.parametrize(
    ("means", "shares"),
    [
        ([0.5, 0.45, 0.43, 0.4], [0.417, 0.390, 0.136, 0.057]),
        ([0.3, 0.21, 0.2, 0.19, 0.18], [0.336, 0.251, 0.177, 0.132, 0.104]),
    ],
)
def test_the_shares_that_the_paper_prints(means: list[float], shares: list[float]) -> None:
    assert optimal_shares(Bernoulli(), means) == pytest.approx(shares, abs=5e-4)


@pytest.mark.parametrize("family", [Bernoulli(), Gaussian(2.0), Exponential(), Poisson()], ids=repr)
def test_the_shares_are_those_of_a_general_optimiser(family: Any) -> None:
    p = np.array([0.3, 0.7, 0.5])

    def evidence(logits: Any) -> float:
        w = np.exp([0.0, *logits])
        w /= w.sum()
        found = []
        for i in (0, 2):
            m = (w[1] * p[1] + w[i] * p[i]) / (w[1] + w[i])
            found.append(w[1] * family.kl(p[1], m) + w[i] * family.kl(p[i], m))
        return -min(found)

    best = minimize(evidence, [0.5, 0.5], method="Nelder-Mead", options={"xatol": 1e-8})
    w = np.exp([0.0, *best.x])
    assert optimal_shares(family, p) == pytest.approx(w / w.sum(), abs=1e-3)


def test_shares_at_the_ends() -> None:
    assert np.isnan(optimal_shares(Bernoulli(), [0.5, 0.5, 0.1])).all()
    assert optimal_shares(Bernoulli(), [1.0, 0.0]) == pytest.approx([0.5, 0.5], abs=1e-6)


def second_shares(p: Any) -> Any:
    """By roots in roots, on coins, with the best arm first."""

    def ratio(y: float, q: float) -> float:
        def left(x: float) -> float:
            m = (p[0] + x * q) / (1.0 + x)
            return kl(p[0], m) + x * kl(q, m) - y

        high = 1.0
        while left(high) < 0.0:
            high *= 2.0
        return float(brentq(left, 0.0, high, xtol=1e-14))

    def total(y: float) -> float:
        found = 0.0
        for q in p[1:]:
            x = ratio(y, q)
            m = (p[0] + x * q) / (1.0 + x)
            found += kl(p[0], m) / kl(q, m)
        return found - 1.0

    top = min(kl(p[0], q) for q in p[1:])
    k = next(k for k in range(1, 40) if total(top * (1.0 - 0.5**k)) > 0.0)
    y = brentq(total, 1e-9 * top, top * (1.0 - 0.5**k), xtol=1e-15)
    x = np.array([1.0, *(ratio(y, q) for q in p[1:])])
    return x / x.sum()


def second_run(rewards: Any, delta: float) -> tuple[int, int]:
    """Track-and-Stop in plain Python: when it stops, and what it finds."""
    n, s = np.zeros(3), np.zeros(3)
    for t in range(1, len(rewards) + 1):
        if n.min() == 0 or n.min() < sqrt(t - 1) - 1.5:
            arm = int(np.argmin(n))
        else:
            p = s / n
            order = np.argsort(-p, kind="stable")
            if p[order[0]] == p[order[1]]:
                arm = int(np.argmin(n))
            else:
                w = np.empty(3)
                w[order] = second_shares(p[order])
                arm = int(np.argmax((t - 1) * w - n))
        n[arm] += 1
        s[arm] += rewards[t - 1, arm]
        if n.min() > 0:
            p = s / n
            best = int(np.argmax(p))
            found = []
            for i in set(range(3)) - {best}:
                m = (s[best] + s[i]) / (n[best] + n[i])
                found.append(n[best] * kl(p[best], m) + n[i] * kl(p[i], m) if p[best] > p[i] else 0)
            if min(found) > log((1.0 + log(t)) / delta):
                return t, best
    raise AssertionError


@pytest.mark.slow
def test_a_second_implementation_stops_at_the_same_round_with_the_same_arm() -> None:
    means = np.array([0.7, 0.45, 0.4])
    rewards = np.random.default_rng(4).beta(
        4 * means, 4 - 4 * means, (8, 2_000, 3)
    )  # inside (0, 1)
    problem = Problem(Bernoulli(), means)
    found = identify(problem, [TrackAndStop()], 0.1, 8, rewards=Table(rewards), most=2_000)
    ours = [(int(t), int(a)) for t, a in zip(*found["TrackAndStop"][:2], strict=True)]
    assert ours == [second_run(each, 0.1) for each in rewards]
    assert len({t for t, _ in ours}) > 4


@pytest.mark.slow
def test_errors_are_rarer_than_delta_and_times_above_the_bound() -> None:
    problem = Problem(Bernoulli(), [0.3, 0.21, 0.2, 0.19, 0.18])
    ours = [TrackAndStop(), TopTwo(), TopTwo("rbmle")]
    found = identify(problem, ours, delta=0.1, replications=120)
    for each in found.policies.values():
        assert each.wrong <= 0.1
        assert (each.arms >= 0).all()
        assert found.lower_bound < each.rounds.mean() < 4.0 * found.lower_bound
    assert found.lower_bound == pytest.approx(574.2, abs=0.1)
    assert "no rule is quicker than 574.2" in str(found)
    assert "TrackAndStop" in found._repr_html_()


def test_the_proven_threshold_is_more_careful() -> None:
    arms = Arms(np.array([50.0, 50.0]), np.array([30.0, 15.0]), np.zeros(2))
    evidence = GLR(0.1).evidence(Bernoulli(), arms)
    assert log((1.0 + log(100)) / 0.1) < evidence < log(2.0 * 100 / 0.1)
    assert GLR(0.1).stops(Bernoulli(), arms, 100)
    assert not GLR(0.1, "proven").stops(Bernoulli(), arms, 100)


@pytest.mark.slow
def test_successive_rejects_plays_its_phases() -> None:
    """K = 3, T = 100: L = 4/3, n_1 = ceil(97 / 4) = 25, n_2 = ceil(97 * 3 / 8) = 37."""
    rewards = np.tile([0.2, 0.9, 0.5], (1, 100, 1))
    problem = Problem(Bernoulli(), [0.2, 0.9, 0.5])
    result = simulate(problem, [SuccessiveRejects()], 100, 1, Table(rewards))
    assert result.pulls[0, 0].tolist() == [25, 38, 37]
    found = identify(problem, [SuccessiveRejects()], replications=50, budget=300)
    assert found["SuccessiveRejects"].wrong <= 0.02
    assert np.isnan(found.lower_bound)


def test_the_evidence_of_an_arm_without_rewards_is_none() -> None:
    arms = Arms(np.array([3.0, 0.0]), np.array([3.0, 0.0]), np.zeros(2))
    assert GLR(0.1).evidence(Bernoulli(), arms) == 0.0
    assert not GLR(0.1).stops(Bernoulli(), arms, 3)


def test_refusals() -> None:
    problem = Problem(Bernoulli(), [0.5, 0.4])
    with pytest.raises(ParameterError, match="'policies' must be one that needs no horizon"):
        identify(problem, [SuccessiveRejects()])
    with pytest.raises(ParameterError, match=r"identify: 'delta' must be a number in \(0, 1\)"):
        identify(problem, [UCB()], delta=0.0)
    with pytest.raises(ParameterError, match="identify: 'problem' must be a Problem"):
        identify([0.5, 0.4], [UCB()])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"identify: 'budget' .* in \[2, inf\). Got 1"):
        identify(problem, [SuccessiveRejects()], budget=1)
    with pytest.raises(ParameterError, match="identify: 'means' must be numbers with one best arm"):
        identify(Problem(Bernoulli(), [0.5, 0.5]), [UCB()])


@pytest.mark.slow
def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = ["identify", "bernoulli", "0.8", "0.3", "--delta", "0.1", "--replications", "20"]
    assert run([*line, "--policies", "trackandstop"]) == 0
    told = capsys.readouterr().out
    assert "no rule is quicker" in told
    assert "TrackAndStop" in told
    assert re.search(r"errors .* unfinished\n.* 0.0% .* 0\n", told)
    assert run([*line, "--policies", "trackandstop", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["policies"]["TrackAndStop"]["errors"] <= 0.1
    assert run(["identify", "bernoulli", "0.8", "0.3", "--delta", "2"]) == 2
    live: Any = Decider(["red", "green"], "ucb", "bernoulli")
    live.update(["red"] * 500 + ["green"] * 500, [1.0] * 400 + [0.0] * 600)
    live.save(tmp_path / "live.json")
    assert run(["show", str(tmp_path / "live.json")]) == 0
    assert "safe to stop: red beats green at level 0.95" in capsys.readouterr().out
    assert run(["show", str(tmp_path / "live.json"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["arms"]["red"]["pulls"] == 500
