"""A decider with evidence: contexts, late rewards, arms that come and go."""

from __future__ import annotations

import threading
from math import inf, isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from evidence_cases import X, forgetting, interpret, linear, theta_of

from rbmle import Decider, ParameterError
from rbmle.evidence import Discounted, Linear, Logistic, Window, evidence


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: Any, request: Any) -> None:
    if "compiled" not in request.node.name:
        interpret(monkeypatch)


def test_many_rewards_of_pulls_made_elsewhere_do_not_pile_up() -> None:
    live = linear()
    live.pull(context=X, id=1)
    for _ in range(2_500):
        live.update("red", 0.5, [0.5, 0.0])
    assert len(live._live.came) == 500
    assert live.t == 2_502
    assert theta_of(live)[0] == pytest.approx(1.0, abs=0.01)


def test_a_pull_that_is_forgotten_before_the_next_one_leaves_no_trace() -> None:
    live = linear()
    live.update(live.pull(context=X), 1.0)
    live.pull(context=X)
    before = theta_of(live), live._live.remembered.tolist(), live.indices(X)
    live.forget(live.pull(context=X))  # the pull before it is supposed now
    supposed = live._live.remembered.tolist()
    live.indices(X)
    assert live._live.remembered.tolist() == supposed != before[1]
    assert theta_of(live) == pytest.approx(before[0])


def test_a_reward_is_learned_with_the_context_of_its_pull() -> None:
    late, prompt, told = linear(), linear(), linear()
    rng = np.random.default_rng(1)
    for _ in range(20):
        x = {name: rng.normal(size=2).tolist() for name in X}
        reward = float(rng.normal())
        arm = prompt.pull(context=x)
        prompt.update(arm, reward)
        told.update(arm, reward, x[arm])
        named = late.pull(context=x, id=1)
        assert named == arm
        late.update(arm, reward, x[arm])
        late._decisions.clear()
    assert theta_of(prompt) == theta_of(told) == theta_of(late)
    assert prompt.counts == told.counts == late.counts
    assert not any(late.pending.values())


def test_a_reward_belongs_to_the_oldest_pull_or_to_that_with_its_context() -> None:
    live = linear(evidence=Linear(2, shared=False))
    contexts = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    for each in contexts:
        live.pull(context={"red": each, "blue": [0.0, 0.0]})
    assert live.pending == {"red": 3, "blue": 0}
    live.update("red", 5.0, [0.0, 1.0])
    assert [each.context.tolist() for each in live._live.pulls.values()] == contexts[::2]
    live.update("red", 5.0)
    assert [each.context.tolist() for each in live._live.pulls.values()] == contexts[2:]
    live.update("red", 5.0, [7.0, 7.0])  # made elsewhere
    assert live.pending["red"] == 1
    assert live.t == 5
    live.forget("red")
    assert (live.pending["red"], live.t) == (0, 4)


def test_one_context_serves_all_arms_if_each_has_its_own_theta() -> None:
    one, each = (linear(evidence=Linear(2, shared=False)) for _ in range(2))
    for x in ([1.0, 0.5], [0.2, -1.0], [0.3, 0.3]):
        arm = one.pull(context=x)
        assert arm == each.pull(context={"red": x, "blue": x})
        one.update(arm, 1.0)
        each.update(arm, 1.0)
    assert one.indices([1.0, 1.0]) == each.indices({"red": [1.0, 1.0], "blue": [1.0, 1.0]})
    assert one.pull(2, context=[1.0, 1.0]) == each.pull(2, context=np.ones(2))


def test_a_pull_that_is_given_up_keeps_what_was_supposed_and_forgets_its_context() -> None:
    live = linear(patience=2)
    for _ in range(4):
        live.pull(context=X, id=f"visit-{live.t}")
    assert len(live._live.pulls) == sum(live.pending.values()) == 2
    with pytest.raises(ParameterError, match="'context' must be given for a reward of"):
        live.update(id="visit-1", reward=1.0)
    live.update(id="visit-1", reward=1.0, context=X[live._decisions["visit-1"].arm.name])
    assert live.t == 5  # it was no further pull
    live.pull(context=X)
    assert max(live.indices(X).values()) < 10.0


def test_the_ridge_regression_of_rewards_however_late() -> None:
    """When all rewards have come, theta^ is that of ridge regression, solved anew."""
    live, rng = linear(), np.random.default_rng(2)
    rows, rewards = [], []
    for k in range(30):
        x = {name: rng.normal(size=2).tolist() for name in X}
        rows.append(x[live.pull(context=x, id=k)])
    for k in rng.permutation(30):
        rewards.append((k, float(rng.normal())))
        live.update(id=int(k), reward=rewards[-1][1])
    features = np.array([rows[k] for k, _ in rewards])
    v = np.eye(2) + features.T @ features
    solved = np.linalg.solve(v, features.T @ [each for _, each in rewards])
    assert theta_of(live) == pytest.approx(solved.tolist(), abs=1e-9)


