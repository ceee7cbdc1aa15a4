"""`Floor`: every arm gets its share, the policy the rest, in every place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import Decider, Floor, ParameterError, testing
from rbmle.spec import from_spec, to_spec

COINS = rbmle.Problem("bernoulli", [0.2, 0.8, 0.5])
LAWS = {each.__name__: each for each in testing.checks()}


@pytest.mark.slow
def test_the_probabilities_are_those_of_the_formula() -> None:
    pulls, sums = [12, 30, 7], [5, 15, 2]
    for share, floors in ((0.1, [0.1] * 3), ({2: 0.25}, [0.0, 0.0, 0.25])):
        for policy in (rbmle.UCB(), rbmle.ThompsonSampling()):
            p = policy.probabilities("bernoulli", pulls, sums)
            found = Floor(policy, share).probabilities("bernoulli", pulls, sums)
            assert found == pytest.approx(np.array(floors) + (1.0 - sum(floors)) * p, abs=1e-15)
    first = Floor("ucb", 0.1).probabilities("bernoulli", [3, 0, 0], [1, 0, 0])
    assert first == pytest.approx([0.1, 0.8, 0.1])


@pytest.mark.slow
def test_shares_hold_in_a_simulation_and_a_share_of_0_changes_nothing() -> None:
    policies = ["ucb", Floor("ucb", 0.0), Floor("ucb", 0.1), Floor("ucb", {"0": 0.3})]
    result = rbmle.simulate(COINS, policies, 2_000, 40)
    assert (result.pulls[0] == result.pulls[1]).all()
    assert (result.regret[0] == result.regret[1]).all()
    for place, share in ((2, 0.1), (3, 0.3)):
        rounds = 2_000 * 40
        least = share * rounds - 5.0 * np.sqrt(share * (1.0 - share) * rounds)
        worst = result.pulls[place, :, 0].sum()  # which the policy itself plays in 1 % of rounds
        assert least < worst < least + 0.03 * rounds
    late = rbmle.simulate(COINS, [Floor("ucb", {0: 0.3})], 2_000, 40, delay=rbmle.FixedDelay(50))
    assert 0.29 < late.pulls[0, :, 0].mean() / 2_000 < 0.33


@pytest.mark.slow
@pytest.mark.parametrize(
    "law", ["compiled_equals_interpreted", "work_can_be_divided", "live_equals_simulated"]
)
@pytest.mark.parametrize("policy", ["floor(ucb, 0.1)", Floor("ts", {1: 0.2, 0: 0.05})], ids=str)
def test_the_laws_of_policies_hold(policy: Any, law: str) -> None:
    LAWS[law](from_spec(policy) if isinstance(policy, str) else policy, rbmle.Bernoulli())


def test_files_name_it() -> None:
    for given, policy in (
        ({"name": "Floor", "policy": "ucb", "share": 0.02}, Floor(rbmle.UCB(), 0.02)),
        ({"name": "floor", "policy": "ts", "share": {"a": 0.1}}, Floor("ts", {"a": 0.1})),
        ("floor(ucb(alpha=1), 0.02)", Floor(rbmle.UCB(1), 0.02)),
    ):
        assert from_spec(given) == policy
        assert from_spec(to_spec(policy)) == policy
    study = rbmle.Study(COINS, ["floor(recommended, 0.02)", Floor("ucb", {0: 0.1})], 100, 10)
    assert rbmle.Study.from_dict(study.to_dict()) == study


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Floor("ucb", -0.1), "Floor: 'share' must be a number in [0, 1]. Got -0.1."),
        (lambda: Floor("ucb", {"a": 2}), "Floor: 'share' must be a number in [0, 1]. Got 2."),
        (lambda: Floor("ucb", {}), "'share' must be a number, or a mapping of arms to numbers"),
        (lambda: Floor(Floor("ucb", 0.1), 0.1), "Floor: 'policy' must be a policy, as in UCB()"),
        (lambda: decider({"z": 0.1}), "'share' must be of arms among 'a', 'b', 'c'. Got 'z'."),
        (lambda: decider(0.4), "'share' must be so small that those of 3 arms add up to at most 1"),
        (lambda: decider({"a": 0.6, "b": 0.5}), "at most 1. Got (('a', 0.6), ('b', 0.5))"),
        (lambda: rbmle.simulate(COINS, [Floor("ucb", {"a": 0.1})], 9, 1), "among 0, 1, 2. Got 'a'"),
        (lambda: rbmle.simulate(COINS, [Floor("ucb", 0.5)], 9, 1), "those of 3 arms add up"),
        (lambda: decider(0.3).add("d"), "'share' must be so small that those of 4 arms add up"),
    ],
)  # fmt: skip
def test_bad_floors_are_refused_in_one_sentence(
    make: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rbmle.live.live_game.choose", Uncompiled())
    with pytest.raises(ParameterError) as refused:
        make()
    assert told in str(refused.value)


class Uncompiled:
    """In place of a kernel: what is refused need not be compiled."""

    def specialised(self, *args: Any) -> Any:
        return None


def decider(share: Any) -> Decider[str]:
    return Decider(["a", "b", "c"], Floor("ucb", share), "bernoulli")


@pytest.mark.slow
def test_a_holdout_lives_through_late_rewards_arms_that_go_and_files(tmp_path: Any) -> None:
    """Its share holds while it waits for its first reward; what is decided has the frequencies
    that `probabilities` told."""
    live = Decider(["a", "b", "control"], Floor("ts", {"control": 0.25}), "bernoulli", seed=4)
    played, expected, waiting = 0, 0.0, []
    rng = np.random.default_rng(1)
    for t in range(1_200):
        known = live.probabilities()
        assert sum(known.values()) == pytest.approx(1.0, abs=1e-9)
        assert known["control"] >= 0.25
        made = live.decide(id=f"visit-{t}")
        assert made.probability == known[made.arm]
        played, expected = played + (made.arm == "control"), expected + known["control"]
        waiting.append(made)
        if len(waiting) > 200:
            live.update(id=waiting.pop(0).id, reward=float(rng.random() < 0.5))
        if t == 600:
            live.save(tmp_path / "live.json")
            live = Decider.load(tmp_path / "live.json")
    assert abs(played - expected) < 5.0 * np.sqrt(1_200 / 4)
    live.disable("control")
    assert set(live.probabilities()) == {"a", "b"}
    live.remove("control")
    assert sum(live.probabilities().values()) == pytest.approx(1.0)
    assert live.decide().arm in "ab"
