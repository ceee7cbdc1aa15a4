"""A result with known numbers, and a drawing of each kind of figure."""

import numpy as np

from rbmle import (
    UCB,
    AdaptiveGaussian,
    Bernoulli,
    Gaussian,
    Problem,
    theory,
)
from rbmle.figures import (
    STYLES,
    best_arm_share,
    draw_adaptive,
    draw_best_arm_share,
    draw_final_regret,
    draw_regret_and_bounds,
    draw_regret_curves,
    draw_time_against_arms,
    draw_time_against_regret,
    final_regret,
    regret_and_bounds,
    regret_curves,
    time_against_arms,
    time_against_regret,
)
from rbmle.result import Result

NAMES = ("UCB", "RBMLE", "Mine<$x$>")


def made(names=NAMES, rounds=(1, 10, 100, 1000), replications=12, problem=None):
    """A result with known numbers: policy p, replication r has regret (p + 1)(r + 1) t / 1000."""
    problem = problem or Problem(Bernoulli(), [0.5, 0.7])
    rounds = np.array(rounds)
    policy = np.arange(1, len(names) + 1)[:, None, None]
    replication = np.arange(1, replications + 1)[None, :, None]
    regret = policy * replication * rounds / 1000.0
    best = np.broadcast_to(rounds // policy, regret.shape)
    pulls = np.zeros((len(names), replications, problem.n_arms), dtype=int)
    return Result(
        problem=problem,
        policies=(UCB(),) * len(names),
        families=(problem.law,) * len(names),
        horizon=int(rounds[-1]),
        checkpoints=rounds,
        regret=regret,
        best_pulls=best,
        pulls=pulls,
        labels=tuple(names),
    )


def times(count=16):
    names = list(STYLES)[:count]
    seconds = [1e-7 * (1.0 + 0.1 * i) for i in range(count)]
    regret = [100.0 + 2.0 * i for i in range(count)]
    return names, seconds, regret


def bounded(**changes):
    """The made result with a bound for two of its three policies."""
    problem = Problem(Bernoulli(), [0.5, 0.7])
    bound = theory.regret_bound(problem, 1000, 2)
    return regret_and_bounds(made(), {"UCB": bound, "Mine<$x$>": bound, **changes})


def bounded_by():
    return theory.regret_bound(Problem(Bernoulli(), [0.5, 0.7]), 1000, 4)


def traced(sigma=0.05):
    problem = Problem(Gaussian(sigma), [0.5, 1.0])
    return theory.adaptive_trace(problem, AdaptiveGaussian(sigma), 3000, seed=11)


DRAWN = {
    "bounds": lambda: draw_regret_and_bounds(bounded(RBMLE=bounded_by())),
    "adaptive": lambda: draw_adaptive(traced(), "Algorithm 1"),
    "regret": lambda: draw_regret_curves(regret_curves(made())),
    "log regret": lambda: draw_regret_curves(regret_curves(made()), log_time=True),
    "boxes": lambda: draw_final_regret(final_regret(made())),
    "share": lambda: draw_best_arm_share(best_arm_share(made())),
    "linear share": lambda: draw_best_arm_share(best_arm_share(made()), log_time=False),
    "scatter": lambda: draw_time_against_regret(
        time_against_regret(*times(), {"RBMLE": (1e-4, 130.0), "UCB": (3e-4, 90.0)}, "UCB")
    ),
    "arms": lambda: draw_time_against_arms(
        time_against_arms(
            [10, 30, 50], {"UCB": [1e-7, 2e-7, 3e-7], "KG": [2e-7, 8e-7, 1e-6]}, {"KG": {10: 1.0}},
            relative_to=None,
        )
    ),
}  # fmt: skip
