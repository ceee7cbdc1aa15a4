"""Random numbers: the published vectors, the right distributions, and independent cells."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from rbmle.random import MAX_ARMS, MAX_SEED, Cell, Counter, Draws, key, philox, unit
from rbmle.random.philox import CHOICES, REWARDS, TIES

WORDS = st.integers(0, 2**32 - 1)
KEY = key(20_240_607)
COUNT = 20_000
LEAST_P = 1e-4  # the seed is fixed: a right sampler passes for ever, a wrong one has p = 0

# Random123's known-answer file, philox4x32 with 7 rounds: counter, key, result.
PUBLISHED = {
    "zeros": ("00000000 00000000 00000000 00000000", "00000000 00000000",
              "5f6fb709 0d893f64 4f121f81 4f730a48"),
    "ones": ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
             "5207ddc2 45165e59 4d8ee751 8c52f662"),
    "pi": ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
           "4dfccaba 190a87f0 c47362ba b6b5242a"),
}  # fmt: skip
SAMPLERS = {
    "uniform": lambda cell, a, b: cell.uniform(0),
    "normal": lambda cell, a, b: cell.normal(0),
    "exponential": lambda cell, a, b: cell.exponential(0),
    "gamma": lambda cell, a, b: cell.gamma(a, 0),
    "beta": lambda cell, a, b: cell.beta(a, b, 0),
    "poisson": lambda cell, a, b: cell.poisson(a, 0),
    "binomial": lambda cell, a, b: cell.binomial(a, b, 0),
}
COMPILED = {name: njit(sampler) for name, sampler in SAMPLERS.items()}
CONTINUOUS = [
    ("uniform", (), scipy.stats.uniform()),
    ("normal", (), scipy.stats.norm()),
    ("exponential", (), scipy.stats.expon()),
    *[("gamma", (a,), scipy.stats.gamma(a)) for a in (0.05, 0.5, 1.0, 2.5, 400.0)],
    *[
        ("beta", (a, b), scipy.stats.beta(a, b))
        for a, b in [(0.5, 0.5), (0.3, 4.0), (1.0, 1.0), (2.0, 0.9), (20.0, 70.0), (900.0, 900.0)]
    ],
]
DISCRETE = [
    *[("poisson", (a,), scipy.stats.poisson(a)) for a in (0.05, 0.9, 3.0, 47.5, 3000.25)],
    *[
        ("binomial", (n, p), scipy.stats.binom(n, p))
        for n, p in [(1, 0.3), (4, 0.5), (30, 0.02), (30, 0.98), (500, 0.7), (10**6, 0.2)]
    ],
]


def said(part: object) -> str:
    """A test's name from its parameters, without the addresses of SciPy's objects."""
    return str(part) if isinstance(part, (str, tuple)) else part.dist.name


NEIGHBOURS = {  # where the partner of cell (r, t, arm), number k, is: another seed, r, t, lane, k
    "seed": (1, 0, 0, 0, 0),
    "replication": (0, 1, 0, 0, 0),
    "round": (0, 0, 1, 0, 0),
    "arm": (0, 0, 0, 1, 0),
    "choices": (0, 0, 0, (CHOICES - REWARDS) * MAX_ARMS, 0),
    "ties": (0, 0, 0, (TIES - REWARDS) * MAX_ARMS, 0),
    "number": (0, 0, 0, 0, 1),
}


def places(n, key0, sampler, a, b, out):
    """One number from each of n cells that differ in their replication, round and arm."""
    for j in range(n):
        out[j] = sampler(Cell(key0, KEY[1], j // 100, 1 + j // 10 % 10, j % 10), a, b)


compiled_places = njit(places)


def many(name: str, parameters: tuple[float, ...]) -> np.ndarray:
    a, b = (*map(float, parameters), 0.0, 0.0)[:2]
    out = np.empty(COUNT)
    compiled_places(COUNT, KEY[0], COMPILED[name], a, b, out)
    return out


@pytest.mark.parametrize("function", [philox, philox.py_func], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("vector", PUBLISHED)
def test_philox_gives_the_published_vectors(vector, function):
    counter, words, expected = ([int(w, 16) for w in each.split()] for each in PUBLISHED[vector])
    assert list(function(*counter, *words)) == expected


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.tuples(WORDS, WORDS, WORDS, WORDS, WORDS, WORDS))
def test_philox_compiled_is_philox_interpreted(words):
    assert tuple(philox(*words)) == philox.py_func(*words)


def folded(places):
    """The sum of all words of some places, those above 2^31 counted back from 2^32 - 1."""
    total = 0.0
    for t in range(places):
        for word in Draws(1, 0, 0, t, True).cell(1).words(0, 0):
            total += float(np.int32(0xFFFFFFFF - word if word >= 0x80000000 else word))
    return total


def test_compiled_code_may_ask_how_large_a_word_is():
    """A signed product that overflows would let the compiler suppose that no word is above 2^31."""
    assert njit(folded)(500) == folded(500)


@njit
def flips(starts, out):
    """How often each bit of the result changes when one bit of counter or key does."""
    for n in range(starts.shape[0]):
        c0, c1, c2, c3, k0, k1 = starts[n]
        before = philox(c0, c1, c2, c3, k0, k1)
        for flipped in range(out.shape[0]):
            bit = [0, 0, 0, 0, 0, 0]
            bit[flipped // 32] = 1 << (flipped % 32)
            after = philox(
                c0 ^ bit[0], c1 ^ bit[1], c2 ^ bit[2], c3 ^ bit[3], k0 ^ bit[4], k1 ^ bit[5]
            )
            for j in range(128):
                out[flipped, j] += ((before[j // 32] ^ after[j // 32]) >> (j % 32)) & 1


def test_each_bit_of_the_place_changes_half_of_the_bits():
    """Small numbers in the counter are what a study has. With six rounds in place of seven, some
    pairs of bits are off by fifteen standard errors."""
    count, rng = 2000, np.random.default_rng(3)
    starts = rng.integers(0, 1000, (count, 6))
    changed = np.zeros((192, 128))
    flips(starts, changed)
    z = (changed - 0.5 * count) / (0.25 * count) ** 0.5
    assert abs(z).max() < 5.5  # 24,576 pairs of bits: once in a thousand
    assert abs(z.std() - 1.0) < 0.03


def test_unit_stays_inside_at_the_extremes():
    top = 2**32 - 1
    assert unit(0, 0) == 2.0**-53
    assert unit(top, top) == 1.0 - 2.0**-53
    assert 0.0 < unit(0, top) < unit(top, 0) < 1.0


@settings(max_examples=200, derandomize=True, deadline=None)
@given(WORDS, WORDS)
def test_unit_is_symmetric(high, low):
    assert unit(high, low) + unit(2**32 - 1 - high, 2**32 - 1 - low) == 1.0


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 0x0123456789ABCDEF, MAX_SEED])
def test_key_keeps_every_bit_of_the_seed(seed):
    low, high = key(seed)
    assert max(low, high) < 2**32
    assert low + (high << 32) == seed


@pytest.mark.parametrize(("name", "parameters", "law"), CONTINUOUS, ids=said)
def test_continuous_samples_have_their_distribution(name, parameters, law):
    values = many(name, parameters)
    assert np.isfinite(values).all()
    assert scipy.stats.kstest(values, law.cdf).pvalue > LEAST_P


@pytest.mark.parametrize(("name", "parameters", "law"), DISCRETE, ids=said)
def test_discrete_samples_have_their_distribution(name, parameters, law):
    values = many(name, parameters)
    low, high = law.support()
    assert np.array_equal(values, np.rint(values))
    assert low <= values.min()
    assert values.max() <= high
    edges = np.unique(law.ppf(np.linspace(0.0, 1.0, 26)[1:-1]))
    chances = np.diff([0.0, *law.cdf(edges), 1.0])
    counts = np.bincount(np.searchsorted(edges, values), minlength=edges.size + 1)
    possible = chances > 1e-12
    assert counts[~possible].sum() == 0
    assert possible.sum() > 1
    expected = COUNT * chances[possible] / chances[possible].sum()
    assert scipy.stats.chisquare(counts[possible], expected).pvalue > LEAST_P


@pytest.mark.parametrize("mean", [1.01e10, 3e12, 1e15])
def test_large_poisson_numbers_have_their_distribution(mean):
    """There SciPy's quantiles fail; Cornish and Fisher's two terms are right to 1 / mean."""
    values = (many("poisson", (mean,)) + 0.5 - mean) / mean**0.5
    assert scipy.stats.kstest(values - (values**2 - 1) / 6 / mean**0.5, "norm").pvalue > LEAST_P
    out = np.empty(100)
    places(100, KEY[0], SAMPLERS["poisson"], mean, 0.0, out)
    assert np.array_equal(out, many("poisson", (mean,))[:100])


TINY_SHAPES = [(2e-4, 1.8e-3), (0.01, 0.01), (1e-3, 2e-3), (1e-5, 1e-6), (2e-310, 1e-310)]


@pytest.mark.parametrize(("a", "b"), TINY_SHAPES)
def test_beta_numbers_of_tiny_shapes_have_their_distribution(a, b):
    """Both gamma numbers underflow. For tiny shapes the beta law is nearly a coin's; the
    probability of being below x, and the mean, tell a wrong draw from a right one."""
    values = many("beta", (a, b))
    assert ((values >= 0.0) & (values <= 1.0)).all()
    for x in (1e-200, 1e-20, 0.3, 0.9):
        chance = scipy.stats.beta(a, b).cdf(x) if a > 1e-300 else b / (a + b)
        below = int((values < x).sum())
        assert scipy.stats.binomtest(below, COUNT, chance).pvalue > LEAST_P
    mean = a / (a + b)
    sd = (mean * (1.0 - mean) / (a + b + 1.0) / COUNT) ** 0.5
    assert abs(values.mean() - mean) < 4.0 * sd
    out = np.empty(100)
    places(100, KEY[0], SAMPLERS["beta"], a, b, out)
    assert np.array_equal(out, values[:100])


@njit
def gammas(shape, k, out):
    """Number k of each cell, and the gamma number of the other half of its block."""
    for j in range(out.shape[1]):
        cell = Cell(KEY[0], KEY[1], j // 100, 1 + j // 10 % 10, j % 10)
        _, _, high, low = cell.words(k, 0)
        out[0, j] = cell.gamma(shape, k)
        out[1, j] = cell.gamma_from(shape, k, 1, high, low)


@pytest.mark.parametrize("shape", [0.3, 1.0, 3.0, 500.0])
def test_gamma_numbers_of_one_block_and_of_the_next_are_independent(shape):
    """A shape of 1 rejects most, and so uses most of the further blocks."""
    drawn = np.empty((3, COUNT))
    gammas(shape, 0, drawn[:2])
    gammas(shape, 1, drawn[1:])
    gammas(shape, 0, drawn[:2])
    ranks = scipy.stats.gamma(shape).cdf(drawn)
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        counts = np.histogram2d(ranks[i], ranks[j], bins=8, range=[(0, 1), (0, 1)])[0]
        assert scipy.stats.chisquare(counts.ravel()).pvalue > LEAST_P


@pytest.mark.parametrize(
    ("name", "parameters", "value"),
    [("poisson", (0,), 0), ("binomial", (7, 0), 0), ("binomial", (7, 1), 7)],
)
def test_degenerate_distributions_are_constant(name, parameters, value):
    assert set(many(name, parameters)) == {float(value)}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [(name, parameters) for name, parameters, _ in CONTINUOUS + DISCRETE[:-1]],
    ids=str,
)
def test_compiled_samplers_are_interpreted_samplers(name, parameters):
    a, b = (*map(float, parameters), 0.0, 0.0)[:2]
    out = np.empty(100)
    places(100, KEY[0], SAMPLERS[name], a, b, out)
    assert np.array_equal(out, many(name, parameters)[:100])


@njit
def walk(along, seed, r, t, lane, k, out):
    """The k-th number of each cell along one coordinate."""
    for j in range(out.size):
        s = [0, 0, 0]
        s[along] = j
        out[j] = Cell(KEY[0] + seed, KEY[1], r + s[0], 1 + t + s[1], lane + s[2]).uniform(k)


@pytest.mark.parametrize("along", [0, 1, 2], ids=["replications", "rounds", "arms"])
@pytest.mark.parametrize("neighbour", NEIGHBOURS)
def test_neighbouring_places_are_independent(neighbour, along):
    x, y = np.empty(COUNT), np.empty(COUNT)
    walk(along, 0, 0, 0, 0, 0, x)
    walk(along, *NEIGHBOURS[neighbour], y)
    assert not np.array_equal(x, y)
    assert abs(np.corrcoef(x, y)[0, 1]) < 4.5 / COUNT**0.5
    counts = np.histogram2d(x, y, bins=8, range=[(0, 1), (0, 1)])[0]
    assert scipy.stats.chisquare(counts.ravel()).pvalue > LEAST_P


def test_the_two_numbers_of_a_pair_are_independent():
    pairs = np.array([Cell(*KEY, r, 1, 0).pair(0) for r in range(4000)])
    counts = np.histogram2d(*pairs.T, bins=6, range=[(0, 1), (0, 1)])[0]
    assert scipy.stats.chisquare(counts.ravel()).pvalue > LEAST_P
    assert Cell(*KEY, 5, 1, 0).uniform(0) == pairs[5, 0]


@njit
def winners(counter, n_arms, out):
    """The arm that is pulled in each round when all arms tie."""
    for t in range(out.size):
        out[t] = counter.at(3, t + 1).among(n_arms)


@pytest.mark.parametrize("n_arms", [2, 3, 10])
def test_ties_are_broken_uniformly(n_arms):
    out = np.empty(COUNT, np.int64)
    winners(Counter(*KEY, True), n_arms, out)
    assert scipy.stats.chisquare(np.bincount(out, minlength=n_arms)).pvalue > LEAST_P


def test_ties_to_the_first_arm_are_never_taken():
    out = np.empty(500, np.int64)
    winners(Counter(*KEY, False), 4, out)
    assert set(out) == {0}


def test_what_a_policy_draws_is_not_what_arms_pay():
    draws = Draws(*KEY, 2, 9, True)
    rewards = [Cell(*KEY, 2, 9, i).uniform(0) for i in range(400)]
    drawn = [draws.cell(i).uniform(0) for i in range(400)]
    assert not set(rewards) & set(drawn)
    places = [draws.among(ties) / ties for ties in range(2**40, 2**40 + 3)]  # the number itself
    assert max(places) - min(places) < 1e-9
    assert min(abs(place - other) for place in places for other in rewards + drawn) > 1e-9
