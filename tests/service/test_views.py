"""What the service tells of the arms: intervals, who is probably the best, what was gained."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evidence_cases import interpret
from scipy import stats
from service_cases import Clock, clean, create, decide, reward

import rbmle
from rbmle.families import FAMILIES, Bernoulli
from rbmle.inference import summary
from rbmle.policies.posteriors import probability_best
from rbmle.service import views
from rbmle.service.keys import ANYONE
from rbmle.service.ledger import Ledger
from rbmle.service.requests import SetState
from rbmle.service.shown import ArmStatistics, Details
from rbmle.service.storage import open_storage


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    interpret(monkeypatch)
    storage = open_storage(f"sqlite:///{tmp_path}/rbmle.db")
    yield Ledger(storage)
    storage.close()


def played(ledger: Ledger, rewards: dict[str, list[float]], **more: Any) -> None:
    """An experiment whose arms have paid this."""
    ledger.run([create(arms=list(rewards), policy="ucb", **more)])
    known: Any = ledger.cache.find("x")
    for arm in known.arms:
        for value in rewards[arm.name]:
            known.live.learn(arm, value)


def shown(ledger: Ledger) -> tuple[Details, dict[str, ArmStatistics]]:
    found = ledger.ask(lambda each: views.experiment_details(each, ANYONE, "x"))
    assert found is not None
    details = views.with_conclusions(*found)
    return details, {arm.name: arm for arm in details.arms}


CLICKS = {"a": [1.0] * 2 + [0.0] * 98, "b": [0.0] * 30, "c": []}


def test_conclusions_are_those_of_a_decider(ledger: Ledger) -> None:
    rewards = {**CLICKS, "d": [1.0] * 90 + [0.0] * 10}
    played(ledger, rewards)
    live: Any = rbmle.Decider(list(rewards), "ucb", "bernoulli")
    for name, values in rewards.items():
        live.update([name] * len(values), values)
    details, arms = shown(ledger)
    found = live.summary()
    assert (details.leader, details.safe_to_stop) == ("d", False)
    assert details.verdict == found.verdict
    for name in ("a", "b", "d"):
        mine = found.arms[name]
        assert arms[name].interval == [mine.low, mine.high]
        assert (arms[name].probability_best, arms[name].expected_loss) == mine[4:]
    assert arms["c"].interval is None  # it has no reward yet
    ledger.run([(ANYONE, SetState("x", "c", "paused"))])
    details, _ = shown(ledger)
    assert details.verdict == "safe to stop: d beats a and b at level 0.95"


def test_who_is_best_is_the_posteriors_probability(ledger: Ledger) -> None:
    played(ledger, CLICKS)
    _, arms = shown(ledger)
    drawn = np.random.default_rng(1).beta([3, 1, 1], [99, 31, 1], (1_000_000, 3))
    share = np.bincount(drawn.argmax(axis=1)) / len(drawn)
    told = [arms[name].probability_best for name in CLICKS]
    assert told == pytest.approx(share, abs=0.0025)
    ledger.run([(ANYONE, SetState("x", "c", "paused"))])
    _, arms = shown(ledger)
    assert arms["c"].probability_best is None
    (a, b), more = stats.beta([3, 1], [99, 31]).rvs((1_000_000, 2), random_state=1).T, 0.002
    assert arms["a"].probability_best == pytest.approx((a > b).mean(), abs=more)


def test_evidence_that_forgets_has_no_intervals_but_a_posterior(ledger: Ledger) -> None:
    rewards = {"a": [1.0, 0.0, 0.0], "b": [0.0, 1.0]}
    played(ledger, rewards, evidence="discounted(gamma=0.5)")
    details, arms = shown(ledger)
    n = 0.25 * (0.5**2 + 0.5 + 1.0)  # b's two rewards came later
    assert arms["a"].effective_pulls == pytest.approx(n)
    assert arms["a"].interval is None
    assert "Discounted has no intervals" in details.verdict
    worth = np.array([n, 1.5]), np.array([0.25 * 0.25, 1.0])
    assert arms["a"].probability_best == pytest.approx(probability_best(Bernoulli(), *worth)[0])


@pytest.mark.parametrize(
    ("family", "rewards"),
    [("gaussian(prior_sd=inf)", {"a": [1.0, 2.0], "b": []}), ("gaussian", {"a": [1.0], "b": []})],
)
def test_what_a_prior_does_not_say_is_null(
    ledger: Ledger, family: str, rewards: dict[str, list[float]]
) -> None:
    played(ledger, rewards, family=family)
    _, arms = shown(ledger)
    assert (arms["b"].probability_best is None) == ("inf" in family)
    assert arms["a"].interval is not None


def test_families_without_a_posterior_have_neither(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(ledger, CLICKS)
    views._concluded.cache_clear()
    monkeypatch.delattr(FAMILIES["Bernoulli"], "posterior_law")
    monkeypatch.setattr(summary, "mixture_of", lambda family: None)
    details, arms = shown(ledger)
    views._concluded.cache_clear()
    assert {arm.probability_best for arm in arms.values()} == {None}
    assert [arm.interval for arm in arms.values()] == [None] * 3
    assert "Bernoulli has no confidence sequence" in details.verdict


def test_with_features_an_arm_has_no_interval(ledger: Ledger) -> None:
    ledger.run([create(family="gaussian", evidence={"name": "Linear", "dimension": 1})])
    ledger.run([decide(id="v", context={"a": [1.0], "b": [0.5], "c": [2.0]}), reward("v", 1.0)])
    _, arms = shown(ledger)
    assert [(arm.interval, arm.probability_best) for arm in arms.values()] == [(None, None)] * 3


def test_gain_is_what_was_paid_beyond_equal_shares(ledger: Ledger) -> None:
    played(ledger, {"a": [1.0, 1.0, 0.0], "b": [0.0]})
    details, _ = shown(ledger)
    assert (details.paid, details.gain) == (2.0, pytest.approx(2.0 - 4 * (2 / 3 + 0.0) / 2))


@pytest.mark.slow
def test_a_thousand_arms_are_compared_and_more_are_not(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(ledger, {str(n): [float(n % 7 == 0)] * (n % 5) for n in range(1_000)})
    _, arms = shown(ledger)
    told = [arm.probability_best or 0.0 for arm in arms.values()]
    assert sum(told) == pytest.approx(1.0)
    assert min(told) > 0.0
    monkeypatch.setattr(views, "_MAX_COMPARED_ARMS", 999)
    views._concluded.cache_clear()
    assert shown(ledger)[1]["0"].probability_best is None


def test_the_last_decisions_are_told_however_many_rewards_came_since(ledger: Ledger) -> None:
    ledger.run([create(policy="ucb", reward_wait_s=60.0)])
    ids = [f"v{number}" for number in range(300)]
    ledger.run([decide(id=each) for each in ids])  # in one transaction, as a batch is
    ledger.run([reward(each, 1.0) for each in ids[:-1]])
    details, _ = shown(ledger)
    assert [each.id for each in details.last] == ids[:-13:-1]
    assert [(each.state, each.reward) for each in details.last] == [
        ("pending", None), *[("rewarded", 1.0)] * 11,
    ]  # fmt: skip
    assert details.last[0].t == 300
    assert {each.arm for each in details.last} <= {"a", "b", "c"}


def test_the_last_decisions_have_their_own_rewards(ledger: Ledger) -> None:
    ledger.run([create(family="gaussian")])
    for number in range(20):
        ledger.run([decide(id=f"v{number}")])
        if number % 3:
            ledger.run([reward(f"v{number}", float(number))])
    details, _ = shown(ledger)
    told = [(each.id, each.reward, each.state) for each in details.last]
    assert told == [
        (f"v{n}", float(n) if n % 3 else None, "rewarded" if n % 3 else "pending")
        for n in range(19, 7, -1)
    ]


def test_what_was_paid_over_time_adds_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Default rewards too; and `verify` finds it sound."""
    interpret(monkeypatch)
    clock, storage = Clock(), open_storage(f"sqlite:///{tmp_path}/rbmle.db")
    ledger = Ledger(storage, clock=clock)
    ledger.run([create(policy="ucb", reward_wait_s=100.0, default_reward=0.25)])
    for number in range(40):
        clock.now += 1_000.0
        ledger.run([decide(id=f"v{number}")], sweep=True)
        if number % 4:
            ledger.run([reward(f"v{number}", 1.0)])
    details, _ = shown(ledger)
    assert details.paid == 30 * 1.0 + 10 * 0.25
    for each in details.over_time[1:]:
        assert (sum(each.decisions), sum(each.paid)) == (40, details.paid)
    (day,) = details.over_time[2].at
    assert day == 0
    assert clean(storage)
    storage.close()
