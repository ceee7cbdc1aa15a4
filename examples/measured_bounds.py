"""Measured regret of RBMLE with the theory's constants, beside its bounds: the table in
docs/explanation/theory.md.

    python examples/measured_bounds.py

It takes about half a minute.
"""

import warnings
from math import log
from typing import Any

import rbmle
from rbmle import theory

EPSILON, REPLICATIONS, SEED = 0.75, 40, 5

PLAYED: list[tuple[int, Any, list[float], bool, int]] = [  # proposition, rewards, means, sharp, T
    (2, rbmle.Bernoulli(), [0.9, 0.1], False, 20_000),
    (2, rbmle.Bernoulli(), [0.9, 0.5, 0.1], False, 50_000),
    (2, rbmle.Bernoulli(), [0.9, 0.5, 0.1], True, 20_000),
    (2, rbmle.Binomial(6), [4.0, 1.0], False, 20_000),
    (2, rbmle.Poisson(), [2.0, 0.5], True, 20_000),
    (2, rbmle.Exponential(), [1.0, 0.2], True, 20_000),
    (2, rbmle.Gamma(2.5), [1.0, 0.3], True, 20_000),
    (3, rbmle.Gaussian(0.1), [0.5, 1.0, 0.3], False, 20_000),
    (3, rbmle.Gaussian(0.5), [0.0, 1.0], True, 20_000),
    (4, rbmle.Uniform(0.4), [0.3, 0.75], False, 50_000),
    (4, rbmle.GaussianMixture(0.1, 0.1), [0.0, 1.0, 0.5], False, 50_000),
    (4, rbmle.Beta(20.0), [0.2, 0.8], False, 50_000),
    (5, rbmle.Gamma(50.0), [1.0, 0.3], False, 100_000),
    (5, rbmle.Gamma(50.0), [1.0, 0.3], True, 20_000),
]


def measured(
    problem: rbmle.Problem, policy: rbmle.RBMLE, family: Any, horizon: int
) -> tuple[float, float]:
    """Mean regret at T, and its slope in log t between T/10 and T."""
    rewards, checkpoints = rbmle.RewardStream(SEED), [horizon // 10, horizon]
    with warnings.catch_warnings():  # Proposition 5 is about rewards of another law
        warnings.simplefilter("ignore", rbmle.errors.FamilyWarning)
        result = rbmle.simulate(
            problem, [policy], horizon, REPLICATIONS, rewards, family=family,
            checkpoints=checkpoints,
        )  # fmt: skip
    before, after = result.regret[0].mean(axis=0)
    return after, (after - before) / log(10)


def main() -> None:
    print("| prop. | rewards, means | T | C_alpha | regret | bound | slope | growth_rate |", end="")
    print(" slope of bound | Lai-Robbins |")
    for proposition, law, means, sharp, horizon in PLAYED:
        problem = rbmle.Problem(law, means)
        model = rbmle.Poisson() if proposition == 5 else law
        if proposition == 4:
            model = rbmle.Gaussian(law.sub_gaussian(0.5))
        assumed = model if proposition == 5 else None
        bound = theory.regret_bound(
            problem, horizon, proposition, epsilon=EPSILON, family=assumed, sharp=sharp
        )
        policy = rbmle.RBMLE(bound.c_alpha)
        regret, slope = measured(problem, policy, model, horizon)
        growth = theory.growth_rate(problem, bound.c_alpha, model)
        least = theory.lai_robbins(problem, problem.family or model)
        print(
            f"| {proposition}{' sharp' if sharp else ''} | {type(law).__name__}",
            *(f"{mean:g}" for mean in means),
            f"| {horizon:,} | {bound.c_alpha:.3g} | {regret:.1f} | {bound.total:.1f}",
            f"| {slope:.1f} | {growth:.1f} | {bound.slope:.1f} | {least:.2f} |",
        )
    problem, horizon = rbmle.Problem(rbmle.Gaussian(0.03), [0.0, 1.0]), 20_000
    bound = theory.regret_bound(problem, horizon, 6)
    for constant in ("text", "proof"):
        policy = rbmle.RBMLE(rbmle.AdaptiveGaussian(0.03, constant=constant))
        regret, slope = measured(problem, policy, rbmle.Gaussian(0.03), horizon)
        print(
            f"| 6 {constant} | Gaussian 0 1 | {horizon:,} | estimated | {regret:.1f}",
            f"| {bound.total:.1f} | {slope:.1f} | | {bound.slope:.1f} |",
            f"{theory.lai_robbins(problem):.2f} |",
        )


if __name__ == "__main__":
    main()
