"""NumPy's legacy generator in compiled code draws the numbers of `RandomState`, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from tiers import tiered

from rbmle import EpsilonGreedy, Problem, PublishedTable, simulate
from rbmle.families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.paper.published_table import legacy_table
from rbmle.random.mersenne import MersenneDraws
from rbmle.rewards.laws import Beta, GaussianMixture, Laplace, TwoPoint, Uniform

COUNT = 2500
UNIFORM, NORMAL, EXPONENTIAL, GAMMA, BETA = range(5)

# (kind, first parameter, second parameter): what is drawn, in an order mixed at random.
KINDS = {
    "uniform": [(UNIFORM, 0.0, 0.0)],
    "normal": [(NORMAL, 0.0, 0.0)],
    "exponential": [(EXPONENTIAL, 0.0, 0.0)],
    "gamma": [(GAMMA, shape, 0.0) for shape in (0.05, 0.3, 1.0, 1.01, 2.5, 300.0)],
    "beta": [
        (BETA, a, b)
        for a, b in [
            (0.5, 0.5), (0.3, 0.9), (1.0, 1.0), (1.0, 0.2), (0.001, 0.001),  # Johnk's method
            (2.0, 0.4), (0.4, 2.0), (1.0, 3.0), (17.0, 5.0), (800.0, 1.5),
        ]
    ],
}  # fmt: skip
KINDS["all"] = [each for kinds in list(KINDS.values()) for each in kinds]
TABLES = [
    (Bernoulli(), [0.1, 0.6]), (Binomial(5), [0.7, 4.0]), (Gaussian(2.0), [-1.0, 3.0]),
    (Exponential(), [0.2, 3.0]), (Gamma(2.5), [0.2, 3.0]), (Poisson(), [0.3, 20.0]),
    (Uniform(0.4), [0.2, 0.7]), (Beta(3.0), [0.2, 0.7]), (TwoPoint(-1.0, 3.0), [0.0, 2.0]),
    (GaussianMixture(2.0, 0.5), [-1.0, 1.0]), (Laplace(0.7), [-1.0, 1.0]),
]  # fmt: skip


def plan(kinds: list, seed: int) -> np.ndarray:
    order = np.random.default_rng(seed).integers(0, len(kinds), COUNT)
    return np.array(kinds)[order]


def drawn(draws, steps, out):
    """Draw the numbers of the plan, each from another cell, which must not matter."""
    for j in range(out.size):
        cell = draws.at(j // 7, j).cell(j % 7)
        kind, a, b = steps[j]
        if kind == UNIFORM:
            out[j] = cell.uniform(j)
        elif kind == NORMAL:
            out[j] = cell.normal(j)
        elif kind == EXPONENTIAL:
            out[j] = cell.exponential(j)
        elif kind == GAMMA:
            out[j] = cell.gamma(a, j)
        else:
            out[j] = cell.beta(a, b, j)


def by_numpy(generator: np.random.RandomState, steps: np.ndarray) -> np.ndarray:
    make = {
        UNIFORM: lambda a, b: generator.random_sample(),
        NORMAL: lambda a, b: generator.standard_normal(),
        EXPONENTIAL: lambda a, b: generator.standard_exponential(),
        GAMMA: lambda a, b: generator.standard_gamma(a),
        BETA: lambda a, b: generator.beta(a, b),
    }
    return np.array([make[int(kind)](a, b) for kind, a, b in steps])


@pytest.mark.parametrize("drawn", [drawn, njit(drawn)], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("seed", tiered([0, 46, 2**32 - 1], lambda seed: seed == 0))
def test_numbers_are_those_of_random_state(seed, kinds, drawn):
    steps, out = plan(KINDS[kinds], seed), np.empty(COUNT)
    drawn(MersenneDraws.going_on(np.random.RandomState(seed), True), steps, out)
    assert np.array_equal(out, by_numpy(np.random.RandomState(seed), steps))


@pytest.mark.parametrize("before", [1, 2, 311, 624, 1001])
@pytest.mark.parametrize("kind", ["random_sample", "standard_normal"])
def test_the_stream_goes_on_where_the_generator_is(kind, before):
    generator, steps, out = np.random.RandomState(5), plan(KINDS["all"], 1), np.empty(COUNT)
    getattr(generator, kind)(before)  # an odd number of normal numbers leaves one over
    drawn(MersenneDraws.going_on(generator, True), steps, out)
    assert np.array_equal(out, by_numpy(generator, steps))


def test_what_epsilon_greedy_asks_for_is_two_uniform_numbers():
    draws = MersenneDraws.going_on(np.random.RandomState(8), True)
    assert draws.pair(0) == tuple(np.random.RandomState(8).random_sample(2))
    problem, rewards = Problem(Bernoulli(), [0.2, 0.9]), PublishedTable(3)
    assert simulate(problem, [EpsilonGreedy(0.1)], 300, 20, rewards).final_regret.mean() < 30.0


def test_the_generator_itself_is_left_alone():
    generator = np.random.RandomState(3)
    draws = MersenneDraws.going_on(generator, True)
    for _ in range(700):
        draws.normal(0)
    assert generator.random_sample() == np.random.RandomState(3).random_sample()


def test_ties_are_drawn_from_the_stream_or_not_at_all():
    draws = MersenneDraws.going_on(np.random.RandomState(8), True)
    expected = [int(u * ties) for ties, u in enumerate(np.random.RandomState(8).rand(60), 2)]
    assert [draws.among(ties) for ties in range(2, 62)] == expected
    assert any(expected)
    first = MersenneDraws.going_on(np.random.RandomState(8), False)
    assert not any(first.among(ties) for ties in range(2, 62))
    assert first.uniform(0) == np.random.RandomState(8).random_sample()


@pytest.mark.parametrize(("law", "means"), TABLES, ids=str)
def test_tables_have_the_moments_of_their_law(law, means):
    count = 40_000
    table = legacy_table(law, np.random.RandomState(11), np.array(means), (count, 2))
    assert table.shape == (count, 2)
    assert table.dtype == float
    for mean, column in zip(means, table.T, strict=True):
        variance, gaps = law.variance(mean), (column - mean) ** 2
        assert abs(column.mean() - mean) < 4.5 * (variance / count) ** 0.5
        assert abs(gaps.mean() - variance) < 4.5 * max(gaps.std(), 1e-3 * variance) / count**0.5
        assert column.min() in law.reward_interval()
        assert column.max() in law.reward_interval()
