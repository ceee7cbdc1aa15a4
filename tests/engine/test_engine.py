"""The engine: all policies meet the same rewards, regret follows from the pulls, and memory does
not grow with the horizon."""

from __future__ import annotations

import tracemalloc
from math import exp, inf, log
from typing import NamedTuple

import numpy as np
import pytest

from rbmle.engine import simulate
from rbmle.errors import ParameterError
from rbmle.families import Bernoulli, Exponential, Gaussian, Poisson, family
from rbmle.paper.published_table import PublishedTable
from rbmle.policies import KLUCB, RBMLE, UCB, Assuming, ThompsonSampling
from rbmle.random import key
from rbmle.result import QUANTILES, STATISTICS
from rbmle.rewards.laws import Beta, Laplace, Uniform
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream, Stream, Table

SEED, HORIZON, COUNT = 11, 120, 4
COINS = Problem(Bernoulli(), [0.3, 0.6, 0.5, 0.6])
POLICIES = [UCB(0.5), ThompsonSampling()]


def table_of(problem: Problem, horizon: int = HORIZON, count: int = COUNT) -> np.ndarray:
    """The rewards that the stream of SEED pays, cell by cell."""
    source = Stream(problem.law, np.array(problem.means), *key(SEED))
    return np.array([
        [[source.reward(r, t, i) for i in range(problem.n_arms)] for t in range(1, horizon + 1)]
        for r in range(count)
    ])  # fmt: skip


def agree(a, b) -> None:
    np.testing.assert_array_equal(a.pulls, b.pulls)
    np.testing.assert_array_equal(a.regret, b.regret)


@pytest.fixture(scope="module")
def coins():
    """A run of three policies, two of them of one class."""
    policies = [*POLICIES, UCB(2.0)]
    return simulate(COINS, policies, HORIZON, COUNT, RewardStream(SEED), checkpoints=[60, 7, 7])


@pytest.mark.slow
def test_every_policy_meets_the_same_reward_in_the_same_cell(coins):
    table = Table(table_of(COINS), seed=SEED)
    policies = [*POLICIES, UCB(2.0)]
    agree(simulate(COINS, policies, HORIZON, COUNT, table, checkpoints=[60, 7, 7]), coins)


@pytest.mark.slow
def test_a_policy_does_not_depend_on_its_company(coins):
    alone = simulate(COINS, POLICIES[1:], HORIZON, COUNT, RewardStream(SEED), checkpoints=[7, 60])
    np.testing.assert_array_equal(alone.regret[0], coins.regret[1])


def test_another_seed_gives_other_rewards_and_the_same_seed_the_same(coins):
    again, other = (
        simulate(COINS, POLICIES, HORIZON, COUNT, RewardStream(seed), checkpoints=[7, 60])
        for seed in (SEED, SEED + 1)
    )
    np.testing.assert_array_equal(again.pulls, coins.pulls[:2])
    assert (other.pulls != again.pulls).any(axis=(1, 2)).all()


def test_ties_go_to_the_first_arm_or_to_any():
    equal = Table(np.ones((30, 4, 3)), seed=SEED)
    problem = Problem(Bernoulli(), [0.5, 0.5, 0.5])
    first = simulate(problem, [UCB()], 4, 30, equal, ties="first")
    assert first.pulls[0].tolist() == [[2, 1, 1]] * 30
    any_arm = simulate(problem, [UCB()], 4, 30, equal, ties="random")
    assert (any_arm.pulls[0] == 2).any(axis=0).all()


def test_regret_is_pulls_times_gaps(coins):
    np.testing.assert_allclose(coins.final_regret, coins.pulls @ COINS.gaps, rtol=1e-12)
    assert (coins.pulls.sum(axis=2) == HORIZON).all()
    assert (np.diff(coins.regret, axis=2) >= 0.0).all()
    assert COINS.gaps.tolist() == pytest.approx([0.3, 0.0, 0.1, 0.0])


def test_a_checkpoint_is_the_end_of_a_shorter_run(coins):
    shorter = simulate(COINS, POLICIES, 60, COUNT, RewardStream(SEED), checkpoints=[7])
    np.testing.assert_array_equal(shorter.regret, coins.regret[:2, :, :2])


