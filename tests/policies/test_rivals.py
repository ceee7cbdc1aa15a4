"""Policies from outside the paper, each against the formula of its source."""

from __future__ import annotations

from math import e, log, sqrt
from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import KLUCB, AdaUCB, Arms, Bernoulli, Clock, Exponential, Gaussian, Poisson
from rbmle.policies.base import Policy
from rbmle.policies.history import block, draw_some, note, note_each, size_of
from rbmle.random import Draws
from rbmle.spec import from_spec

ARMS = Arms(np.array([10.0, 40.0, 3.0]), np.array([4.0, 21.0, 1.0]), np.array([4.0, 21.0, 1.0]))
CLOCK = Clock(54, 1_000)


def positive(x: float) -> float:
    return max(log(x), 0.0)


@pytest.mark.parametrize("family", [Bernoulli(), Gaussian(), Exponential(), Poisson()])
@pytest.mark.parametrize(
    ("level", "allowed"),
    [
        ("t", lambda n: log(54)),
        ("plus", lambda n: log(54 / n)),
        ("plus_plus", lambda n: positive(1000 / 3 / n * (positive(1000 / 3 / n) ** 2 + 1))),
        ("moss", lambda n: positive(1000 / 3 / n)),
        ("left", lambda n: positive(947 / 3 / n)),
    ],
)
def test_the_divergence_at_the_index_is_the_level(level: str, allowed: Any, family: Any) -> None:
    policy = KLUCB(level=level)  # type: ignore[call-arg]
    common = policy.level(family, ARMS, CLOCK)
    for i, n in enumerate(ARMS.pulls.tolist()):
        index = policy.index_of(family, ARMS, i, common)
        assert n * family.kl(ARMS.mean(i), index) == pytest.approx(allowed(n), rel=1e-9)


def test_an_arm_beyond_its_level_has_its_mean() -> None:
    for level in ("plus_plus", "moss", "left"):
        policy = KLUCB(level=level)  # type: ignore[call-arg]
        common = policy.level(Bernoulli(), ARMS, Clock(54, 60))
        assert policy.index_of(Bernoulli(), ARMS, 1, common) == ARMS.mean(1)


def test_other_spellings_of_the_level() -> None:
    named: Any = KLUCB
    assert named(plus=True) == named(level="plus") == KLUCB(upto="plus")
    assert named(plus_plus=True) == KLUCB(upto="plus_plus")
    assert named(plus=False) == KLUCB()
    assert from_spec("klucb(plus_plus=true)") == KLUCB(upto="plus_plus")
    assert from_spec("klucb(plus=false)") == KLUCB()
    for given in ({"plus": 1}, {"plus": True, "level": "moss"}, {"level": "log"}):
        with pytest.raises(rbmle.ParameterError):
            named(**given)
    with pytest.raises(rbmle.ParameterError, match="KLUCB: 'level' must be one of 't', 'plus'"):
        named(level="log")
    with pytest.raises(rbmle.ParameterError, match="KLUCB: 'c' must be a number"):
        named(-1, level="plus")
    with pytest.raises(rbmle.ParameterError, match=r"Got \(plus=True, level='moss'\)"):
        named(plus=True, level="moss")
    with pytest.raises(rbmle.ParameterError, match="'c' must be 0 with the level 'moss'"):
        rbmle.simulate(rbmle.Problem("bernoulli", [0.1, 0.2]), [KLUCB(3.0, upto="moss")], 9, 1)


def test_adaucb_is_lattimores() -> None:
    policy = AdaUCB(sigma=0.5)
    level = policy.level(Gaussian(), ARMS, CLOCK)
    for i, n in enumerate(ARMS.pulls):
        x = 1_000 / sum(min(n, sqrt(n * each)) for each in ARMS.pulls) + e
        width = 0.5 * sqrt(2.0 / n * log(x * sqrt(log(x))))
        assert policy.index_of(Gaussian(), ARMS, i, level) == pytest.approx(ARMS.mean(i) + width)


def test_a_history_has_the_sums_of_its_blocks() -> None:
    """Whatever comes together counts as its mean; and of more than the capacity the last stay."""
    rng, capacity = np.random.default_rng(1), 7
    state, rewards = np.zeros(3 + size_of(capacity)), np.zeros(0)
    for _ in range(40):
        came = rng.integers(0, 4)
        new = rng.uniform(size=came)
        rewards = np.append(rewards, np.full(came, new.mean() if came else 0.0))
        note(state, 3, capacity, float(rewards.size), rewards.sum())
        held = min(capacity, rewards.size)
        for start in range(rewards.size - held, rewards.size):
            for size in range(rewards.size - start + 1):
                expected = rewards[start : start + size].sum()
                assert block(state, 3, capacity, start, size) == pytest.approx(expected, abs=1e-12)
    assert not state[:3].any()


def test_rewards_are_drawn_without_replacement() -> None:
    rewards, capacity = [1.0, 2.0, 4.0, 8.0, 16.0], 8
    state = np.zeros(size_of(capacity))
    for n in range(1, 6):
        note_each(state, 0, capacity, float(n), sum(rewards[:n]))
    drawn = [
        draw_some(state, 0, capacity, 2, Draws(1, 0, 0, t, True).cell(0)) for t in range(1, 2_001)
    ]
    pairs = {x + y for x in rewards for y in rewards if x < y}
    assert set(drawn) == pairs  # each sum tells its pair, and no reward is drawn twice
    assert min(map(drawn.count, pairs)) > 140  # of 200 that are expected: 4.5 deviations
    assert sorted(state[2:7]) == rewards


