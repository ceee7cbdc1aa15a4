"""A decider with evidence: contexts, arms that come and go, files, refusals."""

from __future__ import annotations

import copy
import json
import threading
from math import inf, isnan, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from evidence_cases import interpret

import rbmle
from rbmle import Decider, ParameterError, StateError
from rbmle.evidence import Discounted, Linear, Logistic, Window, evidence
from rbmle.live import evidence_arms

X = {"red": [1.0, 0.0], "blue": [0.6, 0.8]}


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: Any, request: Any) -> None:
    if "compiled" not in request.node.name:
        interpret(monkeypatch)


def linear(family: Any = "gaussian", **settings: Any) -> Decider[str]:
    given = {"evidence": Linear(2), **settings}
    return Decider(["red", "blue"], rbmle.UCB(), family, **given)


def forgetting(kind: Any = Window(4), **settings: Any) -> Decider[str]:  # noqa: B008
    return Decider(["red", "blue"], rbmle.UCB(), rbmle.Bernoulli(), evidence=kind, **settings)


def theta_of(live: Decider[str]) -> list[float]:
    """theta^ of `Linear(2)`, after the rewards that have come are learned."""
    twin = copy.deepcopy(live)
    twin._live.settle()
    return twin._live.remembered[10:12].tolist()  # type: ignore[no-any-return]


def state_of(live: Decider[Any]) -> str:
    return json.dumps(live._state())


REFUSED = [
    (lambda live: live.pull(), "'context' must be given with Linear, which reads features"),
    (lambda live: live.pull({"red": [1, 2]}), "'context' must be the features of every enabled"),
    (
        lambda live: live.pull({**X, "red": [1, 2, 3]}),
        "must be 2 numbers of at most 1e+12 for 'red'",
    ),
    (
        lambda live: live.pull({**X, "red": [1, nan]}),
        "must be 2 numbers of at most 1e+12 for 'red'",
    ),
    (
        lambda live: live.pull({**X, "red": [inf, 1]}),
        "must be 2 numbers of at most 1e+12 for 'red'",
    ),
    (
        lambda live: live.pull({**X, "red": ["1", "2"]}),
        "must be 2 numbers of at most 1e+12 for 'red'",
    ),
    (lambda live: live.pull({**X, "red": "ab"}), "must be 2 numbers of at most 1e+12 for 'red'"),
    (lambda live: live.pull({**X, "rde": [1, 1]}), "'context' must be features of 'red', 'blue'"),
    (lambda live: live.pull([1.0, 2.0]), "'context' must be the features of each arm, as in"),
    (lambda live: live.pull(2.5), "'n' must be a whole number"),
    (
        lambda live: live.pull({**X, "red": [1.1e12, 0]}),
        "must be 2 numbers of at most 1e+12 for 'red'",
    ),
    (lambda live: live.update("red", 1.0), "'context' must be given for a reward of 'red' without"),
    (lambda live: live.update("red", 1.0, [1.0]), "must be 2 numbers of at most 1e+12 for 'red'"),
    (lambda live: live.update("red", nan, [1.0, 2.0]), "'reward' must be a number"),
    (lambda live: live.update("green", 1.0, [1.0, 2.0]), "'arm' must be one of"),
    (lambda live: live.update(["red", "red"], [1.0, 2.0], [[1, 2]]), "a list of 2 lists"),
    (lambda live: live.update(["blue", "blue"], [1.0, 2.0]), "without a pending pull"),
    (lambda live: live.update(id="b", reward=1.0, context=[9, 9]), "that of the named pull, or"),
    (lambda live: live.indices(), "'context' must be given: indices depend on it"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED)
def test_what_is_wrong_gets_its_sentence_and_changes_nothing(call: Any, sentence: str) -> None:
    live = linear()
    live.update("red", 1.0, [1.0, 1.0])
    arm = live.pull({"red": [0.0, 0.0], "blue": [1.0, 1.0]}, id="b")
    assert arm == "blue"
    before = state_of(live)
    with pytest.raises(ParameterError, match=r"^Decider: ") as told:
        call(live)
    assert sentence in str(told.value)
    assert state_of(live) == before


@pytest.mark.parametrize("ridge", [1e-12, 1.0, 1e12])
def test_features_are_refused_where_rounding_makes_v_singular(ridge: float) -> None:
    """The largest features that are allowed, alike, and the largest rewards: all stays finite."""
    live, most = linear(evidence=Linear(2, ridge=ridge)), 1e12 * ridge**0.5
    big = {"red": [most, most], "blue": [most, most * (1 - 1e-15)]}
    live.update("red", 1e100, [most * 1e-12, 0.0])
    for k in range(300):  # the inverse is computed anew four times
        arm = live.pull(big)
        if k % 2:
            live.update(arm, 1e100 if k % 3 else -1e100)
    assert np.isfinite(live._live.remembered).all()
    assert np.isfinite(list(live.indices(big).values())).all()
    before = state_of(live)
    with pytest.raises(ParameterError, match=r"'context' must be 2 numbers of at most 1e\+"):
        live.pull({**big, "red": [most * 1.01, 0.0]})
    assert state_of(live) == before


def test_many_rewards_of_pulls_made_elsewhere_do_not_pile_up() -> None:
    live = linear()
    live.pull(X, id=1)
    for _ in range(2_500):
        live.update("red", 0.5, [0.5, 0.0])
    assert len(live._live.came) == 500
    assert live.t == 2_502
    assert theta_of(live)[0] == pytest.approx(1.0, abs=0.01)


@evidence
class Ratio(NamedTuple):
    """A user's own: it divides by a feature."""

    def reads(self) -> int:
        return 1

    def look(self, arms: Any, memory: Any, features: Any, fresh: bool) -> None:
        for i in range(arms.n_arms()):
            arms.pulls[i] = 1.0
            arms.sums[i] = features.feature(i, 0) * 1e300 * 1e300


def test_features_for_which_there_is_no_mean_are_refused() -> None:
    live = linear(evidence=Ratio())
    assert live.pull({"red": [0.0], "blue": [0.0]}, id=1) in X
    with np.errstate(all="ignore"), pytest.raises(ParameterError, match="means are finite numbers"):
        live.pull({"red": [0.0], "blue": [1.0]})
    assert live.t == 2
    live.update(id=1, reward=1.0)  # evidence without `correct`: pending pulls do not count


@pytest.mark.parametrize("kind", [None, Window(3), Discounted(0.5)])
def test_a_context_where_none_is_read_is_refused(kind: Any) -> None:
    live = forgetting(kind)
    name = "Counting" if kind is None else type(kind).__name__
    for call in (
        lambda: live.pull(X),
        lambda: live.pull(context=[1.0]),
        lambda: live.update("red", 1.0, [1.0]),
        lambda: live.update(["red"], [1.0], [[1.0]]),
        lambda: live.update("red", 1.0, [1.0], id="x"),
        lambda: live.indices(X),
    ):
        with pytest.raises(ParameterError, match=f"'context' must be left out with {name}"):
            call()
    assert live.t == 1


def test_evidence_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="Linear: 'family' must be one whose means are any"):
        forgetting(Linear(2))
    with pytest.raises(ParameterError, match="Logistic: 'family' must be Bernoulli"):
        linear(evidence=Logistic(2))
    with pytest.raises(ParameterError, match="Decider: 'evidence' must be a kind of evidence"):
        linear(evidence=rbmle.UCB())
    assert forgetting("discounted(gamma=0.5)").evidence == Discounted(0.5)