@pytest.mark.parametrize(
    ("given", "kept"), [([60, 7, 7], [7, 60, 120]), ([120], [120]), (5, [5, 120]), (None, None)]
)
def test_checkpoints_are_sorted_and_end_at_the_horizon(given, kept):
    rounds = simulate(COINS, [UCB()], HORIZON, 1, checkpoints=given).checkpoints
    assert (np.diff(rounds) > 0).all()
    assert rounds[0] >= 1
    assert rounds[-1] == HORIZON
    assert kept is None or rounds.tolist() == kept
    assert rounds.size <= 201


def test_statistics_are_those_of_numpy(coins):
    table = coins.statistics()
    assert table.shape == (3, len(STATISTICS))
    for row, final in zip(table, coins.final_regret, strict=True):
        expected = [np.mean(final), np.std(final), *(np.quantile(final, q) for q in QUANTILES)]
        np.testing.assert_allclose(row, expected, rtol=1e-12)
    assert coins.replications == COUNT


def test_the_summary_has_a_row_for_each_policy_under_its_own_name(coins):
    assert len(set(coins.names)) == 3
    assert coins.names[1] == "ThompsonSampling"
    title, head, *rows = coins.summary().splitlines()
    assert "Bernoulli" in title
    assert f"T = {HORIZON}" in title
    assert head.split() == list(STATISTICS)
    for row, name, values in zip(rows, coins.names, coins.statistics(), strict=True):
        assert row.startswith(name)
        shown = np.array(row[len(name) :].split(), float)
        assert (abs(shown - values) <= np.maximum(0.05, 5e-4 * values)).all()


def big_table(problem: Problem, seed: int) -> np.ndarray:
    """The published protocol in one call: a table [replication, round, arm]."""
    generator, shape = np.random.RandomState(seed), (COUNT, HORIZON, problem.n_arms)
    match problem.law:
        case Bernoulli():
            return generator.binomial(1, problem.means, shape).astype(float)
        case Gaussian(sigma=sigma):
            return problem.means + sigma * generator.normal(size=shape)
        case Exponential():
            return generator.exponential(problem.means, shape)


@pytest.mark.parametrize(
    "problem",
    [COINS, Problem(Gaussian(2.0), [0.0, 1.0, -1.0]), Problem(Exponential(), [0.5, 1.0, 2.0])],
    ids=lambda problem: type(problem.law).__name__,
)
@pytest.mark.parametrize("first", [0, 2])
def test_the_published_table_is_drawn_in_one_call(problem, first):
    batches = PublishedTable(46).batches(problem, HORIZON, first, COUNT, 1)
    big = big_table(problem, 46)
    seen = []
    for rows, begin, end in batches:
        for r in range(begin, end):
            seen.append(r)
            for t, i in [(1, 0), (2, 1), (HORIZON, problem.n_arms - 1)]:
                assert rows.reward(r, t, i) == big[r, t - 1, i]
            np.testing.assert_array_equal(rows.values[r - rows.first], big[r])
    assert seen == list(range(first, COUNT))


def test_the_published_table_is_a_table_and_can_begin_later():
    whole = simulate(COINS, [UCB()], HORIZON, COUNT, PublishedTable(46), ties="first")
    table = Table(big_table(COINS, 46))
    agree(whole, simulate(COINS, [UCB()], HORIZON, COUNT, table, ties="first"))
    later = simulate(
        COINS, [UCB()], HORIZON, 2, PublishedTable(46), ties="first", first_replication=2
    )
    np.testing.assert_array_equal(later.regret, whole.regret[:, 2:])


