"""RBMLE on Bernoulli arms by four readings of its index, which differ where means are near 1.

    python examples/boundary.py

docs/explanation/errata.md explains the readings. Standard errors of the mean are in brackets. It
takes about a minute.
"""

import warnings

import rbmle
from rbmle.errors import FamilyWarning

PROBLEMS = {
    "Figure 1a": [0.66, 0.67, 0.68, 0.69, 0.7, 0.61, 0.62, 0.63, 0.64, 0.65],
    "near 1": [0.99, 0.98, 0.97, 0.95, 0.95, 0.9, 0.9, 0.85, 0.8, 0.7],
    "spread": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95],
    "near 0": [0.01, 0.02, 0.03, 0.05, 0.05, 0.04, 0.06, 0.02, 0.01, 0.01],
    "two arms": [0.5, 0.6],
}
READINGS = {
    "exact": rbmle.RBMLE(),
    "published": rbmle.RBMLE(boundary="published"),
    "corollary": rbmle.RBMLE(boundary="corollary"),
    "Gaussian": rbmle.Assuming(rbmle.RBMLE(), rbmle.Gaussian()),  # whose sigma it does not read
}
warnings.simplefilter("ignore", FamilyWarning)


def main(horizon: int = 50_000, replications: int = 150) -> None:
    print(f"Mean regret, T = {horizon}, {replications} replications")
    print(f"{'':10}" + "".join(f"{name:>16}" for name in READINGS))
    for name, means in PROBLEMS.items():
        problem = rbmle.Problem(rbmle.Bernoulli(), means)
        result = rbmle.simulate(problem, list(READINGS.values()), horizon, replications)
        mean, std = result.statistics()[:, :2].T
        error = std / (replications - 1) ** 0.5
        cells = [f"{m:.1f} ({e:.1f})" for m, e in zip(mean, error, strict=True)]
        print(f"{name:10}" + "".join(f"{each:>16}" for each in cells))


if __name__ == "__main__":
    main()
