"""Estimates on logs that we made: they are unbiased, the same in pieces, and refuse bad logs."""

from __future__ import annotations

import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rbmle import Bernoulli, Decider, Floor, Problem, evaluate, simulate, simulate_log
from rbmle.errors import ParameterError

MEANS, LOGGED = np.array([0.2, 0.5, 0.3]), np.array([0.5, 0.2, 0.3])
TARGET = {"red": 0.1, "green": 0.7, "blue": 0.2}
VALUE = float(MEANS @ list(TARGET.values()))
NAMES = np.array(list(TARGET))


def made(rows: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    arm = rng.choice(3, rows, p=LOGGED)
    paid = (rng.random(rows) < MEANS[arm]).astype(float)
    return {"arm": NAMES[arm], "reward": paid, "probability": LOGGED[arm]}


def test_all_estimates_are_unbiased_and_their_intervals_hold() -> None:
    found = [evaluate(made(400, seed), TARGET, seed=seed) for seed in range(200)]
    for name in ("IPS", "SNIPS", "DR", "replay"):
        values = np.array([each[name].value for each in found])
        error = values.std(ddof=1) / np.sqrt(values.size)
        assert abs(values.mean() - VALUE) < 3.0 * error
        covered = np.mean([each[name].low <= VALUE <= each[name].high for each in found])
        assert covered > 0.89  # 0.95 less four standard errors
    assert 0.0 < np.mean([each.effective_rows for each in found]) < 400


@pytest.mark.slow
def test_replay_of_a_policy_that_learns_is_what_it_earns() -> None:
    """The m rows that count are a run of m rounds, whatever m is: 200 logs, within 3 errors."""
    steps = np.arange(1, 301)
    coins = Problem(Bernoulli(), MEANS)
    result = simulate(coins, ["ucb"], 300, 2_000, checkpoints=steps)
    earned = MEANS.max() * steps - result.regret[0].mean(axis=0)
    away = []
    for seed in range(200):
        log = simulate_log(coins, Floor("ucb", 1 / 3), 400, seed=seed)
        found = evaluate(log, "ucb", family="bernoulli", seed=seed)["replay"]
        away.append(found.value * found.rows - earned[found.rows - 1])
    assert abs(np.mean(away)) < 3.0 * np.std(away, ddof=1) / np.sqrt(200)


def test_pieces_frames_and_lines_are_the_same(tmp_path: Path) -> None:
    log = made(9_000, 1)
    whole = evaluate(log, TARGET)
    parts = [{k: v[i : i + 4_096] for k, v in log.items()} for i in range(0, 9_000, 4_096)]
    assert evaluate(iter(parts), TARGET) == whole
    assert evaluate(pd.DataFrame(log), TARGET) == whole
    lines = [{"seq": 1, "kind": "created", "text": json.dumps({"arms": NAMES.tolist()})}]
    for i, (arm, reward, chance) in enumerate(zip(*log.values(), strict=True)):
        place = int(np.flatnonzero(arm == NAMES)[0])
        lines.append({"seq": 2 * i + 2, "kind": "decision", "arm": place, "probability": chance})
        lines.append({"seq": 2 * i + 3, "kind": "reward", "of": 2 * i + 2, "value": reward})
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert evaluate(path, TARGET) == whole
    pd.DataFrame(log).to_csv(tmp_path / "log.csv", index=False)
    assert evaluate(tmp_path / "log.csv", TARGET) == whole


def test_a_function_of_the_context_and_a_model() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 2, 20_000)
    arm = rng.integers(0, 2, 20_000)
    paid = (rng.random(20_000) < np.where(arm == x, 0.8, 0.2)).astype(float)
    log = pd.DataFrame({"arm": arm, "reward": paid, "probability": 0.5, "x": x})
    right = lambda piece: np.eye(2)[piece.columns["x"]]  # noqa: E731
    by_means = evaluate(log, right)
    exact = evaluate(log, right, model=lambda piece: 0.2 + 0.6 * np.eye(2)[piece.columns["x"]])
    for found in (by_means, exact):
        assert found["IPS"].low < 0.8 < found["IPS"].high
    width = [each["DR"].high - each["DR"].low for each in (exact, by_means)]
    assert width[0] < width[1] < by_means["IPS"].high - by_means["IPS"].low
    alone = evaluate(log, np.eye(2)[x, arm])
    assert alone["IPS"] == by_means["IPS"]
    assert "DR" not in alone.estimates


def test_a_decider_as_it_would_choose_now() -> None:
    log = made(2_000, 1)
    warm: Any = Decider(NAMES.tolist(), "ts", "bernoulli")
    warm.learn(log, discount=0.01)
    assert evaluate(log, warm) == evaluate(log, warm.probabilities())


def test_the_table_tells_the_effective_rows() -> None:
    told = str(evaluate(made(1_000, 1), TARGET))
    assert "1,000 rows, worth" in told
    assert [line.split()[0] for line in told.splitlines()[2:]] == ["IPS", "SNIPS", "DR", "replay"]