@pytest.mark.slow
def test_under_the_published_protocol_the_generator_goes_on_through_all_trials():
    generator = np.random.RandomState(46)
    table = generator.binomial(1, COINS.means, (COUNT, HORIZON, 4))
    pulls = np.zeros((COUNT, 4))
    for r in range(COUNT):
        sums = np.zeros(4)
        for t in range(HORIZON):
            draws = [generator.beta(s + 1, n - s + 1) for n, s in zip(pulls[r], sums, strict=True)
                     ] if t >= 4 else [i == t for i in range(4)]  # fmt: skip
            i = int(np.argmax(draws))
            pulls[r, i] += 1
            sums[i] += table[r, t, i]
    played = simulate(COINS, [ThompsonSampling()], HORIZON, COUNT, PublishedTable(46))
    np.testing.assert_array_equal(played.pulls[0], pulls)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "means", "policy", "model"),
    [
        (Uniform(0.4), [0.3, 0.7, 0.4], UCB(0.5), Bernoulli()),
        (Beta(), [0.3, 0.7, 0.4], ThompsonSampling(), Bernoulli()),
        (Laplace(0.5), [-0.5, 1.0, 0.0], RBMLE(), Gaussian()),
    ],
    ids=["Uniform", "Beta", "Laplace"],
)
def test_rewards_have_the_law_and_indices_the_family(law, means, policy, model):
    problem, same = Problem(law, means), Problem(model, means)
    assert problem.family is None
    stream = RewardStream(SEED)
    run = simulate(problem, [Assuming(policy, model)], HORIZON, COUNT, stream)
    agree(run, simulate(problem, [policy], HORIZON, COUNT, stream, family=model))
    agree(run, simulate(same, [policy], HORIZON, COUNT, Table(table_of(problem), SEED)))
    assert run.families == (model,)
    assert run.policies == (policy,)
    assert run.final_regret.mean() < 0.6 * problem.gaps.mean() * HORIZON


def test_memory_does_not_grow_with_the_horizon():
    def peak(horizon: int) -> int:
        tracemalloc.start()
        result = simulate(COINS, [UCB()], horizon, 3, checkpoints=[10], threads=1)
        largest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert result.regret.shape == (1, 3, 2)
        assert result.pulls.shape == (1, 3, 4)
        return largest

    peak(100)  # compiles
    short, long = peak(100), peak(100_000)
    assert long - short < 100_000  # bytes: a tenth of what one number a round would take


@family
class HomemadePoisson(NamedTuple):
    """A family as a user writes it: RBMLE's and KL-UCB's indices follow from its F."""

    unused: float = 0.0

    def natural(self, mean):
        return log(mean)

    def log_partition(self, eta):
        return exp(eta)

    def mean_range(self):
        return 0.0, inf

    def sample(self, mean, cell):
        return cell.poisson(mean, 0)


@pytest.mark.slow
def test_a_family_of_a_user_is_compiled_and_plays_as_the_built_in_one():
    policies = [RBMLE(), UCB(8.0), KLUCB()]
    ours, theirs = (
        simulate(Problem(law, [8.0, 11.0, 10.0]), policies, 400, 6, RewardStream(SEED))
        for law in (Poisson(), HomemadePoisson())
    )
    agree(ours, theirs)
    assert ours.pulls.min() >= 1
    assert (np.ptp(ours.pulls, axis=1) > 0).any(axis=1).all()


def test_a_seed_is_short_for_a_stream_of_it():
    short = simulate(COINS, [RBMLE()], 60, 3, seed=5)
    long = simulate(COINS, [RBMLE()], 60, 3, RewardStream(5))
    assert np.array_equal(short.regret, long.regret)
    assert short.rewards == long.rewards == "RewardStream(seed=5)"
    for wrong, said in ((-1, "simulate: 'seed' must be a whole number"), ("1", "'seed' must be")):
        with pytest.raises(ParameterError, match=said):
            simulate(COINS, [RBMLE()], 60, 3, seed=wrong)
    with pytest.raises(ParameterError, match="'seed' must be left out where rewards are given"):
        simulate(COINS, [RBMLE()], 60, 3, RewardStream(5), seed=5)


def test_a_mapping_labels_its_policies():
    named = simulate(COINS, {"mine": RBMLE(), "yours": UCB()}, 60, 3)
    assert named.names == ("mine", "yours")
    assert np.array_equal(named.regret, simulate(COINS, [RBMLE(), UCB()], 60, 3).regret)
    for wrong in ({}, {"": UCB()}, {1: UCB()}, {"a\nb": UCB()}):
        with pytest.raises(ParameterError, match="'policies' must be"):
            simulate(COINS, wrong, 60, 3)