def test_of_more_rewards_than_the_memory_some_are_replaced() -> None:
    state = np.zeros(size_of(4))
    for n in range(1, 11):
        note_each(state, 0, 4, float(n), n * (n + 1) / 2.0)
    assert sorted(state[2:6]) == [7.0, 8.0, 9.0, 10.0]


@pytest.mark.slow
def test_an_arm_that_only_failed_is_lost_if_the_leader_wins_ties() -> None:
    problem = rbmle.Problem("bernoulli", [0.5, 0.6])
    policies = [rbmle.RBSDA(even="leader", memory=5_000), rbmle.RBSDA(memory=5_000)]
    printed, ours = rbmle.simulate(problem, policies, 5_000, 200).final_regret.mean(axis=1)
    assert printed > 3.0 * ours


@pytest.mark.slow
@pytest.mark.parametrize("restart", ["local", "all"])
def test_glr_klucb_starts_anew_where_a_mean_jumps(restart: str) -> None:
    before, after = (
        rbmle.Problem("bernoulli", each) for each in ([0.8, 0.4, 0.3], [0.2, 0.4, 0.7])
    )
    world = rbmle.Phases([before, after], at=[5_000])
    policies = [KLUCB(), rbmle.GLRKLUCB(restart=restart, memory=10_000)]
    plain, tested = rbmle.simulate(world, policies, 10_000, 50).final_regret.mean(axis=1)
    assert tested < 0.5 * plain


KEEPING = ["rbsda", "lbsda", "wrsda", "npts", "empirical-imed", "glr-klucb", "exp3"]


@pytest.mark.parametrize("name", KEEPING)
@pytest.mark.parametrize("evidence", [rbmle.Discounted(0.99), rbmle.Window(50)], ids=str)
def test_rewards_that_are_kept_must_all_count_once(name: str, evidence: Any) -> None:
    """With a window the leader's rewards stayed those of the first one: RB-SDA lost 763 in 2,000
    rounds after the best arm had changed, Thompson sampling 72."""
    problem = rbmle.Problem("bernoulli", [0.2, 0.8])
    sentence = "'evidence' must be one in which every reward counts once, as in Counting"
    with pytest.raises(rbmle.ParameterError, match=sentence):
        rbmle.simulate(problem, [name], 9, 1, evidence=evidence)
    with pytest.raises(rbmle.ParameterError, match=sentence):
        rbmle.Decider(["a", "b"], name, "bernoulli", evidence=evidence)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["npts", "empirical-imed", "rbsda", "lbsda", "wrsda"])
def test_what_is_imputed_is_not_kept_for_a_reward(name: str) -> None:
    """Rewards that come 20 rounds late cost little; non-parametric Thompson sampling had 1.7
    times the regret."""
    problem = rbmle.Problem("bernoulli", [0.4, 0.6, 0.5])
    policy = from_spec(f"{name}(memory=2000)")
    prompt, late = (
        rbmle.simulate(problem, [policy], 2_000, 200, seed=3, delay=delay).final_regret.mean()
        for delay in (None, rbmle.FixedDelay(20))
    )
    assert late < 1.35 * prompt


def test_every_policy_with_a_memory_of_rewards_says_so() -> None:
    ours = [each for each in rbmle.POLICIES.values() if each.__module__.startswith("rbmle.")]
    keeping = {each for each in ours if each.keeps_rewards is not Policy.keeps_rewards}
    assert keeping == {type(from_spec(name)) for name in KEEPING}
    assert keeping >= {each for each in ours if "memory" in each._fields}


def test_explore_then_commit_commits_to_the_largest_mean() -> None:
    """Not to the arm with the most pulls, of which a log or a batch may have given it more than m;
    and for good, but for a new arm."""
    live = rbmle.Decider(["a", "b"], rbmle.ExploreThenCommit(5), "bernoulli", seed=1)
    live.update(["a"] * 30 + ["b"] * 5, [0] * 29 + [1] * 6)
    assert [live.pull() for _ in range(3)] == ["b"] * 3
    live.update(["b"] * 3, [0] * 3)
    live.update(["b"] * 400, [0] * 400)
    assert live.pull() == "b"
    live.add("c")
    live.update(["c"] * 5, [1] * 5)
    assert live.pull() == "b"  # c came with enough pulls of its own: nothing was explored


def test_explore_then_commit_keeps_its_arm_while_others_are_the_only_candidates() -> None:
    live = rbmle.Decider(["a", "b", "c"], rbmle.ExploreThenCommit(5), "bernoulli", seed=1)
    live.update(["a"] * 5 + ["b"] * 5 + ["c"] * 5, [0] * 9 + [1] * 6)
    assert [live.pull(), live.pull(among=["a", "b"]), live.pull()] == ["c", "b", "c"]
    live.disable("c")
    assert live.pull() == "b"
    live.enable("c")
    assert live.pull() == "c"


def test_non_parametric_thompson_sampling_takes_the_largest_reward_of_the_family() -> None:
    """Its choices do not depend on the unit of rewards; without a largest one it is refused."""

    def pulls(high: float) -> list[float]:
        problem = rbmle.Problem(rbmle.Bounded(0.0, high), [0.5 * high, 0.25 * high])
        return rbmle.simulate(problem, ["npts(memory=50)"], 50, 4, seed=3).pulls.tolist()

    assert pulls(1.0) == pulls(8.0)
    with pytest.raises(rbmle.ParameterError, match="'family' must be"):
        rbmle.simulate(rbmle.Problem("exponential", [5.0, 6.0]), ["npts"], 9, 1)
