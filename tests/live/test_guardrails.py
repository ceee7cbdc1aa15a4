"""Guardrails: a metric that is proven beyond its limit disables the arm."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evidence_cases import interpret

from rbmle import Bernoulli, Decider, Floor, Guardrail, ParameterError
from rbmle.errors import GuardrailWarning
from rbmle.inference.intervals import interval

ERRORS = Guardrail("errors", at_most=0.02)


def decider(*rails: Guardrail, policy: Any = "ucb", **more: Any) -> Decider[str]:
    return Decider(["a", "b", "c"], policy, "bernoulli", seed=3, guardrails=rails, **more)


def test_an_arm_is_disabled_where_its_interval_passes_the_limit() -> None:
    """The rule is the confidence sequence at level 1 - delta / K, on either side and any range."""
    for n, total in [(10, 0), (10, 2), (40, 3), (40, 4), (100, 6), (100, 20), (1_000, 30)]:
        low, _ = interval(Bernoulli(), n, total, 1.0 - 0.05 / 3)
        assert ERRORS.proven(n, total, 0.05 / 3) == (low[0] > 0.02), (n, total)
        least = Guardrail("score", at_least=0.9)
        assert least.proven(n, n - total, 0.05) == bool(
            interval(Bernoulli(), n, n - total)[1][0] < 0.9
        )
    seconds = Guardrail("seconds", at_most=2.0, low=-10, high=10)
    assert seconds.checked({"seconds": 5.0}) == 0.75
    assert seconds.proven(200, 150.0, 0.05)
    assert not seconds.proven(200, 121.0, 0.05)
    assert Guardrail("deaths", at_most=0).proven(1, 1, 0.05)


def test_it_is_told_shown_saved_and_never_pulled_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    interpret(monkeypatch)
    live, draw = decider(ERRORS, Guardrail("score", at_least=0.2)), np.random.default_rng(1)
    rate, since, said = {"a": 0.0, "b": 0.3, "c": 0.01}, None, ""
    for t in range(400):
        arm = live.pull(id=t)
        assert arm != "b" or since is None
        told = {"errors": draw.random() < rate[arm], "score": 0.5}
        try:
            live.update(id=t, reward=1.0, metrics=told)
        except GuardrailWarning as warning:  # warnings are errors here
            assert since is None
            since, said = t, str(warning)
        live.update(id=t, reward=1.0, metrics=told)  # the same again counts once
    assert since is not None
    assert since < 100
    reason = live.disabled["b"]
    assert said == f"Decider: 'b' is disabled: {reason}."
    assert "errors is above 0.02: its mean in" in reason
    live.save(tmp_path / "d.json")
    again: Decider[str] = Decider.load(tmp_path / "d.json")
    for each in (live, again, copy.deepcopy(live)):
        assert each.disabled == {"b": reason}
        assert each.guardrails == live.guardrails
        assert f"disabled: {reason}" in str(each)
        assert f"b is disabled: {reason}" in str(each.summary())
        assert each.summary().data()["disabled"] == {"b": reason}
    assert [again.pull() for _ in range(9)] == [live.pull() for _ in range(9)]
    live.disable("a")
    assert live.disabled == {"a": "", "b": reason}
    live.enable("b")  # by hand: it is measured anew
    assert live.disabled == {"a": ""}
    live.update("b", 1.0, metrics={"errors": 1, "score": 0.5})
    assert live._live.arms["b"].measured == [1.0, 1.0, 0.5]


@pytest.mark.parametrize(
    ("policy", "more"),
    [
        ("ucb", {}),
        ("ts", {"evidence": "discounted(0.9)"}),
        ("klucb", {}),
        (Floor("rbmle", {"a": 0.1}), {}),
        ("moss", {"cost": {"a": 1, "b": 2, "c": 3, "d": 4}, "price": 0.1, "horizon": 100}),
    ],
)
def test_if_all_arms_are_disabled_one_sentence_says_so(
    policy: Any, more: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    interpret(monkeypatch)
    live = decider(ERRORS, policy=policy, **more)
    live.pull(id="v")
    with pytest.warns(GuardrailWarning) as told:
        live.update(list("abc") * 20, [1.0] * 60, metrics={"errors": [1.0] * 60})
    assert len(told) == 3
    assert list(live.disabled) == ["a", "b", "c"]
    for ask in (
        live.pull, live.decide, live.probabilities, live.probability_best,
        lambda: live.pull(2), lambda: live.pull(k=2), lambda: live.pull(id="w"),
        lambda: live.pull(among=["a"]),
    ):  # fmt: skip
        before = live._state()
        with pytest.raises(ParameterError, match="'arms' must be enabled, at least one of them: g"):
            ask()
        assert live._state() == before
    assert live.pull(id="v") in "abc"
    assert live.summary().verdict == "not safe to stop: every arm is disabled"
    live.update("a", 0.0, metrics={"errors": 0})
    live.save(tmp_path / "d.json")
    again: Decider[str] = Decider.load(tmp_path / "d.json")
    for each in (live, again):
        each.enable("c")
        assert each.pull() == "c"
        each.add("d")
        assert sorted(each.pull(k=2)) == ["c", "d"]


def test_features_too(monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    live = Decider(
        ["a", "b"], "ts", "gaussian", guardrails=[ERRORS], evidence="linear(2, shared=False)"
    )
    assert live.pull(context=[1, 0], id="v") in "ab"
    with pytest.warns(GuardrailWarning):
        live.update(["a", "b"] * 9, [1.0] * 18, [[1, 0]] * 18, metrics={"errors": [1] * 18})
    with pytest.raises(ParameterError, match="'arms' must be enabled, at least one of them: g"):
        live.pull(context=[1, 0])
    live.enable("b")
    assert live.pull(context=[1, 0]) == "b"
    live.update(id="v", reward=1.0, context=[1, 0], metrics={"errors": 0})


@pytest.mark.parametrize(
    ("rails", "metrics", "told"),
    [
        ([], {"errors": 1}, "'metrics' must be left out by a decider without guardrails."),
        ([ERRORS], None, "'metrics' must be given with 'errors', a number in [0, 1]. Got {}."),
        ([ERRORS], {"errors": 1.5}, "'errors', a number in [0, 1]. Got {'errors': 1.5}."),
        ([ERRORS], {"errors": math.nan}, "a number in [0, 1]. Got {'errors': nan}."),
        ([ERRORS], {"errors": "no"}, "a number in [0, 1]. Got {'errors': 'no'}."),
        ([ERRORS], {"errors": 0, "eror": 1}, "must be of 'errors'. Got 'eror'. Did you mean 'err"),
        ([ERRORS], 1.0, "'metrics' must be a mapping of metrics to numbers. Got 1.0."),
    ],
)
def test_bad_metrics_lose_nothing(
    rails: Any, metrics: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpret(monkeypatch)
    live = decider(*rails)
    live.pull(id="v")
    before = copy.deepcopy(live._state())
    many = {k: [x] for k, x in metrics.items()} if isinstance(metrics, dict) else metrics
    for send in (
        lambda: live.update("a", 1.0, metrics=metrics),
        lambda: live.update(id="v", reward=1.0, metrics=metrics),
        lambda: live.update(["a"], [1.0], metrics=many),
    ):
        with pytest.raises(ParameterError) as refused:
            send()
        assert told in str(refused.value)
        assert live._state() == before
    live.update(id="v", reward=1.0, metrics={"errors": 0} if rails else None)
    assert live.counts["a"] == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "Guardrail: 'at_least' must be given, or else 'at_most'; not both. Got None."),
        (
            {"at_most": 1, "at_least": 0},
            "'at_least' must be given, or else 'at_most'; not both. Got 0.",
        ),
        ({"at_most": 1.5}, "'at_most' must be a number in [0, 1]. Got 1.5."),
        ({"at_most": 0.5, "delta": 0}, "'delta' must be a number in (0, 1). Got 0."),
        ({"at_most": 0.5, "low": 2}, "'high' must be above 2, 'low'. Got 1.0."),
        ({"at_most": 0.5, "metric": ""}, "'metric' must be a name. Got ''."),
    ],
)
def test_bad_guardrails_are_refused_in_one_sentence(fields: Any, told: str) -> None:
    with pytest.raises(ParameterError) as refused:
        Guardrail(**{"metric": "errors", **fields})
    assert told in str(refused.value)
    with pytest.raises(ParameterError, match="'guardrails' must be a list of Guardrail"):
        decider(7)  # type: ignore[arg-type]


@pytest.mark.slow
def test_arms_at_the_limit_are_ever_disabled_in_at_most_delta_of_runs() -> None:
    """Both arms are at the limit, and the policy seeks errors: they are its rewards."""
    delta, runs, ended, draw = 0.2, 200, 0, np.random.default_rng(5)
    rail = Guardrail("errors", at_most=0.1, delta=delta)
    for run in range(runs):
        live = Decider(["a", "b"], "ts", "bernoulli", seed=run, guardrails=[rail])
        try:
            for error in draw.random(500) < 0.1:
                live.update(live.pull(), error, metrics={"errors": error})
        except GuardrailWarning:
            ended += 1
    assert 0 < ended <= delta * runs


@pytest.mark.slow
def test_at_the_limit_few_are_disabled_at_any_time() -> None:
    draw, alpha, n = np.random.default_rng(2), 0.05, np.arange(1.0, 2_001.0)
    sums = (draw.random((400, n.size)) < 0.02).cumsum(axis=1)
    assert sum(any(map(ERRORS.proven, n, each, [alpha] * n.size)) for each in sums) <= alpha * 400


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "median", "late"), [(0.1, 71.5, 145.1), (0.04, 702, 1_485.8)])
def test_well_above_the_limit_an_arm_is_disabled_soon(
    rate: float, median: float, late: float
) -> None:
    """The numbers of docs/howto/live.md: one of two arms, delta = 0.05."""
    draw, soon = np.random.default_rng(1), list[int]()
    for _ in range(400):
        sums = (draw.random(20_000) < rate).cumsum()
        soon.append(next(k for k in range(1, 20_000) if ERRORS.proven(k, sums[k - 1], 0.025)))
    assert (np.median(soon), np.quantile(soon, 0.9)) == pytest.approx((median, late))