def test_evidence_that_needs_too_much_memory_is_refused(monkeypatch: Any) -> None:
    live = linear(evidence=Linear(2, shared=False))  # 8 numbers and 16 for each arm
    monkeypatch.setattr(evidence_arms, "machine_memory", lambda: 8 * 50)
    for refused in (lambda: live.add("green"), lambda: linear(evidence=Window(1000))):
        with pytest.raises(ParameterError, match="'evidence' must be one whose memory fits in"):
            refused()
    assert live.arms == ("red", "blue")


def test_a_pull_that_is_forgotten_before_the_next_one_leaves_no_trace() -> None:
    live = linear()
    live.update(live.pull(X), 1.0)
    live.pull(X)
    before = theta_of(live), live._live.remembered.tolist(), live.indices(X)
    live.forget(live.pull(X))  # the pull before it is supposed now
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
        arm = prompt.pull(x)
        prompt.update(arm, reward)
        told.update(arm, reward, x[arm])
        named = late.pull(x, id=1)
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
        live.pull({"red": each, "blue": [0.0, 0.0]})
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
        arm = one.pull(x)
        assert arm == each.pull({"red": x, "blue": x})
        one.update(arm, 1.0)
        each.update(arm, 1.0)
    assert one.indices([1.0, 1.0]) == each.indices({"red": [1.0, 1.0], "blue": [1.0, 1.0]})
    assert one.pull(2, context=[1.0, 1.0]) == each.pull(2, context=np.ones(2))


