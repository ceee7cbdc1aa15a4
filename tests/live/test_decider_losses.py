"""Lost rewards starve no arm; a named decision counts once."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tiers import tiered

from rbmle import (
    KLUCB,
    POLICIES,
    RBMLE,
    UCB,
    Bernoulli,
    Decider,
    ParameterError,
    ThompsonSampling,
)
from rbmle.policies import families_of
from rbmle.rewards.delays import ROUNDS_BLIND

RULES = [RBMLE(), UCB(), ThompsonSampling(), KLUCB()]


def play(decider, rounds, means, lost, seed=3):
    """Play coins, and lose a share of the rewards."""
    rng = np.random.default_rng(seed)
    pulls = dict.fromkeys(means, 0)
    for _ in range(rounds):
        arm = decider.pull()
        pulls[arm] += 1
        if rng.random() >= lost:
            decider.update(arm, float(rng.random() < means[arm]))
    return pulls


def in_core(rule):
    return isinstance(rule, UCB)


SETTLING = [
    kind()
    for kind in POLICIES.values()
    if kind.__module__.startswith("rbmle.") and kind().settles() and Bernoulli in families_of(kind)
]


@pytest.mark.parametrize("rule", tiered(SETTLING, in_core), ids=lambda rule: type(rule).__name__)
@pytest.mark.parametrize("lost", [0.1, 0.5, 0.9])
def test_the_best_arm_is_found_whatever_share_of_rewards_is_lost(rule, lost):
    decider = Decider(["good", "bad"], rule, Bernoulli(), seed=2, horizon=5000)
    pulls = play(decider, 5000, GOOD_AND_BAD, lost)
    assert pulls["good"] > 0.7 * 5000


GOOD_AND_BAD = {"good": 0.9, "bad": 0.1}


@pytest.mark.parametrize("rule", tiered(RULES, in_core), ids=repr)
def test_an_arm_whose_first_reward_is_lost_is_tried_again(rule):
    """The first reward of the better arm never comes."""
    decider, swallowed = Decider(["good", "bad"], rule, Bernoulli(), seed=1), False
    rng, pulls = np.random.default_rng(0), {"good": 0, "bad": 0}
    for _ in range(5000):
        arm = decider.pull()
        pulls[arm] += 1
        if arm == "good" and not swallowed:
            swallowed = True
        else:
            decider.update(arm, float(rng.random() < GOOD_AND_BAD[arm]))
    assert pulls["good"] > 4000


def test_arms_without_a_reward_are_tried_at_a_bounded_rate():
    """Nine arms never get a reward: after their first pulls they take at most one round in ten."""
    decider, pulls = Decider(range(10), UCB(), Bernoulli()), np.zeros(10)
    for _ in range(3000):
        arm = decider.pull()
        pulls[arm] += 1
        if arm == 0:
            decider.update(arm, 1.0)
    assert pulls[1:].sum() <= 3000 / ROUNDS_BLIND + 9
    assert (pulls[1:] >= 3000 // (10 * ROUNDS_BLIND) - 1).all()


def test_pulls_that_are_given_up_tell_nothing_and_may_still_be_answered():
    decider = Decider(["a", "b"], UCB(), Bernoulli(), patience=5)
    decider.update(["a", "b"], [1.0, 0.0])
    first = decider.pull(id="lost")
    for k in range(5):
        assert sum(decider.pending.values()) == 1
        decider.pull(id=k)
        decider.update(id=k, reward=0.5)
    assert sum(decider.pending.values()) == 0
    t, counts = decider.t, decider.counts
    decider.update(id="lost", reward=0.5)  # late, but it counts, for the round it was pulled in
    assert decider.t == t
    assert decider.counts[first] == counts[first] + 1


def test_the_round_never_falls_when_pulls_are_given_up():
    decider = Decider(["a", "b", "c"], UCB(), Bernoulli(), patience=3)
    rounds = []
    for _ in range(50):
        decider.pull()
        rounds.append(decider.t)
    assert rounds == list(range(2, 52))


@pytest.mark.parametrize("patience", [0, -1, 2.5, "long", None])
def test_patience_is_a_whole_number_from_1_on(patience):
    with pytest.raises(ParameterError, match=r"'patience' must be a whole number in \[1"):
        Decider(["a", "b"], UCB(), Bernoulli(), patience=patience)


@pytest.mark.slow
def test_a_named_decision_and_its_reward_count_once():
    decider = Decider(["a", "b"], UCB(), Bernoulli())
    arm = decider.pull(id="visit-1")
    assert decider.pull(id="visit-1") == arm
    assert decider.t == 2
    for _ in range(3):
        decider.update(id="visit-1", reward=1.0)
    decider.update(arm, 1.0, id="visit-1")
    assert decider.counts[arm] == 1
    assert decider.pending[arm] == 0
    assert decider.pull(id="visit-1") == arm


def test_rewards_by_name_answer_their_own_pull():
    decider = Decider(["a", "b"], UCB(), Bernoulli())
    arms = [decider.pull(id=k) for k in range(6)]
    for k in (5, 0, 3):
        decider.update(id=k, reward=k / 8)
    assert sum(decider.pending.values()) == 3
    means = {arm: [k / 8 for k in (5, 0, 3) if arms[k] == arm] for arm in ("a", "b")}
    assert {arm: np.mean(each) for arm, each in means.items() if each} == {
        arm: mean for arm, mean in decider.means.items() if decider.counts[arm]
    }


@pytest.mark.slow
def test_what_is_refused_of_named_decisions():
    decider = Decider(["a", "b"], UCB(), Bernoulli())
    arm = decider.pull(id="x")
    other = "b" if arm == "a" else "a"
    decider.update(id="x", reward=1.0)
    for call, said in (
        (
            lambda: decider.update(id="x", reward=0.0),
            "'reward' must be 1, the reward already recorded for 'x'",
        ),
        (lambda: decider.update(other, 1.0, id="x"), f"'arm' must be {arm!r}, chosen for 'x'"),
        (lambda: decider.update(id="y", reward=1.0), "'id' must be that of a pull"),
        (lambda: decider.update(id="x", reward=2.0), r"'reward' must be a number in \[0, 1\]"),
        (lambda: decider.pull(3, id="z"), "'id' must be left out"),
        (lambda: decider.pull(id=1.5), "'id' must be named by strings or whole numbers"),
    ):
        with pytest.raises(ParameterError, match=said):
            call()
    assert decider.counts[arm] == 1
    decider.update(other, 0.0, id="made elsewhere")
    decider.update(other, 0.0, id="made elsewhere")
    assert decider.counts[other] == 1


@pytest.mark.slow
def test_named_decisions_and_pending_pulls_survive_a_save(tmp_path: Path):
    decider = Decider(["a", "b"], ThompsonSampling(), Bernoulli(), patience=40)
    decider.pull(id="x")
    decider.update(id="x", reward=1.0)
    arm = decider.pull(id="y")
    decider.pull(30)
    decider.save(tmp_path / "s.json")
    again = Decider.load(tmp_path / "s.json")
    again.update(id="x", reward=1.0)
    assert again.counts == decider.counts
    assert again.pull(id="y") == arm
    assert again.pending == decider.pending
    assert [again.pull() for _ in range(60)] == [decider.pull() for _ in range(60)]
    assert again.pending == decider.pending


@pytest.mark.parametrize("take", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_copy_goes_on_by_itself(take):
    decider = Decider(["a", "b", "c"], ThompsonSampling(), Bernoulli(), seed=4)
    play(decider, 50, {"a": 0.2, "b": 0.5, "c": 0.6}, 0.2)
    twin = take(decider)
    means = {"a": 0.2, "b": 0.5, "c": 0.6}
    assert play(twin, 100, means, 0.1) == play(decider, 100, means, 0.1)
    twin.pull()
    assert twin.t == decider.t + 1


@pytest.mark.parametrize("reward", [True, np.True_, np.float32(1.0), np.int8(1), 1])
def test_what_counts_as_one(reward):
    decider = Decider(["a", "b"], UCB(), Bernoulli())
    decider.update("a", reward)
    assert decider.means["a"] == 1.0


def test_what_a_killed_save_left_is_removed_by_the_next(tmp_path: Path):
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    left = tmp_path / f".s.json.{int(gone.stdout)}-1.tmp"
    ours, others = tmp_path / f".s.json.{os.getpid()}-1.tmp", tmp_path / ".t.json.1-1.tmp"
    for each in (left, ours, others):
        each.write_text("half of it")
    Decider(["a", "b"], UCB(), Bernoulli()).save(tmp_path / "s.json")
    assert not left.exists()
    assert ours.exists()  # a thread may be writing it
    assert others.exists()


def test_pulls_of_an_arm_that_is_removed_expire_without_a_trace() -> None:
    """The arm that takes its place in the arrays keeps its own statistics."""
    live, twin = (
        Decider(["a", "b", "c"], UCB(), Bernoulli(), seed=1, patience=patience)
        for patience in (3, 1_000)
    )
    for each in (live, twin):
        each.update(["a", "b", "c"], [1.0, 0.0, 0.0])
        assert each.pull() == "a"
        each.remove("a")
    for _ in range(8):
        assert live.indices() == twin.indices()
        for each in (live, twin):
            each.update(each.pull(), 0.0)