@pytest.mark.parametrize(
    ("change", "policy", "told"),
    [
        (
            {},
            {"red": 0.5, "green": 0.4},
            "'policy' must be probabilities that add up to 1. Got 0.9",
        ),
        ({}, {"red": 1.5, "green": -0.5}, r"'policy' must be probabilities in \[0, 1\]"),
        ({"probability": 0.0}, TARGET, r"'probability' must be a number in \(0, 1\]. Got 0.0"),
        ({"reward": 2.0}, TARGET, r"'reward' must be a number in \[0, 1\]. Got 2.0"),
        ({"reward": "x"}, TARGET, "'reward' must be a column of numbers"),
        ({}, {"red": 0.5, "gold": 0.5}, "'log' must be .* was chosen at times. It lacks 'gold'"),
        ({"t": np.arange(50)[::-1]}, TARGET, "'log' must be rows in the order of their 't'"),
    ],
)
def test_bad_logs_are_refused_in_a_sentence(change: Any, policy: Any, told: str) -> None:
    log = {**made(50, 1), **{k: np.broadcast_to(v, 50) for k, v in change.items()}}
    with pytest.raises(ParameterError, match=f"evaluate: {told}"):
        evaluate(log, policy, family="bernoulli")
    if "policy" not in told and "gold" not in told:
        live: Any = Decider(NAMES.tolist(), "ucb", "bernoulli")
        with pytest.raises(ParameterError, match=f"learn: {told}"):
            live.learn(log)
        assert live.t == 1


def test_other_refusals(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"\xff\xfe")
    (tmp_path / "log.csv").write_text("arm,reward")
    for log, told in (
        ([], "at least one row"),
        ({"arm": [], "reward": []}, "It lacks '?(red|rows)"),
        ({"arm": [1]}, "a column 'reward'"),
        (3, "'log' must be tables, mappings"),
        ([("red", 1)], "'log' must be an iterable of tables"),
        (tmp_path / "no.jsonl", r"'log' must be a file that can be read \(No such file"),
        (tmp_path / "no.csv", r"'log' must be a file that can be read \(No such file"),
        (tmp_path / "log", r"'log' must be a file that can be read \(not text"),
        (tmp_path / "log.csv", "'log' must be a CSV file with distinct names in its first line"),
    ):
        with pytest.raises(ParameterError, match=told):
            evaluate(log, TARGET)
    for arms, policy, name in ((["a", "b"], "nope", "policy"), (["a"], "ts", "arms")):
        with pytest.raises(ParameterError, match=f"evaluate: '{name}' must be"):
            evaluate({"arm": arms, "reward": [1] * len(arms)}, policy)
    half = [made(5, 1), {k: v for k, v in made(5, 2).items() if k != "probability"}]
    with pytest.raises(ParameterError, match="whose probabilities are all known, or none"):
        evaluate(half, TARGET)
    with pytest.raises(ParameterError, match=r"of shape \(5, 3\) or \(5,\)"):
        evaluate(made(5, 1), np.ones((4, 3)), arms=NAMES)


def test_learning_is_what_update_does() -> None:
    log = made(300, 1)
    plain = {k: v for k, v in log.items() if k != "probability"}
    warm: Any = Decider(NAMES.tolist(), "ucb", "bernoulli", horizon=100)
    same: Any = Decider(NAMES.tolist(), "ucb", "bernoulli", horizon=100)
    assert warm.learn(plain) == 300
    same.update(log["arm"].tolist(), log["reward"].tolist())
    assert warm._state() == same._state()


def test_a_discount_keeps_means_and_counts_less() -> None:
    log = made(3_000, 1)
    means = {name: log["reward"][log["arm"] == name].mean() for name in NAMES}
    warm: Any = Decider(NAMES.tolist(), "ucb", "bernoulli")
    assert warm.learn(log, discount=0.1) == sum(warm.counts.values())
    assert sum(warm.counts.values()) == pytest.approx(300, abs=2)
    assert warm.means == pytest.approx(means, abs=0.01)
    assert warm.learn(log, discount=0.0) == 0


def test_learned_rewards_are_weighted_by_probabilities() -> None:
    """Arm a was chosen mostly where it pays: its plain mean is 0.82, its true one 0.5."""
    rng = np.random.default_rng(2)
    good = rng.random(40_000) < 0.5
    chance = np.where(good, 0.9, 0.2)
    chosen = rng.random(40_000) < chance
    log = {"arm": ["a"] * int(chosen.sum()), "reward": good[chosen], "probability": chance[chosen]}
    warm: Any = Decider(["a", "b"], "ucb", "bernoulli")
    learned = warm.learn(log)
    assert warm.means["a"] == pytest.approx(0.5, abs=0.02)
    assert learned < chosen.sum()


def test_memory_is_constant() -> None:
    """Ten times as many pieces need no more of it."""
    piece, peaks = made(5_000, 3), []
    for count in (1, 3, 30):  # the first warms up
        tracemalloc.start()
        evaluate((piece for _ in range(count)), TARGET)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.1 * peaks[1]


@pytest.mark.slow
def test_a_million_rows_take_a_second() -> None:
    """10^7 rows in pieces; the rate has a factor of four of slack, for a busy machine."""
    piece = made(200_000, 3)
    start = time.process_time()
    found = evaluate((piece for _ in range(50)), TARGET)
    assert found.rows == 10_000_000
    assert found.rows / (time.process_time() - start) > 0.25e6
    assert found["IPS"].value == pytest.approx(VALUE, abs=0.01)


def test_the_model_of_a_short_log_helps() -> None:
    """The means so far explain most of rewards that are far from 0, also where rows are few."""
    rng = np.random.default_rng(4)
    arms = rng.integers(2, size=300)
    rewards = 5.0 + arms + 0.1 * rng.standard_normal(300)
    log = {"arm": arms, "reward": rewards, "probability": np.full(300, 0.5)}
    found = evaluate(log, {0: 0.9, 1: 0.1})
    ips, robust = (each.high - each.low for each in (found["IPS"], found["DR"]))
    assert robust < 0.5 * ips
    assert abs(found["DR"].value - 5.1) < 0.5 * robust