def test_a_pull_that_is_given_up_keeps_what_was_supposed_and_forgets_its_context() -> None:
    live = linear(patience=2)
    for _ in range(4):
        live.pull(X, id=f"visit-{live.t}")
    assert len(live._live.pulls) == sum(live.pending.values()) == 2
    with pytest.raises(ParameterError, match="'context' must be given for a reward of"):
        live.update(id="visit-1", reward=1.0)
    live.update(id="visit-1", reward=1.0, context=X[live._decisions["visit-1"].arm.name])
    assert live.t == 5  # it was no further pull
    live.pull(X)
    assert max(live.indices(X).values()) < 10.0


def test_the_ridge_regression_of_rewards_however_late() -> None:
    """When all rewards have come, theta^ is that of ridge regression, solved anew."""
    live, rng = linear(), np.random.default_rng(2)
    rows, rewards = [], []
    for k in range(30):
        x = {name: rng.normal(size=2).tolist() for name in X}
        rows.append(x[live.pull(x, id=k)])
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
        live.update(live.pull(X), 1.0)
    theta = theta_of(live)
    live.add("green")
    assert theta_of(live) == theta
    with pytest.raises(ParameterError, match="every enabled arm, 'green' too"):
        live.pull(X)
    live.pull({**X, "green": [3.0, 0.0]})
    live.disable("green")
    assert live.pull(X) in X
    assert set(live.indices(X)) == set(X)
    live.enable("green")
    live.remove("red")
    assert live.pull({"blue": [0.0, 0.1], "green": [9.0, 9.0]}) == "green"
    assert set(live.pending) == {"blue", "green"}


def test_the_only_enabled_arm_is_played() -> None:
    live = linear()
    live.disable("red")
    assert live.pull({"blue": [1.0, 1.0]}) == "blue"
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


@pytest.mark.parametrize("kind", [Window(5), Discounted(0.9), Linear(2), Linear(2, shared=False)])
def test_saved_and_loaded_is_the_same_to_the_bit(kind: Any, tmp_path: Path) -> None:
    live = linear(evidence=kind, patience=6)
    context = X if kind.reads() else None
    for k in range(12):
        live.pull(id=k, context=context)
        if k % 3:
            live.update(id=k, reward=1.0 / (k + 3))
    live.save(tmp_path / "one.json")
    again = Decider.load(tmp_path / "one.json")
    assert state_of(again) == state_of(live)
    assert repr(again) == repr(live)
    again.save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert json.loads((tmp_path / "one.json").read_text())["version"] == 3


def test_a_decider_that_counts_still_writes_version_2(tmp_path: Path) -> None:
    forgetting(None).save(tmp_path / "state.json")
    saved = json.loads((tmp_path / "state.json").read_text())
    assert saved["version"] == 2
    assert not {"evidence", "known"} & set(saved)


DAMAGE = [
    (lambda known: known.pop("memory"), "'memory' is missing"),
    (lambda known: known["memory"].pop(), "'memory' must be lists of"),
    (lambda known: known["statistics"].pop(), "'statistics' must be 4 lists"),
    (lambda known: known["statistics"][0].append(1.0), "'statistics' must be lists of 2 finite"),
    (lambda known: known["pulls"].pop(), "'pulls' must be the pending pulls of the arms"),
    (lambda known: known["pulls"][0].pop(), "'pulls' must be lists of number, arm, context"),
    (lambda known: known["pulls"][0].__setitem__(2, [1.0]), "'pulls' must be lists of 2 finite"),
    (lambda known: known["pulls"][0].__setitem__(3, "x"), "'pulls' must be lists of number, arm"),
    (lambda known: known["came"][0].__setitem__(4, None), "'came' must be pulls with a reward"),
    (lambda known: known.__setitem__("came", 3), "'came' must be a list"),
]


@pytest.mark.parametrize(("damage", "sentence"), DAMAGE)
def test_a_damaged_file_gets_its_sentence(damage: Any, sentence: str, tmp_path: Path) -> None:
    live = linear()
    live.pull(X)
    live.update("red", 1.0, [1.0, 2.0])
    live.save(tmp_path / "state.json")
    saved = json.loads((tmp_path / "state.json").read_text())
    damage(saved["known"])
    (tmp_path / "state.json").write_text(json.dumps(saved))
    with pytest.raises(StateError) as told:
        Decider.load(tmp_path / "state.json")
    assert sentence in str(told.value)


def test_a_window_that_names_no_arm_is_refused(tmp_path: Path) -> None:
    live = forgetting(Window(2))
    live.update("red", 1.0)
    live.save(tmp_path / "state.json")
    saved = json.loads((tmp_path / "state.json").read_text())
    saved["known"]["memory"][1] = 7.0
    (tmp_path / "state.json").write_text(json.dumps(saved))
    with pytest.raises(StateError, match="'memory' must be what Window remembers"):
        Decider.load(tmp_path / "state.json")


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
            live.pull(x, id=f"{seed}-{k}")
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
