"""How often intervals of differences cover the true mean: the table of docs/reference/studies.md.

python benchmarks/interval_coverage.py

Each problem is played 10,000 times. Samples of n replications are drawn from these, and intervals
of 95 % are compared with the mean of all 10,000. Candidates: Student's t; Hall's correction for
skewness; bootstrap-t, with equal tails and symmetric; the interval of the package, the wider of
Student's and Hall's at each end; and that widened by `unseen`, which `Comparison.clear` asks for.
The choice was made on the first three problems; the others report. Some minutes.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

import rbmle
from rbmle.comparison import hall_end, paired_comparison, t_quantile

HORIZON, POOL, SAMPLES, RESAMPLES = 2_000, 10_000, 1_000, 200
PROBLEMS = {
    "coins .3 .5 .6": rbmle.Problem(rbmle.Bernoulli(), [0.3, 0.5, 0.6]),
    "Gaussian 0 .2 .4 .6 1": rbmle.Problem(rbmle.Gaussian(), [0.0, 0.2, 0.4, 0.6, 1.0]),
    "exponential .3 .5 .8 1": rbmle.Problem(rbmle.Exponential(), [0.3, 0.5, 0.8, 1.0]),
    "coins .02 .05 .1": rbmle.Problem(rbmle.Bernoulli(), [0.02, 0.05, 0.1]),
    "Gaussian 0 .5": rbmle.Problem(rbmle.Gaussian(), [0.0, 0.5]),
    "exponential 1 2": rbmle.Problem(rbmle.Exponential(), [1.0, 2.0]),
}
POLICIES = {"RBMLE": "rbmle", "recommended": "recommended", "TS": "ts"}
NAMES = ("Student", "Hall", "boot-t", "symmetric", "ours", "unseen")

Ends = tuple[float, float]


def candidates(x: NDArray[np.float64], worst: float, rng: np.random.Generator) -> list[Ends]:
    """The intervals of the mean of these differences, in the order of `NAMES`."""
    n, mean, error = x.size, float(x.mean()), float(x.std(ddof=1)) / sqrt(x.size)
    t = t_quantile(0.95, n - 1.0)
    skew = float((((x - mean) / (error * n)) ** 3).sum())
    drawn = x[rng.integers(0, n, (RESAMPLES, n))]
    errors = np.maximum(drawn.std(axis=1, ddof=1) / sqrt(n), 1e-300)
    scores = (drawn.mean(axis=1) - mean) / errors
    low, high = np.quantile(scores, [0.025, 0.975])
    both = float(np.quantile(np.abs(scores), 0.95))
    ours = paired_comparison("a", "b", x, np.zeros(n), worst=worst)
    return [
        (mean - t * error, mean + t * error),
        (mean - hall_end(t, skew) * error, mean - hall_end(-t, skew) * error),
        (mean - float(high) * error, mean - float(low) * error),
        (mean - both * error, mean + both * error),
        (ours.low, ours.high),
        (ours.low - ours.unseen, ours.high + ours.unseen),
    ]


def main() -> None:
    rng = np.random.default_rng(1)
    print(f"Coverage of 95 % intervals, T = {HORIZON:,}; below it the median half-width")
    print(f"{'':22} {'pair':20} {'skewness':>8} {'n':>5}", *(f"{each:>9}" for each in NAMES))
    for name, problem in PROBLEMS.items():
        result = rbmle.simulate(problem, POLICIES, HORIZON, POOL)
        worst = HORIZON * float(problem.gaps.max())
        for a, b in (("RBMLE", "recommended"), ("recommended", "TS")):
            x = np.subtract(*(result.final_regret[result.names.index(each)] for each in (a, b)))
            truth, skew = x.mean(), ((x - x.mean()) ** 3).mean() / x.std() ** 3
            for n in (50, 100, 200, 1_000):
                samples = x[rng.integers(0, POOL, (SAMPLES, n))]
                ends = np.array([candidates(each, worst, rng) for each in samples])
                inside = ((ends[:, :, 0] <= truth) & (truth <= ends[:, :, 1])).mean(axis=0)
                halves = np.median(ends[:, :, 1] - ends[:, :, 0], axis=0) / 2.0
                print(
                    f"{name:22} {a + ' - ' + b:20} {skew:8.1f} {n:5}",
                    *(f"{c:9.3f}" for c in inside),
                )
                print(" " * 58, *(f"{h:9.1f}" for h in halves), flush=True)


if __name__ == "__main__":
    main()
