"""What `Diagonal` loses against `Linear`, and what it saves.

    python benchmarks/diagonal.py                  # a minute

Mean final regret on ten arms whose features are drawn in each round: independent normal numbers,
the same with a correlation of 0.5 or 0.9 between all of them, and one-hot rows of five categories
with an intercept. T = 5,000, 30 replications, |theta| = 1. Then the time of a pull with its update
by a `Decider` with 100 arms and 1,000 features, the median of 30.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

from rbmle import Decider, Diagonal, Linear, LinearProblem, TableFeatures, simulate


def tables(d: int = 20) -> dict[str, np.ndarray]:
    """Rows of features, by what they are."""
    rng = np.random.default_rng(1)
    own, common = rng.normal(size=(4000, d)), rng.normal(size=(4000, 1))
    found = {
        f"normal, correlation {rho:g}": (np.sqrt(1 - rho) * own + np.sqrt(rho) * common)
        / np.sqrt(d)
        for rho in (0.0, 0.5, 0.9)
    }
    hot = np.eye(5)[rng.integers(5, size=(4000, 4))].reshape(4000, 20)
    found["four categories of five values, intercept"] = np.hstack([np.ones((4000, 1)), hot])
    return found


def main() -> None:
    for name, rows in tables().items():
        theta = np.random.default_rng(2).normal(size=rows.shape[1])
        world = LinearProblem(theta / np.linalg.norm(theta), TableFeatures(10, rows))
        regret = [
            simulate(world, ["ucb"], 5000, 30, evidence=kind(rows.shape[1])).regret[0, :, -1]
            for kind in (Linear, Diagonal)
        ]
        told = "  ".join(f"{each.mean():7.0f} ({each.std() / 30**0.5:.0f})" for each in regret)
        print(f"{name:45} Linear, Diagonal: {told}", flush=True)
    rng, arms = np.random.default_rng(3), list(range(100))
    for kind in (Linear, Diagonal):
        live, took = Decider(arms, "ucb", "gaussian", evidence=kind(1000)), []
        for _ in range(30):
            features = rng.normal(size=(100, 1000)) / 1000**0.5
            start = time.perf_counter()
            live.update(live.pull(context=features), 1.0)
            took.append(time.perf_counter() - start)
        print(f"{kind.__name__}: {1e3 * statistics.median(took):.2f} ms, 100 arms, 1,000 features")


if __name__ == "__main__":
    main()