def test_arms_come_and_go() -> None:
    live = linear()
    for _ in range(5):
        live.update(live.pull(context=X), 1.0)
    theta = theta_of(live)
    live.add("green")
    assert theta_of(live) == theta
    with pytest.raises(ParameterError, match="every enabled arm, 'green' too"):
        live.pull(context=X)
    live.pull(context={**X, "green": [3.0, 0.0]})
    live.disable("green")
    assert live.pull(context=X) in X
    assert set(live.indices(X)) == set(X)
    live.enable("green")
    live.remove("red")
    assert live.pull(context={"blue": [0.0, 0.1], "green": [9.0, 9.0]}) == "green"
    assert set(live.pending) == {"blue", "green"}


def test_the_only_enabled_arm_is_played() -> None:
    live = linear()
    live.disable("red")
    assert live.pull(context={"blue": [1.0, 1.0]}) == "blue"
    live.update("blue", 1.0)
    assert live.means["blue"] == 1.0


def test_a_window_forgets_live_and_blind_arms_are_left_out() -> None:
    live = forgetting(Window(2))
    for arm, reward in (("red", 1.0), ("blue", 0.0), ("blue", 1.0)):
        live.update(arm, reward)
    assert isnan(live.means["red"])
    assert live.means["blue"] == 0.5
    assert live.counts == {"red": 1, "blue": 2}
    assert live.indices()["red"] == inf
    assert live.pull() == "red"  # as at the beginning
    assert isnan(live.indices()["red"])  # blind until its reward comes
    assert live.pull(3) == ["blue"] * 3
    assert "Window(size=2)" in repr(live)


@pytest.mark.slow
def test_discounted_evidence_of_factor_1_is_counting() -> None:
    plain, same = forgetting(None), forgetting(Discounted(1.0))
    rng = np.random.default_rng(3)
    for t in range(60):
        chosen = plain.pull()
        assert same.pull() == chosen
        if t % 3:
            reward = float(rng.integers(0, 2))
            plain.update(chosen, reward)
            same.update(chosen, reward)
        if t == 30:
            plain.add("green")
            same.add("green")
        if t == 45:
            plain.remove("red")
            same.remove("red")
    assert plain.counts == same.counts
    assert plain.indices() == pytest.approx(same.indices())


@evidence
class Clipped(NamedTuple):
    """A user's own: rewards above `most` count as `most`."""

    most: float = 1.0

    def learn(
        self, arms: Any, memory: Any, features: Any, moving: bool, i: int, reward: float
    ) -> None:
        arms.learn(i, min(reward, self.most))


@pytest.mark.slow
def test_evidence_of_a_user_decides_compiled() -> None:
    live = linear(evidence=Clipped(2.0))
    live.update(["red", "blue"], [9.0, 1.0])
    assert live.pull() == "red"
    live.add("green")
    assert live.pull() == "green"


def test_evidence_of_a_user_decides(tmp_path: Path) -> None:
    live = linear(evidence=Clipped(2.0))
    live.update(["red", "blue"], [9.0, 1.0])
    assert live.means == {"red": 2.0, "blue": 1.0}
    assert live.pull() == "red"
    live.save(tmp_path / "state.json")
    again = Decider.load(tmp_path / "state.json")
    assert again.indices() == live.indices()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Discounted(0.9), Window(9), Linear(2), Logistic(2)], ids=str)
def test_compiled_equals_interpreted(kind: Any, monkeypatch: Any) -> None:
    """With late rewards and an arm that comes and one that goes."""

    def played() -> list[Any]:
        family = "bernoulli" if isinstance(kind, Logistic) else "gaussian"
        live, rng, chosen = linear(family, evidence=kind), np.random.default_rng(4), []
        for t in range(150):
            if t == 50:
                live.add("green")
            if t == 90:
                live.disable("red")
            names = live.arms
            x = {name: rng.normal(size=2).tolist() for name in names}
            chosen.append(live.pull(id=t, context=x if kind.reads() else None))
            if t % 4 == 3:
                for each in range(t - 3, t, 2):
                    live.update(id=each, reward=float(rng.integers(0, 2)))
        return [*chosen, live.indices(x if kind.reads() else None)]

    compiled = played()
    interpret(monkeypatch)
    interpreted = played()
    assert compiled[:-1] == interpreted[:-1]
    assert compiled[-1] == pytest.approx(interpreted[-1], nan_ok=True)


@pytest.mark.slow
def test_threads_lose_nothing_compiled() -> None:
    live = linear(evidence=Linear(2))

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for k in range(200):
            x = {name: rng.normal(size=2).tolist() for name in X}
            live.pull(context=x, id=f"{seed}-{k}")
            live.update(id=f"{seed}-{k}", reward=float(rng.normal()))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert live.t == 801
    assert sum(live.counts.values()) == 800
    assert not live._live.pulls
    live._live.settle()
    assert live._live.remembered[12] == 800.0  # rewards and suppositions, each pull once
