"""What each kind of evidence makes of a past, against the formula in NumPy, uncompiled."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import rbmle
from rbmle._numba.compile import kernel
from rbmle.evidence import Features, as_evidence
from rbmle.evidence.logistic import surprise_of
from rbmle.random import Draws

RNG = np.random.default_rng(5)


def played(evidence: Any, features: Any, chosen: Any, rewards: Any, moving: bool) -> Any:
    """The arms and the memory after these rounds; features: (rounds, arms, dimension)."""
    n_arms = features.shape[1]
    arms, memory = rbmle.Arms.fresh(n_arms), np.zeros(evidence.memory_size(n_arms))
    evidence.begin(arms, memory)
    for t, (i, reward) in enumerate(zip(chosen, rewards, strict=True)):
        shown = Features(features[t if moving else 0])
        evidence.look(arms, memory, shown, moving or t == 0)
        evidence.learn(arms, memory, shown, moving, int(i), float(reward))
    evidence.look(arms, memory, Features(features[-1 if moving else 0]), moving)
    return arms, memory


def a_past(rounds: int, n_arms: int, dimension: int) -> tuple[Any, Any, Any]:
    features = RNG.normal(size=(rounds, n_arms, dimension))
    return features, RNG.integers(n_arms, size=rounds), RNG.normal(size=rounds)


@pytest.mark.parametrize("gamma", [0.5, 0.97])
def test_discounted_sums_are_those_of_the_formula(gamma: float) -> None:
    _, chosen, rewards = a_past(60, 3, 1)
    arms, memory = played(rbmle.Discounted(gamma), np.zeros((60, 3, 1)), chosen, rewards, False)
    weights = gamma ** np.arange(59, -1, -1.0)
    for i in range(3):
        mine = chosen == i
        assert arms.pulls[i] == pytest.approx(weights[mine].sum(), rel=1e-12)
        assert arms.sums[i] == pytest.approx(weights[mine] @ rewards[mine], rel=1e-9)
        variance = np.average(rewards[mine] ** 2, weights=weights[mine]) - arms.mean(i) ** 2
        assert arms.variance(i) == pytest.approx(variance, rel=1e-9)
    clock = rbmle.Discounted(gamma).clock(memory, 61, 100)
    assert clock.t == 1 + int(weights.sum())
    assert clock.left() == 100 - 61


def test_what_is_left_of_a_pull_can_be_nothing() -> None:
    """A pull fades to nothing after some hundred rounds; the arm is then unpulled again."""
    chosen = np.array([1] + 400 * [0])
    arms, _ = played(rbmle.Discounted(0.5), np.zeros((401, 2, 1)), chosen, np.ones(401), False)
    assert arms.pulls[1] == 0.0
    assert arms.unpulled() == 1


@pytest.mark.parametrize("size", [1, 2, 7, 50, 64])
def test_a_window_holds_the_last_rounds(size: int) -> None:
    _, chosen, rewards = a_past(64, 3, 1)
    rewards = rewards + 1e6
    arms, memory = played(rbmle.Window(size), np.zeros((64, 3, 1)), chosen, rewards, False)
    for i in range(3):
        mine = rewards[-size:][chosen[-size:] == i]
        assert arms.pulls[i] == mine.size
        assert arms.sums[i] == pytest.approx(mine.sum(), rel=1e-14)
        if mine.size:
            assert arms.variance(i) == pytest.approx(mine.var(), rel=1e-6, abs=1e-9)
    assert rbmle.Window(size).clock(memory, 65, 0).t == min(65, size)


def test_sums_of_a_window_do_not_drift() -> None:
    """After a large reward has left, nothing of it is left: 1e20 + 0.1 - 1e20 would be 0."""
    chosen, rewards = np.zeros(50, int), np.full(50, 0.1)
    rewards[[3, 11]] = 1e20
    arms, _ = played(rbmle.Window(5), np.zeros((50, 2, 1)), chosen, rewards, False)
    assert arms.sums[0] == pytest.approx(0.5, rel=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_linear_statistics_are_those_of_ridge_regression(shared: bool, moving: bool) -> None:
    n, k, d, ridge = 150, 4, 3, 0.7
    features, chosen, rewards = a_past(n, k, d)
    arms, _ = played(rbmle.Linear(d, ridge, shared), features, chosen, rewards, moving)
    shown = features if moving else np.broadcast_to(features[0], features.shape)
    for i in range(k):
        mine = np.ones(n, bool) if shared else chosen == i
        x = shown[np.arange(n), chosen][mine]
        v = ridge * np.eye(d) + x.T @ x
        theta = np.linalg.solve(v, x.T @ rewards[mine])
        now = shown[-1, i]
        assert arms.mean(i) == pytest.approx(now @ theta, rel=1e-10, abs=1e-12)
        assert arms.pulls[i] == pytest.approx(1.0 / (now @ np.linalg.solve(v, now)), rel=1e-10)
        squares = ((rewards[mine] - x @ theta) ** 2).sum() + ridge * theta @ theta
        assert arms.variance(i) == pytest.approx(squares / mine.sum(), rel=1e-9)


@pytest.mark.slow
def test_features_that_are_all_zero_have_a_mean() -> None:
    features = np.zeros((3, 2, 2))
    features[:, 0, 0] = 1.0
    arms, _ = played(rbmle.Linear(2), features, np.array([0, 1, 0]), np.ones(3), False)
    assert np.isfinite(arms.pulls).all()
    assert arms.mean(1) == 0.0


@pytest.mark.slow
def test_two_features_that_are_one_and_hardly_any_ridge() -> None:
    """V is singular up to rounding: what is known is what one feature tells."""
    features, chosen, rewards = a_past(130, 3, 1)
    twice = np.concatenate([features, features], axis=2)
    arms, _ = played(rbmle.Linear(2, 1e-12), twice, chosen, rewards, True)
    alone, _ = played(rbmle.Linear(1, 2e-12), 2.0 * features, chosen, rewards, True)
    assert arms.pulls == pytest.approx(alone.pulls, rel=1e-3)


def exact_posterior(x: Any, pulls: Any, sums: Any) -> tuple[Any, Any]:
    """The posterior means x theta^ and variances x V^-1 x of a ridge of 1, by fractions: the
    covariance of the K means is ((X X')^-1 + diag(pulls))^-1."""

    def inverse(matrix: Any) -> Any:
        n = len(matrix)
        rows = [[*row, *(Fraction(i == j) for j in range(n))] for i, row in enumerate(matrix)]
        for c in range(n):
            rows[c] = [each / rows[c][c] for each in rows[c]]
            for r in set(range(n)) - {c}:
                rows[r] = [u - rows[r][c] * v for u, v in zip(rows[r], rows[c], strict=True)]
        return [row[n:] for row in rows]

    rows = [[Fraction(each) for each in row] for row in x.tolist()]
    gram = [[sum(u * v for u, v in zip(a, b, strict=True)) for b in rows] for a in rows]
    precision = inverse(gram)
    for i, n in enumerate(pulls.tolist()):
        precision[i][i] += n
    covariance, totals = inverse(precision), [Fraction(each) for each in sums.tolist()]
    means = [float(sum(c * s for c, s in zip(row, totals, strict=True))) for row in covariance]
    return np.array(means), np.array([float(covariance[i][i]) for i in range(len(rows))])


@kernel
def learn_given(
    evidence: Any, arms: Any, memory: Any, x: Any, moving: bool, chosen: Any, rewards: Any
) -> None:
    evidence.begin(arms, memory)
    evidence.look(arms, memory, x, True)
    for t in range(chosen.size):
        evidence.learn(arms, memory, x, moving, chosen[t], rewards[t])
    evidence.look(arms, memory, x, moving)


@pytest.mark.parametrize("rounds", [10, 1_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize(("scale", "most"), [(1.0, 1e-9), (1e6, 1e-8), (1e9, 1e-3)])
def test_three_arms_of_six_large_features(
    scale: float, most: float, moving: bool, rounds: int
) -> None:
    """V, whose eigenvalues are the ridge and up to scale^2 times the rewards, is singular up to
    rounding. Means are right to a share of the posterior's standard deviation, and so are pulls.

    When V was kept as a sum, means were off by 13 of them after 1e6 rewards at the scale 1e6."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(3, 6))
    x *= scale / np.abs(x).max()
    chosen, evidence, arms = rng.integers(0, 3, rounds), rbmle.Linear(6), rbmle.Arms.fresh(3)
    rewards = rng.normal(size=rounds) + chosen
    if rounds > 1_000:
        memory = np.zeros(evidence.memory_size(3))
        learn_given(evidence, arms, memory, Features(x), moving, chosen, rewards)
    else:
        given = np.broadcast_to(x, (rounds, 3, 6))
        arms, _ = played(evidence, given, chosen, rewards, moving)
    sums = np.array([rewards[chosen == i].sum() for i in range(3)])
    means, variances = exact_posterior(x, np.bincount(chosen, minlength=3), sums)
    assert np.abs(arms.sums / arms.pulls - means).max() < most * np.sqrt(variances).min()
    assert arms.pulls * variances == pytest.approx(np.ones(3), rel=most)


def log_posterior(theta: Any, x: Any, y: Any, ridge: float) -> float:
    z = x @ theta
    return float(np.logaddexp(0.0, z).sum() - y @ z + 0.5 * ridge * theta @ theta)


@pytest.mark.slow
def test_logistic_evidence_of_given_features_is_the_exact_maximum() -> None:
    n, k, d = 80, 4, 2
    features, chosen, rewards = a_past(n, k, d)
    y = (rewards > 0.0).astype(float)
    arms, _ = played(rbmle.Logistic(d, 0.5), features, chosen, y, False)
    x = features[0][chosen]
    theta = minimize(log_posterior, np.zeros(d), (x, y, 0.5), tol=1e-12).x
    means = 1.0 / (1.0 + np.exp(-features[0] @ theta))
    assert arms.sums / arms.pulls == pytest.approx(means, abs=1e-6)
    weight = means[chosen] * (1.0 - means[chosen])
    h = 0.5 * np.eye(d) + (x * weight[:, None]).T @ x
    for i in range(k):
        width = features[0, i] @ np.linalg.solve(h, features[0, i])
        assert arms.pulls[i] == pytest.approx(1.0 / (means[i] * (1 - means[i]) * width), rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("reward", "z", "q"), [(1.0, 0.0, 1.0), (0.0, 30.0, 50.0), (1.0, -9, 1e4)])
def test_the_surprise_of_a_reward_solves_its_equation(reward: float, z: float, q: float) -> None:
    a = surprise_of(reward, z, q)
    assert a == pytest.approx(reward - 1.0 / (1.0 + np.exp(-(z + a * q))), abs=1e-9)


def biased_likelihood(theta: Any, x: Any, y: Any, now: Any, alpha: float) -> float:
    """Minus the logarithm of the likelihood with the ridge, biased to an arm."""
    return float(0.5 * ((y - x @ theta) ** 2).sum() + 0.5 * theta @ theta - alpha * now @ theta)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_lin_rbmle_plays_the_maximiser_of_the_biased_likelihood(seed: int) -> None:
    """Hung et al. 2021: the arm whose reward-biased likelihood has the largest maximum."""
    rng = np.random.default_rng(seed)
    n, k, d = 40, 6, 3
    features, chosen = rng.normal(size=(n, k, d)), rng.integers(k, size=n)
    rewards = rng.normal(size=n)
    arms, _ = played(rbmle.Linear(d), features, chosen, rewards, True)
    policy, clock = rbmle.RBMLE(rbmle.RootBias(0.5)), rbmle.Clock(n + 1, 0)
    i = policy.choose(np.zeros(0), rbmle.Gaussian(), arms, clock, Draws(1, 0, 0, n + 1, False))
    x, alpha = features[np.arange(n), chosen], float(np.sqrt(n + 1))
    largest = [
        -minimize(biased_likelihood, np.zeros(d), (x, rewards, now, alpha)).fun
        for now in features[-1]
    ]
    assert i == int(np.argmax(largest))


@pytest.mark.slow
@pytest.mark.parametrize(
    "evidence", [rbmle.Discounted(0.9), rbmle.Window(20), rbmle.Linear(2),
                 rbmle.Linear(2, 1, False), rbmle.Logistic(2)], ids=str,
)  # fmt: skip
def test_permuting_arms_permutes_what_is_known(evidence: Any) -> None:
    features, chosen, rewards = a_past(50, 4, 2)
    if isinstance(evidence, rbmle.Logistic):
        rewards = (rewards > 0.0).astype(float)
    order = np.array([2, 0, 3, 1])  # arm j is now at the place `places[j]`
    places = np.argsort(order)
    here, _ = played(evidence, features, chosen, rewards, True)
    there, _ = played(evidence, features[:, order], places[chosen], rewards, True)
    assert there.pulls == pytest.approx(here.pulls[order], rel=1e-12)
    assert there.sums == pytest.approx(here.sums[order], rel=1e-12)


@pytest.mark.slow
def test_a_joint_draw_has_the_posterior_covariance() -> None:
    features, chosen, rewards = a_past(12, 3, 2)
    evidence = rbmle.Linear(2)
    arms, memory = played(evidence, features, chosen, rewards, True)
    x, now = features[np.arange(12), chosen], Features(features[-1])
    drawn = np.zeros((4000, 4))
    for t in range(4000):
        evidence.draw(arms, memory, now, Draws(1, 2, 0, t, True), drawn[t])
    assert (drawn[:, 0] == 1.0).all()
    inverse = np.linalg.inv(np.eye(2) + x.T @ x)
    wanted = features[-1] @ inverse @ features[-1].T
    assert np.cov(drawn[:, 1:].T) == pytest.approx(wanted, abs=0.1 * wanted.max())


GAUSSIAN = rbmle.LinearProblem([0.1, 0.2], np.eye(2))
COINS = rbmle.Problem("bernoulli", [0.2, 0.5])
REFUSED = [
    (lambda: rbmle.Discounted(0.0), "Discounted: 'gamma' must be a number in (0, 1]. Got 0.0."),
    (lambda: rbmle.Window(0), "Window: 'size' must be a whole number in [1, "),
    (lambda: rbmle.Linear(2, -1.0), "Linear: 'ridge' must be a number in [1e-12, 1e+12]. Got -1"),
    (lambda: rbmle.Linear(2.5), "Linear: 'dimension' must be a whole number in [1, 1000]. Got 2.5"),
    (lambda: as_evidence("widow(size=3)", "simulate"), "Did you mean 'Window'?"),
    (lambda: as_evidence(rbmle.UCB(), "simulate"), "simulate: 'evidence' must be a kind of "),
    (
        lambda: rbmle.simulate(COINS, ["ucb"], 9, 1, evidence=rbmle.Linear(2)),
        "Linear: 'dimension' must be that of the problem's features. Got 2 for a problem with no f",
    ),
    (
        lambda: rbmle.simulate(GAUSSIAN, ["ucb"], 9, 1, evidence="linear(dimension=3)"),
        "Linear: 'dimension' must be that of the problem's features. Got 3 for a problem with feat",
    ),
    (
        lambda: rbmle.simulate(
            rbmle.LinearProblem([0.1, 0.2], np.eye(2), "bernoulli"), ["ucb"], 9, 1,
            evidence=rbmle.Linear(2),
        ),
        "Linear: 'family' must be one whose means are any numbers, as in Gaussian(). Got Bernoulli",
    ),
    (
        lambda: rbmle.simulate(GAUSSIAN, ["ucb"], 9, 1, evidence=rbmle.Logistic(2)),
        "Logistic: 'family' must be Bernoulli(); Linear is for Gaussian rewards. Got 'Gaussian'.",
    ),
    (
        lambda: rbmle.simulate(COINS, ["lints"], 9, 1),
        "LinTS: 'family' must be Gaussian. Got Bernoulli.",
    ),
    (
        lambda: rbmle.simulate(GAUSSIAN, ["ucb"], 9, 1, rewards=rbmle.Table(np.zeros((9, 2)))),
        "simulate: 'rewards' must be a RewardStream for a LinearProblem.",
    ),
    (lambda: rbmle.LinearProblem([1.0], np.eye(2)), "LinearProblem: 'theta' must be 2 numbers, or"),
    (lambda: rbmle.LinearProblem([1.0, np.nan], np.eye(2)), "'theta' must be finite numbers."),
    (lambda: rbmle.LinearProblem([1.0], [1.0, 2.0]), "'features' must be an array of two dimensio"),
    (
        lambda: rbmle.LinearProblem([1.0, 2.0], np.eye(2), "exponential"),
        "LinearProblem: 'noise' must be a law whose means are any numbers, or Bernoulli().",
    ),
    (lambda: rbmle.TableFeatures(3, [[np.inf]]), "TableFeatures: 'values' must be finite numbers."),
    (lambda: rbmle.SphereFeatures(3, 2, each="day"), "'each' must be one of 'round', 'repl"),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "said"), REFUSED)
def test_what_does_not_fit_gets_its_sentence(bad: Any, said: str) -> None:
    with pytest.raises(rbmle.ParameterError) as found:
        bad()
    assert said in str(found.value)


@pytest.mark.slow
def test_drawn_features_are_what_they_say() -> None:
    sphere = rbmle.LinearProblem([1.0, 2.0, 3.0], rbmle.SphereFeatures(4, 3)).source(3, 10)
    sphere.meet(0, 1)
    first = sphere.known.copy()
    assert np.linalg.norm(first, axis=1) == pytest.approx(np.ones(4))
    assert sphere.means == pytest.approx(first @ [1.0, 2.0, 3.0])
    assert sphere.gap(0, 1, 2) == pytest.approx(sphere.means.max() - sphere.means[2])
    sphere.meet(0, 2)
    assert not np.isclose(sphere.known, first).any()
    sphere.meet(0, 1)
    assert (sphere.known == first).all()
    table = np.arange(12.0).reshape(6, 2)
    drawing = rbmle.TableFeatures(3, table, each="replication", common=True)
    rows = rbmle.LinearProblem(np.ones((3, 2)), drawing).source(3, 10)
    rows.meet(0, 1)
    seen = rows.known.copy()
    rows.meet(0, 2)
    assert (rows.known == seen).all()
    assert (seen == seen[0]).all()
    assert (table == seen[0]).all(axis=1).any()
